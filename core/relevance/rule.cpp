#include "core/relevance/rule.h"

#include "core/relevance/alphabetarule.h"
#include "core/relevance/gradientrules.h"

#include <torch/types.h>

namespace headscope {

torch::Tensor AttentionCore::capSlope() const
{
    return 1 - torch::tanh(scores / cap).square();
}

torch::Tensor AttentionCore::capRatio() const
{
    const auto share = scores / cap;
    return torch::where(share == 0, torch::ones_like(share), torch::tanh(share) / share);
}

std::pair<torch::Tensor, torch::Tensor> PropagationRule::product(const torch::Tensor &a, const torch::Tensor &b,
                                                                 const torch::Tensor &message) const
{
    const auto contribution = a * b;
    return sum(contribution, contribution, message);
}

/// Outputs are sums of two: what stays in its place times the cosine, and its partner times the sine.
torch::Tensor PropagationRule::rotation(const torch::Tensor &x, const RotaryAngles &angles,
                                        const torch::Tensor &message) const
{
    const auto [own, ofPartners] = sum(x * angles.cosines, angles.partners(x) * angles.sines, message);
    return own + angles.swapped(ofPartners);
}

torch::Tensor normInverse(const torch::Tensor &x, const NormSpec &spec)
{
    const auto square = spec.kind == NormKind::Layer ? x.var(-1, false, true) : x.square().mean(-1, true);
    return torch::rsqrt(square + spec.epsilon);
}

torch::Tensor normCentred(const torch::Tensor &x, const NormSpec &spec)
{
    return spec.kind == NormKind::Layer ? x - x.mean(-1, true) : x;
}

std::unique_ptr<const PropagationRule> makePropagationRule(RelevanceRule rule, bool attentionConstant,
                                                           const JobControl &control)
{
    switch (rule) {
    case RelevanceRule::AlphaBeta:
        return std::make_unique<AlphaBetaRule>(attentionConstant, control);
    case RelevanceRule::Epsilon:
        return std::make_unique<EpsilonRule>();
    case RelevanceRule::AttnLrp:
        return std::make_unique<GradientRule>(false);
    case RelevanceRule::CpLrp:
        return std::make_unique<GradientRule>(true);
    }
    return nullptr;
}

} // namespace headscope
