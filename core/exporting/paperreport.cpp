#include "core/exporting/paperreport.h"

#include "core/exporting/clarkfindings.h"
#include "core/exporting/csv.h"
#include "core/exporting/figurecsv.h"
#include "core/exporting/numbers.h"
#include "core/exporting/verdictrules.h"
#include "core/metrics/correlation.h"
#include "core/results/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace headscope {
namespace {

constexpr double kThird = 1.0 / 3; ///< of the dimensions
constexpr double kFullRank = 0.9;  ///< of a head's own dimensions, that one of full rank needs for 99 %
constexpr double kMoreLeft = 0.05; ///< of the score: a difference that counts
constexpr int kFarthestColumn = 5; ///< offsets that a table shows one by one

const EnergyCurve *productOf(const std::vector<EnergyCurve> &curves)
{
    const auto found = std::ranges::find(curves, EnergyMatrix::Product, &EnergyCurve::matrix);
    return found == curves.end() ? nullptr : &*found;
}

/// The mean share of a head's own dimensions with 99 % of the energy of its product, over the heads of `layer`, or all;
/// none: no head has a curve.
std::optional<double> ownShare99(const EnergyResult &energy, const LayerEnergy *layer = nullptr)
{
    double sum = 0;
    std::int64_t count = 0;
    for (const HeadEnergy &head : energy.heads) {
        const EnergyCurve *own = productOf(head.curves);
        if ((layer && (head.head.kind != layer->kind || head.head.layer != layer->layer)) || !own
            || own->energy.empty())
            continue;
        sum += static_cast<double>(own->for99) / static_cast<double>(own->energy.size());
        ++count;
    }
    return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

std::string shareOrDash(const std::optional<double> &share)
{
    return share ? percentText(*share) : "–";
}

ReportTable surfaceTable(const ReportDomain &domain)
{
    const SimilarityResult &similarity = *domain.similarity;
    ReportTable table = tableOf(domain, "attention", "Attention of every head (Clark et al. 2019, Figures 2 and 4)");
    table.note
        = fmt::format("Mean attention over the tokens of {} examples that have such a key, and entropy in nats; –: no "
                      "token has one.",
                      similarity.examples);
    TextTable rows{"mean attention of a token",
                   {"head", "previous", "next", "itself", "first token", "delimiters", "delimiters of delimiters",
                    "punctuation", "entropy", "of the first token"},
                   {}};
    for (const HeadSurface &head : similarity.heads)
        rows.rows.push_back({toText(head.head), shareOrDash(head.previous), shareOrDash(head.next),
                             shareOrDash(head.self), shareOrDash(head.first), shareOrDash(head.delimiter),
                             shareOrDash(head.delimiterToDelimiter), shareOrDash(head.punctuation),
                             fixedText(head.entropy, 2), head.firstEntropy ? fixedText(*head.firstEntropy, 2) : "–"});
    table.parts = {rows};
    table.csv = toCsv(similarity);
    table.isLong = true;
    return table;
}

ReportTable gradientsTable(const ReportDomain &domain)
{
    const AttentionGradientsResult &gradients = *domain.gradients;
    ReportTable table = tableOf(domain, "gradients", "Gradient of the loss by attention (Clark et al. 2019, Figure 3)");
    table.note
        = fmt::format("Absolute derivative of the loss by one attention weight, by the class of its key; means over "
                      "the heads of a layer and {} examples, times 1000.",
                      gradients.examples);
    TextTable rows{"1000 |dL/da|", {"layer"}, {}};
    for (const std::string_view name : EnumNames<KeyClass>::values)
        rows.columns.emplace_back(name);
    std::map<std::pair<HeadKind, int>, std::vector<std::string>> lines;
    for (const LayerKeyGradient &layer : layerMeans(gradients)) {
        auto &line = lines[{layer.kind, layer.layer}];
        line.resize(kKeyClasses, "–");
        line[static_cast<std::size_t>(layer.mean.keys)] = fixedText(1000 * layer.mean.gradient, 3);
    }
    for (const auto &[key, cells] : lines) {
        rows.rows.push_back({fmt::format("{} {}", headKindName(key.first), key.second)});
        std::ranges::copy(cells, std::back_inserter(rows.rows.back()));
    }
    table.parts = {rows};
    table.csv = layerGradientsCsv(gradients);
    return table;
}

/// Rows of the tables: relations that can make a head syntactic, of which there are enough words.
std::vector<std::size_t> shownRelations(const RolesResult &roles)
{
    const RoleThresholds thresholds;
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < roles.relations.size(); ++i) {
        if (thresholds.wants(roles.relations[i].relation) && roles.relations[i].instances >= thresholds.instances)
            shown.push_back(i);
    }
    return shown;
}

ReportTable offsetsTable(const ReportDomain &domain)
{
    const RolesResult &roles = *domain.roles;
    ReportTable table = tableOf(domain, "offsets", "Where partners of words lie (Voita et al. 2019, Figure 3)");
    table.note = fmt::format("Share of the words with a partner so many words away, of {} sentences. All relations and "
                             "offsets are in the CSV.",
                             roles.trees);
    TextTable rows{"offset of the partner, in words", {"relation"}, {}};
    for (int offset = -kFarthestColumn; offset <= kFarthestColumn; ++offset) {
        if (offset != 0)
            rows.columns.push_back((offset < 0 ? "−" : "+") + std::to_string(std::abs(offset)));
    }
    rows.columns.emplace_back("farther");
    for (const std::size_t i : shownRelations(roles)) {
        const RelationDirection &relation = roles.relations[i];
        const auto shareOf = [&](std::int64_t count) {
            return percentText(static_cast<double>(count) / static_cast<double>(relation.instances));
        };
        std::vector<std::string> row{relation.relation + ", " + directionText(relation.direction)};
        std::int64_t farther = 0;
        std::map<int, std::int64_t> counts;
        for (const RelationOffset &at : relation.offsets) {
            counts[at.offset] = at.count;
            farther += std::abs(at.offset) > kFarthestColumn ? at.count : 0;
        }
        for (int offset = -kFarthestColumn; offset <= kFarthestColumn; ++offset) {
            if (offset != 0)
                row.push_back(shareOf(counts[offset]));
        }
        row.push_back(shareOf(farther));
        rows.rows.push_back(std::move(row));
    }
    table.parts = {rows};
    table.csv = relationOffsetsCsv(roles);
    return table;
}

ReportTable relationHeadsTable(const ReportDomain &domain)
{
    const RolesResult &roles = *domain.roles;
    ReportTable table
        = tableOf(domain, "relation-heads", "How often every head finds the partner (Voita et al. 2019, Figure 4)");
    table.note = "Share of the words whose partner has the largest weight; the first line is the best fixed offset.";
    TextTable rows{"accuracy", {"head"}, {}};
    const std::vector<std::size_t> shown = shownRelations(roles);
    std::vector<std::string> baseline{"fixed offset"};
    for (const std::size_t i : shown) {
        rows.columns.push_back(roles.relations[i].relation + ", " + directionText(roles.relations[i].direction));
        baseline.push_back(percentText(roles.relations[i].baseline));
    }
    rows.rows.push_back(std::move(baseline));
    for (const HeadRoleScores &head : roles.heads) {
        if (head.relationHits.size() < roles.relations.size())
            continue;
        std::vector<std::string> row{toText(head.head)};
        for (const std::size_t i : shown)
            row.push_back(percentText(accuracyOf(roles, head, i)));
        rows.rows.push_back(std::move(row));
    }
    table.parts = {rows};
    table.csv = relationHeadsCsv(roles);
    table.isLong = true;
    return table;
}

ReportTable contributionsTable(const ReportDomain &domain)
{
    const RelevanceResult &relevance = *domain.relevance;
    ReportTable table = tableOf(domain, "contributions", "Contributions of source and prefix (Voita et al. 2021)");
    table.note
        = fmt::format("Shares of relevance by target position, and the entropy in nats of how they are spread over "
                      "tokens; {} examples.",
                      relevance.examples);
    TextTable rows{
        "by position", {"position", "examples", "source", "prefix", "entropy over source", "entropy over prefix"}, {}};
    for (const ContributionPoint &point : relevance.contributions)
        rows.rows.push_back({std::to_string(point.position), std::to_string(point.examples),
                             percentText(point.source, 1), percentText(1 - point.source, 1),
                             fixedText(point.sourceEntropy, 2), fixedText(point.prefixEntropy, 2)});
    table.parts = {rows};
    table.csv = contributionsCsv(relevance);
    return table;
}

Finding sourceShare(const ReportDomain &domain)
{
    Finding finding{
        "The source contributes less the longer the prefix is", domain.name, "voita-2021",
        "holds if Spearman's rank correlation of position and share is below 0 with p < 0.05, does not hold if "
        "above 0 with p < 0.05."};
    std::vector<double> positions;
    std::vector<double> shares;
    for (const ContributionPoint &point : domain.relevance->contributions) {
        if (point.position == 0 || 2 * point.examples < domain.relevance->contributions.front().examples)
            continue; // the first has no prefix; later ones are of a few long sentences
        positions.push_back(static_cast<double>(point.position));
        shares.push_back(point.source);
    }
    if (positions.size() < 3)
        return finding.untold("Translations are too short.");
    const Correlation rho = spearmanCorrelation(positions, shares);
    const bool isSignificant = rho.p < kSignificanceLevel;
    finding.verdict = verdictOf(isSignificant && rho.value < 0, isSignificant && rho.value > 0);
    finding.numbers
        = fmt::format("Its share goes from {} at the second position to {} at position {} (ρ = {} over positions "
                      "that half of the sentences have).",
                      percentText(shares.front(), 1), percentText(shares.back(), 1),
                      static_cast<std::int64_t>(positions.back()) + 1, fixedText(rho.value, 2));
    return finding;
}

} // namespace

