#pragma once

#include <torch/types.h>

namespace headscope {

struct SmoothedLoss
{
    torch::Tensor smoothed;  ///< scalar float32, summed over positions; gradients flow
    double crossEntropy = 0; ///< sum of −log p(target), nats, without smoothing
};

/// Cross-entropy with label smoothing ε (Szegedy et al. 2016): (1−ε)·(−log p(target)) + ε·mean over V of −log p, of
/// p = softmax(hidden·weightᵀ + bias). hidden [N, D], weight [V, D], bias [V] or undefined, targets [N] int64; half:
/// the weight in bf16 where products are to be made in it, or undefined.
SmoothedLoss plainSmoothedLoss(const torch::Tensor &hidden, const torch::Tensor &weight, const torch::Tensor &bias,
                               const torch::Tensor &half, const torch::Tensor &targets, double smoothing);

/// Value and gradients of the smoothed loss without [N, V] intermediate numbers: logits, loss and their gradients are
/// computed for a few hundred positions at a time, in the forward pass.
SmoothedLoss fusedSmoothedLoss(const torch::Tensor &hidden, const torch::Tensor &weight, const torch::Tensor &bias,
                               const torch::Tensor &half, const torch::Tensor &targets, double smoothing);

} // namespace headscope
