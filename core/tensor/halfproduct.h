#pragma once

#include <torch/types.h>

namespace headscope {

/// input·weightᵀ + bias with the product in bf16 and everything else in float32, as under autocast, forward and back.
/// input [..., in], weight [out, in] and bias [out] (or undefined) float32, which gradients flow to; half: the weight
/// in bf16. Several threads may call it at once.
torch::Tensor halfLinear(const torch::Tensor &input, const torch::Tensor &weight, const torch::Tensor &bias,
                         const torch::Tensor &half);

/// A copy in bf16 of rows [N, D] with rows of zeros up to the next multiple that kernels are made for.
torch::Tensor paddedHalf(const torch::Tensor &rows);

/// a [M, K] · b [K, N], both bf16 → bf16.
torch::Tensor halfProduct(const torch::Tensor &a, const torch::Tensor &b);

} // namespace headscope
