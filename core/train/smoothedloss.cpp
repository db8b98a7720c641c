#include "core/train/smoothedloss.h"

#include "core/tensor/halfproduct.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdint>

namespace headscope {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

constexpr std::int64_t kRowsAtOnce = 256; // their logits fit the processor's cache for vocabularies of some thousand

/// Keeps a tensor that may be undefined out of autograd's sight, which takes defined ones only.
struct Untracked
{
    torch::Tensor tensor;
};

/// Gradients are made with the values: the backward pass only scales them.
struct FusedLoss : torch::autograd::Function<FusedLoss>
{
    /// Gives {smoothed, cross-entropy} [2].
    static torch::Tensor forward(AutogradContext *context, const torch::Tensor &hidden, const torch::Tensor &weight,
                                 const torch::Tensor &bias, const Untracked &halfWeight, const torch::Tensor &targets,
                                 double smoothing)
    {
        const torch::Tensor &half = halfWeight.tensor;
        const auto vocabulary = static_cast<double>(weight.size(0));
        auto hiddenGradient = torch::empty_like(hidden);
        auto weightGradient = torch::zeros_like(weight);
        auto biasGradient = torch::zeros_like(bias);
        auto sums = torch::zeros({2}, weight.options().dtype(torch::kFloat64));
        for (std::int64_t begin = 0; begin < hidden.size(0); begin += kRowsAtOnce) {
            const auto count = std::min(kRowsAtOnce, hidden.size(0) - begin);
            const auto rows = hidden.narrow(0, begin, count);
            const auto wanted = targets.narrow(0, begin, count).unsqueeze(1);
            const auto halfRows = half.defined() ? paddedHalf(rows) : torch::Tensor();
            auto scores = half.defined() ? halfProduct(halfRows, half.t()).narrow(0, 0, count).to(torch::kFloat32)
                                         : torch::linear(rows, weight);
            scores.add_(bias);
            scores = torch::log_softmax(scores, -1);
            const auto crossEntropy = -scores.gather(1, wanted).sum(torch::kFloat64);
            sums[1] += crossEntropy;
            sums[0] += crossEntropy * (1 - smoothing);
            if (smoothing > 0)
                sums[0] -= scores.sum(torch::kFloat64) * (smoothing / vocabulary);
            // dL/dscore = p − (1−ε)·[target] − ε/V
            scores.exp_();
            if (smoothing > 0)
                scores.sub_(smoothing / vocabulary);
            scores.scatter_add_(1, wanted, torch::full_like(wanted, smoothing - 1, scores.options()));
            biasGradient.add_(scores.sum(0));
            if (half.defined()) {
                const auto gradient = paddedHalf(scores);
                hiddenGradient.narrow(0, begin, count).copy_(halfProduct(gradient, half).narrow(0, 0, count));
                weightGradient.add_(halfProduct(gradient.t(), halfRows));
            } else {
                hiddenGradient.narrow(0, begin, count).copy_(torch::matmul(scores, weight));
                weightGradient.addmm_(scores.t(), rows);
            }
        }
        context->saved_data["hidden"] = hiddenGradient;
        context->saved_data["weight"] = weightGradient;
        context->saved_data["bias"] = biasGradient;
        return sums.to(torch::kFloat32);
    }

    static variable_list backward(AutogradContext *context, const variable_list &gradients)
    {
        const auto factor = gradients[0][0];
        const auto scaled = [&](const char *name) { return context->saved_data[name].toTensor() * factor; };
        return {scaled("hidden"), scaled("weight"), scaled("bias"), Variable(), Variable(), Variable()};
    }
};

} // namespace

SmoothedLoss plainSmoothedLoss(const torch::Tensor &hidden, const torch::Tensor &weight, const torch::Tensor &bias,
                               const torch::Tensor &half, const torch::Tensor &targets, double smoothing)
{
    auto logits = half.defined() ? halfLinear(hidden, weight, {}, half) : torch::linear(hidden, weight);
    if (bias.defined())
        logits = logits + bias;
    const auto logProbabilities = torch::log_softmax(logits, -1);
    const auto crossEntropy = -logProbabilities.gather(1, targets.unsqueeze(1)).sum();
    const auto uniform = -logProbabilities.sum() / static_cast<double>(weight.size(0));
    return {crossEntropy * (1 - smoothing) + uniform * smoothing, crossEntropy.item<double>()};
}

SmoothedLoss fusedSmoothedLoss(const torch::Tensor &hidden, const torch::Tensor &weight, const torch::Tensor &bias,
                               const torch::Tensor &half, const torch::Tensor &targets, double smoothing)
{
    const auto shift = bias.defined() ? bias : torch::zeros({weight.size(0)}, weight.options());
    const auto sums = FusedLoss::apply(hidden, weight, shift, Untracked{half}, targets, smoothing);
    return {sums[0], sums[1].item<double>()};
}

} // namespace headscope
