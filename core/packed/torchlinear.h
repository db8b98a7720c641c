#pragma once

#include "core/model/weights.h"
#include "core/packed/linear.h"

#include <torch/types.h>

namespace headscope {

/// y = x·Wᵀ + b by LibTorch, on any device: PackedLinear's counterpart. Exact products are made in the model's own
/// type. For Split and Half, of a model in float32, factors are bfloat16 numbers laid out once, added up in float32;
/// what Half gives may be rounded to bfloat16 for a product that follows. Threads may share it.
class TorchLinear
{
public:
    TorchLinear() = default;
    TorchLinear(const Linear &linear, Products products);

    /// Whether this device computes products of this kind with their promised precision: a GPU needs LibTorch 2.8 for
    /// Split.
    static bool canMake(Products products, const torch::TensorOptions &model);

    /// rows [R, in] → [R, out] in the model's type.
    torch::Tensor operator()(const torch::Tensor &rows) const;
    /// rows [R, in] → [R, out]; for Half in bfloat16.
    torch::Tensor forProducts(const torch::Tensor &rows) const;

private:
    torch::Tensor factorsOf(const torch::Tensor &rows) const;

    Linear m_linear;
    Products m_products = Products::Exact;
    torch::Tensor m_factors;  ///< [out, in] (Half) or [out, 3·in] (Split), bf16
    torch::Tensor m_halfBias; ///< [out], bf16; undefined: none, or not Half
};

} // namespace headscope
