#pragma once

#include "core/model/transformer.h"
#include "core/task/task.h"

namespace headscope {

/// Contexts of attention layers by their place, "encoder.2.self.context".
using Contexts = std::map<std::string, torch::Tensor>;

/// Mean context of every head over valid positions, gathered batch by batch.
class ContextMeans
{
public:
    explicit ContextMeans(const HeadLayout &layout) : m_layout(layout) {}

    /// valid: [B, T] bool per kind of attention, which queries count.
    void add(const Recorder &recorder, const std::map<HeadKind, torch::Tensor> &valid);
    /// [H, Dh] each.
    Contexts means(const torch::TensorOptions &options) const;

private:
    const HeadLayout &m_layout;
    Contexts m_sums; ///< [H, Dh], double
    std::map<HeadKind, double> m_counts;
};

/// Where replaced contexts come from (METHODS 7.1).
struct ReplacementSource
{
    const Contexts &contexts; ///< mean: [H, Dh]; resample: those of the batch's base run, [B, H, T, Dh]
    std::map<HeadKind, std::vector<std::int64_t>> lengths{}; ///< resample: valid positions per row
    std::uint64_t seed = 0;
};

/// Gates of `base` and the variant's mask together: heads of the base are zero, the variant's own heads are replaced as it
/// says. Precondition: `source` unless the replacement is Zero.
HeadGates gatesFor(const Variant &variant, const HeadMask &base, const HeadLayout &layout,
                   const torch::TensorOptions &options, const ReplacementSource *source);

} // namespace headscope