std::vector<ReportTable> paperTables(const ReportDomain &domain)
{
    std::vector<ReportTable> tables;
    if (domain.roles && domain.roles->trees > 0) {
        tables.push_back(offsetsTable(domain));
        tables.push_back(relationHeadsTable(domain));
    }
    if (domain.similarity)
        tables.push_back(surfaceTable(domain));
    if (domain.gradients)
        tables.push_back(gradientsTable(domain));
    if (domain.relevance && !domain.relevance->contributions.empty())
        tables.push_back(contributionsTable(domain));
    return tables;
}

std::vector<Finding> paperFindings(const ReportDomain &domain)
{
    std::vector<Finding> findings = clarkFindings(domain);
    if (domain.relevance && !domain.relevance->contributions.empty())
        findings.push_back(sourceShare(domain));
    return findings;
}

ReportTable energyTable(const EnergyResult &energy)
{
    ReportTable table;
    table.file = "energy";
    table.title = "Dimensions that queries and keys use (Cordonnier et al. 2020, Figure 1)";
    table.note
        = "Share of an attention's dimensions with 90, 95 and 99 % of the energy of the product of all its query and "
          "key projections, with 99 % for normal numbers in the same shapes, and the mean share with 99 % of its "
          "heads, each of its own dimensions.";
    TextTable rows{
        "share of dimensions", {"attention", "dimensions", "90 %", "95 %", "99 %", "random 99 %", "heads 99 %"}, {}};
    for (const LayerEnergy &layer : energy.layers) {
        const EnergyCurve *product = productOf(layer.curves);
        const EnergyCurve *random = productOf(layer.random);
        if (!product || !random)
            continue;
        const auto share = [&](std::int64_t count) {
            return percentText(static_cast<double>(count)
                               / static_cast<double>(std::max<std::int64_t>(1, layer.dimensions)));
        };
        rows.rows.push_back({fmt::format("{} {}", headKindName(layer.kind), layer.layer),
                             std::to_string(layer.dimensions), share(product->for90), share(product->for95),
                             share(product->for99), share(random->for99), shareOrDash(ownShare99(energy, &layer))});
    }
    table.parts = {rows};
    table.csv = energyCurvesCsv(energy);
    return table;
}

