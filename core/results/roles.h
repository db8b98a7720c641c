#pragma once

#include "core/base/result.h"
#include "core/results/ablationresult.h"
#include "core/results/rolesresult.h"
#include "core/results/significancerule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Roles from counts: thresholds can be changed without computing anything again.
namespace headscope {

/// In the order in which the first label of a head is chosen.
enum class Role {
    Positional,
    Syntactic,
    RareWord,
    Copy,
    Diagonal,
    Induction,
    SameToken,
    /// It needs keys that are neither among the first nor near the query: without them the score is significantly worse
    /// (DuoAttention: Xiao et al. 2025). Only a sweep with windows tells.
    Retrieval,
    /// Its attention rests on the first keys (Xiao et al. 2024), and a sweep with windows, if there is one, says that
    /// it needs no distant ones.
    Sink,
    Special
};
inline constexpr Role kAllRoles[] = {Role::Positional, Role::Syntactic, Role::RareWord,  Role::Copy, Role::Diagonal,
                                     Role::Induction,  Role::SameToken, Role::Retrieval, Role::Sink, Role::Special};

std::string_view roleName(Role role);          ///< "positional", "syntactic", "rare word", "copy", "diagonal", …
char roleLetter(Role role);                    ///< P S R C D I T V K E
Result<Role> parseRole(std::string_view name); ///< the reverse of roleName()

struct RoleThresholds
{
    double positional = 0.9;      ///< share of the largest weights at one offset
    double syntacticMargin = 0.1; ///< above the best fixed offset, in points of 0 … 1
    double rareWord = 0.5;        ///< largest weight on one of the two rarest tokens; and three times chance
    double pattern = 0.5;         ///< attention mass; and twice what uniform attention gives
    std::int64_t instances = 50;  ///< fewer do not support a label
    /// Relations that make a head syntactic; empty: all. Voita et al.'s four.
    std::vector<std::string> relations{"nsubj", "obj", "amod", "advmod"};

    bool wants(const std::string &relation) const; ///< whether it makes a head syntactic
    bool operator==(const RoleThresholds &) const = default;
};

/// A claim about a head.
struct RoleLabel
{
    Role role = Role::Positional;
    int offset = 0;       ///< positional
    std::string relation; ///< syntactic
    ArcDirection direction = ArcDirection::DependentToHead;
    double score = 0;    ///< 0 … 1
    double expected = 0; ///< without any preference: a fixed offset (syntactic), uniform attention (others)
    std::int64_t instances = 0;
    bool supported = true; ///< instances ≥ thresholds.instances
    // Retrieval: score and expected are of attention to distant keys.
    std::optional<double> delta{};  ///< of the metric, where the head sees a window only
    std::optional<double> deltaP{}; ///< the p that decides

    bool operator==(const RoleLabel &) const = default;
};

/// The role that a pattern's score speaks for; none where offsets say the same.
std::optional<Role> roleOf(Pattern pattern);

/// "offset -1", "nsubj dependent to head", "rarest", "copy": key of RoleEvidence, and what the label says.
std::string claimOf(const RoleLabel &label);
/// "positional −1", "syntactic nsubj dependent→head", "rare word".
std::string labelText(const RoleLabel &label);

/// Whether labels are of several roles.
bool isAmbiguous(const std::vector<RoleLabel> &labels);

struct HeadRoles
{
    HeadRef head;
    std::vector<RoleLabel> labels; ///< that pass; supported ones first, then in the order of Role, then by margin

    /// The role that a grid shows: that of the first supported label.
    const RoleLabel *first() const { return labels.empty() || !labels.front().supported ? nullptr : &labels.front(); }
    std::vector<RoleLabel> supported() const; ///< the labels that have enough instances
    /// Supported labels of several roles.
    bool isAmbiguous() const { return headscope::isAmbiguous(supported()); }
};

/// The evidence that heads need distant keys: a sweep with windows (ablate --replace window), and when its deltas
/// count. It says something only where it is complete, of single heads or key groups, and of the windows that keys were
/// counted by.
struct WindowedSweep
{
    const AblationResult *sweep = nullptr;
    SignificanceRule rule{};
};

/// The claims about one head.
std::vector<RoleLabel> labelsOf(const RolesResult &result, const HeadRoleScores &head,
                                const RoleThresholds &thresholds = {}, const WindowedSweep &windowed = {});
/// In the order of result.heads.
std::vector<HeadRoles> assignRoles(const RolesResult &result, const RoleThresholds &thresholds = {},
                                   const WindowedSweep &windowed = {});

/// How often a head finds the partner in a relation, 0 … 1; 0: no instances. Precondition: the head was asked for it.
double accuracyOf(const RolesResult &result, const HeadRoleScores &head, std::size_t relation);
/// The head of the highest accuracy (Voita et al. 2019, table 1); nullptr: no instances.
const HeadRoleScores *bestHeadOf(const RolesResult &result, std::size_t relation);

/// The best claim for every role that was looked for, whether it passes or not: for tables. Of one head.
std::vector<RoleLabel> bestLabels(const RolesResult &result, const HeadRoleScores &head,
                                  const RoleThresholds &thresholds = {}, const WindowedSweep &windowed = {});
const RoleEvidence *evidenceFor(const HeadRoleScores &head, const RoleLabel &label); ///< nullptr: none was kept

} // namespace headscope
