#include "core/train/smoothedloss.h"

#include <torch/torch.h>

namespace headscope {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

constexpr std::int64_t kRowsAtOnce = 256; // their logits fit the processor's cache for vocabularies of some thousand

/// Gradients are made with the values: the backward pass only scales them.
struct FusedLoss : torch::autograd::Function<FusedLoss>
{
    /// Gives {smoothed, cross-entropy} [2].
    static torch::Tensor forward(AutogradContext *context, const torch::Tensor &hidden, const torch::Tensor &weight,
                                 const torch::Tensor &bias, const torch::Tensor &targets, double smoothing)
    {
        const auto type = weight.scalar_type();
        const auto vocabulary = static_cast<double>(weight.size(0));
        const auto input = hidden.to(type);
        auto hiddenGradient = torch::empty_like(input);
        auto weightGradient = torch::zeros(weight.sizes(), weight.options().dtype(torch::kFloat32));
        auto biasGradient = bias.defined() ? torch::zeros_like(bias) : torch::Tensor();
        auto sums = torch::zeros({2}, weight.options().dtype(torch::kFloat64));
        for (std::int64_t begin = 0; begin < input.size(0); begin += kRowsAtOnce) {
            const auto count = std::min(kRowsAtOnce, input.size(0) - begin);
            const auto rows = input.narrow(0, begin, count);
            const auto wanted = targets.narrow(0, begin, count).unsqueeze(1);
            auto scores = torch::linear(rows, weight).to(torch::kFloat32);
            if (bias.defined())
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
            if (bias.defined())
                biasGradient.add_(scores.sum(0));
            const auto gradient = scores.to(type);
            hiddenGradient.narrow(0, begin, count).copy_(torch::matmul(gradient, weight));
            if (type == torch::kFloat32)
                weightGradient.addmm_(gradient.t(), rows);
            else
                weightGradient.add_(torch::matmul(gradient.t(), rows));
        }
        context->saved_data["hidden"] = hiddenGradient.to(hidden.scalar_type());
        context->saved_data["weight"] = weightGradient.to(type);
        context->saved_data["bias"] = biasGradient;
        return sums.to(torch::kFloat32);
    }

    static variable_list backward(AutogradContext *context, const variable_list &gradients)
    {
        const auto factor = gradients[0][0];
        const auto scaled = [&](const char *name) {
            const auto saved = context->saved_data[name].toTensor();
            return saved.defined() ? saved * factor.to(saved.scalar_type()) : Variable();
        };
        return {scaled("hidden"), scaled("weight"), scaled("bias"), Variable(), Variable()};
    }
};

} // namespace

SmoothedLoss plainSmoothedLoss(const torch::Tensor &hidden, const torch::Tensor &weight, const torch::Tensor &bias,
                               const torch::Tensor &targets, double smoothing)
{
    auto logits = torch::linear(hidden.to(weight.scalar_type()), weight).to(torch::kFloat32);
    if (bias.defined())
        logits = logits + bias;
    const auto logProbabilities = torch::log_softmax(logits, -1);
    const auto crossEntropy = -logProbabilities.gather(1, targets.unsqueeze(1)).sum();
    const auto uniform = -logProbabilities.sum() / static_cast<double>(weight.size(0));
    return {crossEntropy * (1 - smoothing) + uniform * smoothing, crossEntropy.item<double>()};
}

SmoothedLoss fusedSmoothedLoss(const torch::Tensor &hidden, const torch::Tensor &weight, const torch::Tensor &bias,
                               const torch::Tensor &targets, double smoothing)
{
    const auto sums = FusedLoss::apply(hidden, weight, bias, targets, smoothing);
    return {sums[0], sums[1].item<double>()};
}

} // namespace headscope
