#pragma once

#include "core/analysis/ablationspec.h"
#include "core/analysis/anyspec.h"
#include "core/analysis/pruningspec.h"
#include "core/base/headref.h"
#include "core/base/phase.h"
#include "core/results/cards.h"

#include <cstdint>
#include <optional>
#include <vector>

/// How much work analyses are that score the model under many masks: before they begin.
namespace headscope {

/// Examples, each counted once for every mask under which it is scored, or every pass.
struct Workload
{
    MaskCost cost = MaskCost::Whole;
    std::int64_t examples = 0;
    bool isPass = false; ///< it gives no scores: passes over padded batches that look into the layers, as confidence's
};

/// The examples that `spec` scores on a data set of so many examples, at most; `other`: examples of the other set, on
/// which an order may be chosen. Empty: it scores under no masks, or nobody knows under how many. Without what it asks
/// other analyses for: see neededFor().
std::vector<Workload> workloadOf(const AnySpec &spec, const HeadLayout &layout, std::int64_t examples,
                                 std::int64_t other);

/// The first heads of the groups that share a key–value head; empty where each head has its own.
HeadLayout keyGroupsOf(const ModelCard &model);
/// Heads, or key groups by their first heads: one of these is what `spec` removes at a time.
HeadLayout unitsOf(const AnySpec &spec, const ModelCard &model);

/// An analysis that runs examples as `work` does and needs no other: a sweep, a curve in a random order, or confidence.
/// Its first examples say how long the work takes; its number of resamples keeps it apart from what somebody asks for.
AnySpec pilotOf(const Workload &work, const RunOptions &run);

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
