#include "core/exporting/rolereport.h"

#include "core/exporting/csv.h"
#include "core/exporting/figurecsv.h"
#include "core/exporting/numbers.h"
#include "core/exporting/verdictrules.h"
#include "core/metrics/correlation.h"
#include "core/results/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

/// Voita et al.'s word for it is a strong one: "to a large extent".
constexpr double kGoesTogether = 0.5;
constexpr double kTimesChance = 3; ///< that a head of rare words must reach (labelsOf())

const HeadRelevance *relevanceOf(const ReportDomain &domain, const HeadRef &head)
{
    if (!domain.relevance)
        return nullptr;
    const auto found = std::ranges::find(domain.relevance->heads, head, &HeadRelevance::head);
    return found == domain.relevance->heads.end() ? nullptr : &*found;
}

ReportTable headsTable(const ReportDomain &domain)
{
    const RolesResult &roles = *domain.roles;
    ReportTable table = tableOf(domain, "roles", "Confidence, relevance and role of every head");
    table.note
        = fmt::format("Voita et al. 2019, over {} examples{}. Relevance is a head's share of its layer{}. In brackets: "
                      "score, and what a fixed offset (syntactic) or uniform attention (others) gives.",
                      roles.examples, roles.prefix.empty() ? "" : ", with the decoder forced to the " + roles.prefix,
                      domain.relevance ? "" : " (not computed)");
    TextTable rows{"what every head attends to", {"head", "role", "also", "confidence", "relevance"}, {}};
    const auto text = [](const RoleLabel &label) {
        return fmt::format("{} ({}, {}{})", labelText(label), percentText(label.score), percentText(label.expected),
                           label.supported ? "" : fmt::format("; only {} instances", label.instances));
    };
    for (const HeadRoles &head : assignRoles(roles)) {
        const auto &scores = *std::ranges::find(roles.heads, head.head, &HeadRoleScores::head);
        std::string also;
        for (std::size_t i = head.first() ? 1 : 0; i < head.labels.size(); ++i)
            also += (also.empty() ? "" : "; ") + text(head.labels[i]);
        const HeadRelevance *relevance = relevanceOf(domain, head.head);
        rows.rows.push_back({toText(head.head), head.first() ? text(*head.first()) : "–", also.empty() ? "–" : also,
                             fixedText(scores.confidence, 2), relevance ? fixedText(relevance->relevance, 3) : "–"});
    }
    table.parts = {rows};
    table.csv = toCsv(roles);
    table.isLong = true;
    return table;
}

ReportTable relationsTable(const ReportDomain &domain)
{
    const RolesResult &roles = *domain.roles;
    ReportTable table
        = tableOf(domain, "relations", "The best head of every dependency relation (Voita et al. 2019, Table 1)");
    const RoleThresholds thresholds;
    table.note = fmt::format(
        "Share of the words whose partner has the largest weight, of {} sentences; * above the best fixed "
        "offset by {} points or more. Relations of fewer than {} words are in the CSV only.",
        roles.trees, std::lround(100 * thresholds.syntacticMargin), thresholds.instances);
    TextTable rows{"accuracy of the best head",
                   {"relation", "direction", "words", "best head", "accuracy", "fixed offset", "chance"},
                   {}};
    for (std::size_t i = 0; i < roles.relations.size(); ++i) {
        const RelationDirection &relation = roles.relations[i];
        const HeadRoleScores *best = bestHeadOf(roles, i);
        if (!best)
            continue;
        const double accuracy = accuracyOf(roles, *best, i);
        if (relation.instances >= thresholds.instances)
            rows.rows.push_back(
                {relation.relation, directionText(relation.direction), std::to_string(relation.instances),
                 toText(best->head),
                 percentText(accuracy) + (accuracy >= relation.baseline + thresholds.syntacticMargin ? "*" : ""),
                 fmt::format("{} ({:+})", percentText(relation.baseline), relation.baselineOffset),
                 percentText(relation.chance)});
    }
    table.parts = {rows};
    table.csv = relationsCsv(roles);
    return table;
}

