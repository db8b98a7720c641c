#include "core/results/roles.h"

#include "core/base/better.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

namespace headscope {
namespace {

constexpr double kTimesChanceOfRare = 3;
constexpr double kTimesChanceOfPattern = 2;

/// A label, and by how much it passes; nothing to say: no instances.
struct Candidate
{
    RoleLabel label;
    double margin = 0; ///< ≥ 0 passes
};

void addPositional(const HeadRoleScores &head, const RoleThresholds &thresholds, std::vector<Candidate> &candidates)
{
    Candidate best;
    bool found = false;
    for (int offset = -kLargestOffset; offset <= kLargestOffset; ++offset) {
        const Share &share = head.offsets.at(offset);
        if (share.instances == 0)
            continue;
        // Offsets that few queries can have do not beat one that most have.
        const bool enough = share.instances >= thresholds.instances;
        const bool better
            = !found || std::pair(enough, share.value()) > std::pair(best.label.supported, best.label.score);
        if (!better)
            continue;
        found = true;
        best.label = {.role = Role::Positional,
                      .offset = offset,
                      .relation = {},
                      .score = share.value(),
                      .expected = share.expected,
                      .instances = share.instances,
                      .supported = enough};
        best.margin = share.value() - thresholds.positional;
    }
    // Offsets of cross-attention are from the diagonal: what follows it is called so.
    if (found && head.head.kind != HeadKind::Cross)
        candidates.push_back(best);
}

void addSyntactic(const RolesResult &result, const HeadRoleScores &head, const RoleThresholds &thresholds,
                  std::vector<Candidate> &candidates)
{
    for (std::size_t i = 0; i < head.relationHits.size() && i < result.relations.size(); ++i) {
        const RelationDirection &relation = result.relations[i];
        if (relation.instances == 0 || !thresholds.wants(relation.relation))
            continue;
        const double share = accuracyOf(result, head, i);
        candidates.push_back({{.role = Role::Syntactic,
                               .relation = relation.relation,
                               .direction = relation.direction,
                               .score = share,
                               .expected = relation.baseline,
                               .instances = relation.instances,
                               .supported = relation.instances >= thresholds.instances},
                              share - relation.baseline - thresholds.syntacticMargin});
    }
}

void addRareWord(const HeadRoleScores &head, const RoleThresholds &thresholds, std::vector<Candidate> &candidates)
{
    if (!head.twoRarest || head.twoRarest->instances == 0)
        return;
    const Share &share = *head.twoRarest;
    candidates.push_back({{.role = Role::RareWord,
                           .relation = {},
                           .score = share.value(),
                           .expected = share.expected,
                           .instances = share.instances,
                           .supported = share.instances >= thresholds.instances},
                          share.value() - std::max(thresholds.rareWord, kTimesChanceOfRare * share.expected)});
}

/// The sweep's line for a head; nullptr: nothing.
const HeadAblation *windowedEntry(const RolesResult &result, const HeadRef &head, const WindowedSweep &windowed)
{
    const AblationResult *sweep = windowed.sweep;
    if (!sweep || sweep->manifest.partial || sweep->allButOne || sweep->window == 0 || sweep->window != result.window
        || sweep->sinks != result.sinks)
        return nullptr;
    const auto found = std::ranges::find_if(sweep->heads, [&](const HeadAblation &one) {
        return one.head == head || std::ranges::find(one.together, head) != one.together.end();
    });
    return found == sweep->heads.end() ? nullptr : &*found;
}

/// Whether a head is missed that sees its window only.
bool needsDistantKeys(const HeadAblation &head, const WindowedSweep &windowed)
{
    return windowed.rule.holds(head) && isWorse(windowed.sweep->baseline.better, head.delta);
}

/// Attention to distant keys, of a head that needs them.
void addRetrieval(const PatternScore &distant, const HeadAblation *entry, const WindowedSweep &windowed,
                  const RoleThresholds &thresholds, std::vector<Candidate> &candidates)
{
    if (!entry || distant.queries == 0)
        return;
    const auto p = windowed.rule.deciding(entry->p, entry->pAdjusted, entry->discoveryP);
    candidates.push_back({{.role = Role::Retrieval,
                           .relation = {},
                           .score = distant.mass,
                           .expected = distant.expected,
                           .instances = distant.queries,
                           .supported = distant.queries >= thresholds.instances,
                           .delta = entry->delta,
                           .deltaP = p},
                          needsDistantKeys(*entry, windowed) ? windowed.rule.level - p.value_or(1) : -1});
}

void addPatterns(const RolesResult &result, const HeadRoleScores &head, const RoleThresholds &thresholds,
                 const WindowedSweep &windowed, std::vector<Candidate> &candidates)
{
    const HeadAblation *entry = windowedEntry(result, head.head, windowed);
    for (const PatternScore &score : head.patterns) {
        if (score.pattern == Pattern::Distant)
            addRetrieval(score, entry, windowed, thresholds, candidates);
        const auto role = roleOf(score.pattern);
        if (!role || role == Role::Retrieval || score.queries == 0)
            continue;
        if (role == Role::Sink && entry && needsDistantKeys(*entry, windowed))
            continue;
        const double chance = std::min(1.0, kTimesChanceOfPattern * score.expected);
        candidates.push_back({{.role = *role,
                               .relation = {},
                               .score = score.mass,
                               .expected = score.expected,
                               .instances = score.queries,
                               .supported = score.queries >= thresholds.instances},
                              score.mass - std::max(thresholds.pattern, chance)});
    }
}

std::vector<Candidate> candidatesOf(const RolesResult &result, const HeadRoleScores &head,
                                    const RoleThresholds &thresholds, const WindowedSweep &windowed)
{
    std::vector<Candidate> candidates;
    addPositional(head, thresholds, candidates);
    addSyntactic(result, head, thresholds, candidates);
    addRareWord(head, thresholds, candidates);
    addPatterns(result, head, thresholds, windowed, candidates);
    std::ranges::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
        return std::tuple(!a.label.supported, a.label.role, -a.margin)
             < std::tuple(!b.label.supported, b.label.role, -b.margin);
    });
    return candidates;
}

} // namespace

