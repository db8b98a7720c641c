#pragma once

#include "core/model/transformer.h"
#include "core/task/task.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace headscope {

/// Contexts of attention layers by their place, "encoder.2.self.context".
using Contexts = std::map<std::string, torch::Tensor>;

/// Mean context of every head over valid positions, gathered batch by batch.
class ContextMeans
{
public:
    explicit ContextMeans(const HeadLayout &layout) : m_layout(layout) { }

    void add(const ContextBatch &batch);
    /// [H, Dh] each.
    Contexts means(const torch::TensorOptions &options) const;

private:
    const HeadLayout &m_layout;
    Contexts m_sums; ///< [H, Dh], double
    std::map<HeadKind, double> m_counts;
};

/// Throws Failure (usage) where a plan asks for more than its reference set of examples can give: each example is
/// replaced by another one of the set. `evaluated`: the task that the plan is for.
void checkPlan(const ReplacementPlan &plan, const Task &evaluated);

/// The contexts that replace those of all examples alike, [H, Dh] by place; null: the plan has others, or none.
const Contexts *constantContexts(const ReplacementPlan &plan, const Task &evaluated, const JobControl &control);

/// Contexts of the examples that replace the examples `ids` of `evaluated` (resample), under `gates`: [B,
/// H, T, Dh] by place, aligned by position from the left; a shorter replacement is repeated, up to the longest example,
/// or to `longestOutput` where the decoder generates freely. The examples are in a random cyclic order, each replaced
/// by the next, so that none replaces itself.
Contexts replacementContexts(const ReplacementPlan &plan, const Task &evaluated, const std::vector<std::int64_t> &ids,
                             std::int64_t draw, const HeadGates &gates, std::uint64_t seed, std::int64_t longestOutput);

/// The replacement contexts as they are, with the lengths of their examples.
ContextBatch donorContexts(const ReplacementPlan &plan, const Task &evaluated, const std::vector<std::int64_t> &ids,
                           std::int64_t draw, const HeadGates &gates, std::uint64_t seed);

/// Contexts by attention instead of by place.
std::map<std::pair<HeadKind, int>, torch::Tensor> byAttention(const Contexts &contexts, const HeadLayout &layout);

/// Gates of `base` and the variant's mask together: heads of the base are zero, the variant's own heads are replaced as
/// it says, by `contexts` ([H, Dh] or [B, H, T, Dh] by place). Precondition: `contexts` where takesContexts().
HeadGates gatesFor(const Variant &variant, const HeadMask &base, const HeadLayout &layout,
                   const torch::TensorOptions &options, const Contexts *contexts);

} // namespace headscope