/// Heads with a supported label of this role, and their labels.
std::vector<std::pair<HeadRef, RoleLabel>> headsWith(const RolesResult &roles, Role role)
{
    std::vector<std::pair<HeadRef, RoleLabel>> found;
    for (const HeadRoles &head : assignRoles(roles)) {
        const auto label = std::ranges::find_if(
            head.labels, [&](const RoleLabel &one) { return one.role == role && one.supported; });
        if (label != head.labels.end())
            found.emplace_back(head.head, *label);
    }
    return found;
}

std::string listed(const std::vector<std::pair<HeadRef, RoleLabel>> &heads)
{
    constexpr std::size_t kMost = 6;
    std::string text;
    for (std::size_t i = 0; i < std::min(kMost, heads.size()); ++i)
        text += fmt::format("{}{} ({}, {})", i == 0 ? "" : ", ", toText(heads[i].first), labelText(heads[i].second),
                            percentText(heads[i].second.score));
    return heads.size() > kMost ? text + fmt::format(" and {} more", heads.size() - kMost) : text;
}

Finding confidentAreRelevant(const ReportDomain &domain)
{
    Finding finding{
        "Confident heads are the relevant ones (ρ > 0.5)", domain.name, "voita-figure-1",
        "by Spearman's ρ over the heads of each kind: holds if the 95 % interval of every kind lies above 0.5, "
        "does not hold if that of every kind lies below."};
    if (!domain.relevance)
        return finding.untold("Relevance was not computed.");
    bool all = true;
    bool none = true;
    for (const HeadKind kind : kAllHeadKinds) {
        std::vector<double> confidence;
        std::vector<double> relevance;
        for (const HeadRoleScores &head : domain.roles->heads) {
            const HeadRelevance *found = relevanceOf(domain, head.head);
            if (head.head.kind == kind && found) {
                confidence.push_back(head.confidence);
                relevance.push_back(found->relevance);
            }
        }
        if (confidence.size() < 3)
            continue;
        const Correlation rho = spearmanCorrelation(confidence, relevance);
        finding.numbers
            += fmt::format("{}{} heads: ρ = {} [{}, {}].", finding.numbers.empty() ? "" : " ", headKindName(kind),
                           fixedText(rho.value, 2), fixedText(rho.interval.low, 2), fixedText(rho.interval.high, 2));
        const Verdict of = verdictAbove(rho.interval, kGoesTogether);
        all &= of == Verdict::Holds;
        none &= of == Verdict::DoesNotHold;
    }
    if (!finding.numbers.empty())
        finding.verdict = verdictOf(all, none);
    return finding;
}

Finding positionalExist(const ReportDomain &domain)
{
    Finding finding{
        "Some heads are positional (90 % of the largest weights at one offset)", domain.name, "voita-figure-1",
        "holds if a head with 50 words or more has 90 %; does not hold if the 95 % interval of the head with the "
        "most lies below."};
    const auto heads = headsWith(*domain.roles, Role::Positional);
    if (!heads.empty()) {
        finding.verdict = Verdict::Holds;
        finding.numbers = listed(heads) + ".";
        return finding;
    }
    RoleLabel most;
    HeadRef of;
    for (const HeadRoleScores &head : domain.roles->heads) {
        for (const RoleLabel &label : bestLabels(*domain.roles, head)) {
            if (label.role == Role::Positional && label.supported && label.score > most.score) {
                most = label;
                of = head.head;
            }
        }
    }
    if (most.instances == 0)
        return finding.untold("There are too few words.");
    if (shareInterval(most.score, most.instances).high < RoleThresholds().positional)
        finding.verdict = Verdict::DoesNotHold;
    finding.numbers = fmt::format("The most that any head has is {} ({}, {}).", percentText(most.score), toText(of),
                                  labelText(most));
    return finding;
}

