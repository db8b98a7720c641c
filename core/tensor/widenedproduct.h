#pragma once

#include <torch/types.h>

namespace headscope {

/// input·weightᵀ + bias by a weight that is stored in a narrower number type than is computed in. It is widened for
/// this product and given back after it, forward and back, so that of a large model only the matrices that are at work
/// are there as a whole; threads that need the same one share it. The numbers are those of a weight that was widened
/// before. input [..., in], bias [out] or undefined, of the input's type; weight [out, in]. Gradients flow to the input
/// alone. Several threads may call it at once.
torch::Tensor widenedLinear(const torch::Tensor &input, const torch::Tensor &weight, const torch::Tensor &bias);

} // namespace headscope
