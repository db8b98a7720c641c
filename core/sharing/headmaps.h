#pragma once

#include "core/model/spec.h"
#include "core/model/weights.h"

#include <torch/types.h>

#include <cstdint>

namespace headscope {

/// The maps that the scores of an attention's heads are made with, biases apart: score_h(x, y) = (query_h x) · (key_h
/// y). In float64 on the processor. With query_hᵀ key_h as its slices, it is the tensor T [D, H, D] of Cordonnier et
/// al. 2020 in factors.
struct HeadMaps
{
    torch::Tensor query; ///< [H, d, D]
    torch::Tensor key;   ///< [H, d, D]

    std::int64_t heads() const { return query.size(0); }
    std::int64_t headWidth() const { return query.size(1); }
    std::int64_t width() const { return query.size(2); }
};

/// Maps of heads with projections of their own, d = Dh, or with shared ones, d = D̃_k. Precondition: it has heads.
HeadMaps headMaps(const AttentionSpec &attention, const AttentionWeights &weights);

/// Σ_h ‖T_h‖².
double squaredNorm(const HeadMaps &maps);

} // namespace headscope
