#include "core/relevance/gradientrules.h"

#include "core/model/transformer.h"

#include <torch/types.h>

namespace headscope {

torch::Tensor GradientRule::linear(const torch::Tensor &, const Linear &weights, const torch::Tensor &message) const
{
    return torch::matmul(message, weights.weight);
}

torch::Tensor GradientRule::norm(const torch::Tensor &x, const Norm &weights, const NormSpec &spec,
                                 const torch::Tensor &message) const
{
    return normCentred(message * weights.weight * normInverse(x, spec), spec); // the mean's matrix is its own transpose
}

torch::Tensor GradientRule::activation(const torch::Tensor &x, Activation which, const torch::Tensor &message) const
{
    // f(0)/0 is the slope at 0; of ReLU, where there is none, that from the left.
    const double tiny = x.scalar_type() == torch::kFloat64 ? 1e-12 : 1e-6;
    const auto there = x.masked_fill(x.abs() < tiny, -tiny);
    return message * (activate(there, which) / there);
}

torch::Tensor GradientRule::shrinking(const torch::Tensor &factor, const torch::Tensor &message) const
{
    return message * factor;
}

AttentionMessages GradientRule::attention(const AttentionCore &core, const torch::Tensor &message) const
{
    AttentionMessages result;
    result.value = torch::matmul(core.probabilities.transpose(1, 2), message);
    if (m_attentionConstant) {
        const auto none = [&](const torch::Tensor &x) {
            return torch::zeros_like(x).expand({message.size(0), -1, -1, -1});
        };
        result.query = none(core.query);
        result.key = none(core.key);
        return result;
    }
    result.value = result.value * 0.5;
    const auto weights = torch::matmul(message, core.value.transpose(1, 2)) * 0.5; // [K, H, T, S]
    const auto weighted = core.probabilities * weights;
    auto scores = (weighted - core.probabilities * weighted.sum(-1, true)) * (0.5 * core.scale);
    if (core.cap > 0)
        scores = scores * core.capRatio();
    result.query = torch::matmul(scores, core.key);
    result.key = torch::matmul(scores.transpose(2, 3), core.query);
    return result;
}

std::pair<torch::Tensor, torch::Tensor> GradientRule::sum(const torch::Tensor &, const torch::Tensor &,
                                                          const torch::Tensor &message) const
{
    return {message, message};
}

std::pair<torch::Tensor, torch::Tensor> GradientRule::product(const torch::Tensor &a, const torch::Tensor &b,
                                                              const torch::Tensor &message) const
{
    const auto half = message * 0.5;
    return {half * b, half * a};
}

torch::Tensor GradientRule::rotation(const torch::Tensor &, const RotaryAngles &angles,
                                     const torch::Tensor &message) const
{
    return rotated(message, {angles.cosines, -angles.sines, angles.neighbours});
}

torch::Tensor EpsilonRule::perUnit(const torch::Tensor &message, const torch::Tensor &output) const
{
    return message / torch::where(output < 0, output - m_epsilon, output + m_epsilon);
}

torch::Tensor EpsilonRule::linear(const torch::Tensor &x, const Linear &weights, const torch::Tensor &message) const
{
    return x * m_gradient.linear(x, weights, perUnit(message, torch::matmul(x, weights.weight.t())));
}

torch::Tensor EpsilonRule::norm(const torch::Tensor &x, const Norm &weights, const NormSpec &spec,
                                const torch::Tensor &message) const
{
    const auto output = weights.weight * normInverse(x, spec) * normCentred(x, spec);
    return x * m_gradient.norm(x, weights, spec, perUnit(message, output));
}

AttentionMessages EpsilonRule::attention(const AttentionCore &core, const torch::Tensor &message) const
{
    AttentionMessages result = m_gradient.attention(core, perUnit(message, core.context));
    result.value = core.value * result.value;
    return result;
}

std::pair<torch::Tensor, torch::Tensor> EpsilonRule::sum(const torch::Tensor &a, const torch::Tensor &b,
                                                         const torch::Tensor &message) const
{
    const auto unit = perUnit(message, a + b);
    return {a * unit, b * unit};
}

} // namespace headscope