Finding syntacticExist(const ReportDomain &domain)
{
    Finding finding{
        "Some heads follow nsubj, obj, amod or advmod, ten points above a fixed offset", domain.name, "voita-table-1",
        "holds if a head finds the partner ten points more often than the best fixed offset, of 50 words or "
        "more; does not hold if the 95 % intervals of the best heads all lie below that."};
    const RolesResult &roles = *domain.roles;
    if (roles.trees == 0)
        return finding.untold("The data set has no dependency trees.");
    const auto heads = headsWith(roles, Role::Syntactic);
    const RoleThresholds thresholds;
    std::string best;
    bool any = false;
    bool allBelow = true;
    for (std::size_t i = 0; i < roles.relations.size(); ++i) {
        const RelationDirection &relation = roles.relations[i];
        const HeadRoleScores *head = bestHeadOf(roles, i);
        if (!head || !thresholds.wants(relation.relation) || relation.instances < thresholds.instances)
            continue;
        any = true;
        allBelow = allBelow
                && shareInterval(accuracyOf(roles, *head, i), relation.instances).high
                       < relation.baseline + thresholds.syntacticMargin;
        best += fmt::format("{}{} {} {} against {}", best.empty() ? "" : "; ", relation.relation,
                            directionText(relation.direction), percentText(accuracyOf(roles, *head, i)),
                            percentText(relation.baseline));
    }
    if (any)
        finding.verdict = verdictOf(!heads.empty(), allBelow);
    finding.numbers = (heads.empty() ? std::string() : listed(heads) + ". ")
                    + (any ? "Best heads: " + best + "." : "None of these relations occurs often enough.");
    return finding;
}

Finding rareWordHead(const ReportDomain &domain)
{
    Finding finding{
        "A head of the first encoder layer points to the rarest words", domain.name, "voita-figure-5",
        "holds if a head has its largest weight on one of the two rarest tokens in half of the cases and three "
        "times as often as by chance; does not hold if the 95 % interval of the head with the most lies below a "
        "half."};
    const RolesResult &roles = *domain.roles;
    const HeadRoleScores *most = nullptr;
    bool holds = false;
    for (const HeadRoleScores &head : roles.heads) {
        if (head.head.kind != HeadKind::Encoder || head.head.layer != 0 || !head.twoRarest
            || head.twoRarest->instances < RoleThresholds().instances)
            continue;
        const auto labels = labelsOf(roles, head);
        holds |= std::ranges::any_of(labels, [](const RoleLabel &label) { return label.role == Role::RareWord; });
        if (!most || head.twoRarest->value() > most->twoRarest->value())
            most = &head;
    }
    if (!most)
        return finding.untold("No sentence has a token that is rare enough.");
    const double wanted = std::max(RoleThresholds().rareWord, kTimesChance * most->twoRarest->expected);
    const bool isBelow = shareInterval(most->twoRarest->value(), most->twoRarest->instances).high < wanted;
    finding.verdict = verdictOf(holds, isBelow);
    finding.numbers = fmt::format(
        "{} has its largest weight on one of the two rarest tokens in {} of the cases (by chance {}), on the "
        "rarest in {}; rarity by {}{}.",
        toText(most->head), percentText(most->twoRarest->value()), percentText(most->twoRarest->expected),
        percentText(most->rarest->value()), roles.rarityFrom, roles.rarityApproximate ? ", which is approximate" : "");
    return finding;
}

} // namespace

std::vector<ReportTable> roleTables(const ReportDomain &domain)
{
    std::vector<ReportTable> tables;
    if (!domain.roles)
        return tables;
    if (domain.roles->trees > 0)
        tables.push_back(relationsTable(domain));
    tables.push_back(headsTable(domain));
    return tables;
}

std::vector<Finding> roleFindings(const ReportDomain &domain)
{
    if (!domain.roles)
        return {};
    return {confidentAreRelevant(domain), positionalExist(domain), syntacticExist(domain), rareWordHead(domain)};
}

} // namespace headscope
