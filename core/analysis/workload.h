#pragma once

#include "core/analysis/analyses.h"
#include "core/base/headref.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// How much work analyses are that score the model under many masks: before they begin.
namespace headscope {

// Phases of progress that count examples (each under each mask).
inline constexpr const char *kPhaseScore = "evaluating";
inline constexpr const char *kPhaseAblating = "ablating heads";
inline constexpr const char *kPhaseAllButOne = "keeping one head a layer";
inline constexpr const char *kPhasePruning = "pruning";
inline constexpr const char *kPhaseChoosing = "choosing head "; ///< and its number
inline constexpr const char *kPhaseStep = "measuring a step";
inline constexpr const char *kPhaseConstants = "fitting constants"; ///< counts steps
inline constexpr const char *kPhaseMasks = "measuring masks";

/// What an example costs under a mask depends on how early the masked model differs from the whole one.
enum class MaskCost {
    Whole,     ///< a score by itself
    OneHead,   ///< a head, or all but one of a layer: all in front of it is shared with the whole model
    ManyHeads, ///< heads of many layers
};
/// Of a phase of progress; nothing: it does not count examples under masks.
std::optional<MaskCost> maskCostOf(std::string_view phase);

/// Examples, each counted once for every mask under which it is scored, or every pass.
struct Workload
{
    MaskCost cost = MaskCost::Whole;
    std::int64_t examples = 0;
    bool isPass = false; ///< it gives no scores: passes over padded batches that look into the layers, as confidence's
};

/// What `spec` scores on a data set of so many examples, at most; `other`: examples of the other set, on which an order
/// may be chosen. Empty: it scores under no masks, or nobody knows under how many. Without what it asks other analyses
/// for: see neededFor().
std::vector<Workload> workloadOf(const AnySpec &spec, const HeadLayout &layout, std::int64_t examples,
                                 std::int64_t other);

/// The sweep that the order `ablation` goes by.
inline AblationSpec sweepOf(const PruningSpec &spec)
{
    return {.run = spec.run, .mask = {}, .by = spec.by, .resamples = spec.resamples, .rescale = spec.rescale};
}

/// The sweep that a pruning order is taken from, and whether it is one of the other data set.
struct NeededSweep
{
    AblationSpec spec;
    bool ofOther = false;
};
std::optional<NeededSweep> neededFor(const AnySpec &spec);

} // namespace headscope