std::optional<Role> roleOf(Pattern pattern)
{
    switch (pattern) {
    case Pattern::Copy:
        return Role::Copy;
    case Pattern::Diagonal:
        return Role::Diagonal;
    case Pattern::Induction:
        return Role::Induction;
    case Pattern::SameToken:
        return Role::SameToken;
    case Pattern::Special:
        return Role::Special;
    case Pattern::FirstKeys:
        return Role::Sink;
    case Pattern::Distant:
        return Role::Retrieval;
    case Pattern::Previous:
    case Pattern::Next:
    case Pattern::Current:
        break; // offsets say the same by their largest weights
    }
    return {};
}

std::string_view roleName(Role role)
{
    constexpr std::array<std::string_view, 10> kNames{"positional", "syntactic",  "rare word", "copy", "diagonal",
                                                      "induction",  "same token", "retrieval", "sink", "separator"};
    return kNames[static_cast<std::size_t>(role)];
}

Result<Role> parseRole(std::string_view name)
{
    const auto *found = std::ranges::find(kAllRoles, name, roleName);
    if (found == std::end(kAllRoles))
        return badInput("\"" + std::string(name) + "\" is no role.");
    return *found;
}

char roleLetter(Role role)
{
    return "PSRCDITVKE"[static_cast<std::size_t>(role)];
}

std::string claimOf(const RoleLabel &label)
{
    if (label.role == Role::Positional)
        return "offset " + std::to_string(label.offset);
    if (label.role == Role::Syntactic)
        return label.relation
             + (label.direction == ArcDirection::DependentToHead ? " dependent to head" : " head to dependent");
    return std::string(roleName(label.role));
}

std::string labelText(const RoleLabel &label)
{
    std::string text(roleName(label.role));
    if (label.role == Role::Positional)
        text += label.offset < 0 ? " \u2212" + std::to_string(-label.offset)
              : label.offset > 0 ? " +" + std::to_string(label.offset)
                                 : " 0";
    if (label.role == Role::Syntactic)
        text += " " + label.relation
              + (label.direction == ArcDirection::DependentToHead ? " dependent\u2192head" : " head\u2192dependent");
    return text;
}

bool RoleThresholds::wants(const std::string &relation) const
{
    return relations.empty() || std::ranges::find(relations, relation) != relations.end();
}

bool isAmbiguous(const std::vector<RoleLabel> &labels)
{
    return std::ranges::any_of(labels, [&](const RoleLabel &label) { return label.role != labels.front().role; });
}

std::vector<RoleLabel> HeadRoles::supported() const
{
    std::vector<RoleLabel> supported;
    std::ranges::copy_if(labels, std::back_inserter(supported), &RoleLabel::supported);
    return supported;
}

double accuracyOf(const RolesResult &result, const HeadRoleScores &head, std::size_t relation)
{
    return Share{head.relationHits[relation], result.relations[relation].instances, 0}.value();
}

std::vector<RoleLabel> labelsOf(const RolesResult &result, const HeadRoleScores &head, const RoleThresholds &thresholds,
                                const WindowedSweep &windowed)
{
    std::vector<RoleLabel> labels;
    for (Candidate &candidate : candidatesOf(result, head, thresholds, windowed)) {
        if (candidate.margin >= 0)
            labels.push_back(std::move(candidate.label));
    }
    return labels;
}

std::vector<HeadRoles> assignRoles(const RolesResult &result, const RoleThresholds &thresholds,
                                   const WindowedSweep &windowed)
{
    std::vector<HeadRoles> roles;
    roles.reserve(result.heads.size());
    for (const HeadRoleScores &head : result.heads)
        roles.push_back({head.head, labelsOf(result, head, thresholds, windowed)});
    return roles;
}

const HeadRoleScores *bestHeadOf(const RolesResult &result, std::size_t relation)
{
    const HeadRoleScores *best = nullptr;
    if (result.relations[relation].instances == 0)
        return best;
    for (const HeadRoleScores &head : result.heads) {
        if (relation < head.relationHits.size()
            && (!best || head.relationHits[relation] > best->relationHits[relation]))
            best = &head;
    }
    return best;
}

std::vector<RoleLabel> bestLabels(const RolesResult &result, const HeadRoleScores &head,
                                  const RoleThresholds &thresholds, const WindowedSweep &windowed)
{
    std::vector<RoleLabel> best;
    for (Candidate &candidate : candidatesOf(result, head, thresholds, windowed)) { // a role's best before its others
        if (std::ranges::none_of(best, [&](const RoleLabel &label) { return label.role == candidate.label.role; }))
            best.push_back(std::move(candidate.label));
    }
    std::ranges::stable_sort(best, {}, &RoleLabel::role);
    return best;
}

const RoleEvidence *evidenceFor(const HeadRoleScores &head, const RoleLabel &label)
{
    const auto found = std::ranges::find(head.evidence, claimOf(label), &RoleEvidence::claim);
    return found == head.evidence.end() ? nullptr : &*found;
}

} // namespace headscope