Finding energyFinding(const EnergyResult &energy)
{
    Finding finding{
        "Heads by themselves have full rank, all of an attention together need a third of their query and key "
        "dimensions for almost all of the energy of their product",
        {},
        "cordonnier-figure-1",
        "holds if all heads together need at most a third of the dimensions for 95 %, and single heads at least "
        "90 % of their own for 99 %; does not hold if together they need more than a third even for 90 %, or "
        "single heads less than half of their own."};
    const std::optional<double> own = ownShare99(energy);
    const bool needMore = energy.share90 > kThird || (own && *own < 0.5);
    finding.verdict = verdictOf(!needMore && energy.share95 <= kThird && own && *own >= kFullRank, needMore);
    finding.numbers
        = fmt::format("Together they need {} for 90 %, {} for 95 %, {} for 99 %, mean over attentions (normal "
                      "numbers in the same shapes {} for 99 %); single heads {} of their own for 99 %.",
                      percentText(energy.share90), percentText(energy.share95), percentText(energy.share99),
                      percentText(energy.random99), shareOrDash(own));
    return finding;
}

Finding trainingFinding(const DynamicsResult &dynamics)
{
    Finding finding{
        "Heads become redundant early in training: with 40 % removed, checkpoints of the later half of training "
        "keep more of their score than the first",
        {},
        "michel-figure-5",
        "by the share of the checkpoint's own score that is left: holds if it is more by over 5 points of 100, does not hold "
        "if it is less by as much."};
    constexpr double kRemoved = 0.4;
    std::vector<std::pair<std::string, double>> left;
    for (const DynamicsCheckpoint &checkpoint : dynamics.checkpoints) {
        const DynamicsPoint *nearest = nullptr;
        for (const DynamicsPoint &point : checkpoint.curve) {
            if (!nearest || std::abs(point.fraction - kRemoved) < std::abs(nearest->fraction - kRemoved))
                nearest = &point;
        }
        if (nearest && nearest->relative)
            left.emplace_back(checkpoint.name, *nearest->relative);
    }
    if (left.size() < 2)
        return finding.untold("There are too few checkpoints with a score.");
    double later = 0;
    const std::size_t half = left.size() / 2;
    for (std::size_t i = half; i < left.size(); ++i)
        later += left[i].second / static_cast<double>(left.size() - half);
    // The first score of a run is small, and may be kept by chance.
    const double more = later - left.front().second;
    if (std::abs(more) > kMoreLeft)
        finding.verdict = more > 0 ? Verdict::Holds : Verdict::DoesNotHold;
    finding.numbers
        = fmt::format("{} keeps {} of its {}, the later half of the checkpoints {} (mean of {}).", left.front().first,
                      percentText(left.front().second), dynamics.metric, percentText(later), left.size() - half);
    return finding;
}

} // namespace headscope
