#pragma once

#include "core/relevance/rule.h"

#include <utility>

namespace headscope {

/// AttnLRP (Achtibat et al. 2024) and CP-LRP (Ali et al. 2022) as gradient times input under a changed backward
/// pass (Achtibat et al. 2024): σ of a norm counts as constant, an activation, a cap or a clip passes f(x)/x, each
/// factor of a gated layer half. AttnLRP halves the gradient at each factor of attention's products too (values and
/// weights, queries and keys) and has the softmax's true Jacobian; CP-LRP takes attention weights as constant. Messages
/// are gradients G; relevance is x ∘ G, signed. Biases take their part of it.
class GradientRule final : public PropagationRule
{
public:
    explicit GradientRule(bool attentionConstant) : m_attentionConstant(attentionConstant) { }

    double start(double output) const override { return output != 0 ? 1 / output : 1; }
    torch::Tensor relevance(const torch::Tensor &x, const torch::Tensor &message) const override { return x * message; }
    torch::Tensor linear(const torch::Tensor &x, const Linear &weights, const torch::Tensor &message) const override;
    torch::Tensor norm(const torch::Tensor &x, const Norm &weights, const NormSpec &spec,
                       const torch::Tensor &message) const override;
    torch::Tensor activation(const torch::Tensor &x, Activation which, const torch::Tensor &message) const override;
    torch::Tensor shrinking(const torch::Tensor &factor, const torch::Tensor &message) const override;
    AttentionMessages attention(const AttentionCore &core, const torch::Tensor &message) const override;
    std::pair<torch::Tensor, torch::Tensor> sum(const torch::Tensor &a, const torch::Tensor &b,
                                                const torch::Tensor &message) const override;
    std::pair<torch::Tensor, torch::Tensor> product(const torch::Tensor &a, const torch::Tensor &b,
                                                    const torch::Tensor &message) const override;
    torch::Tensor rotation(const torch::Tensor &x, const RotaryAngles &angles,
                           const torch::Tensor &message) const override;

private:
    bool m_attentionConstant;
};

/// Ding et al. 2017, as in the appendix of Voita et al. 2019 (Voita et al. 2019, appendix): of R_j an input gets z_ji /
/// (Σ z_ji + ε·sign), z_ji = W_ji x_i; biases have no share. σ of a norm and attention weights count as constant,
/// activations are transparent. Messages are relevances; negative ones occur.
class EpsilonRule final : public PropagationRule
{
public:
    explicit EpsilonRule(double epsilon = 1e-9) : m_epsilon(epsilon) { }

    /// Where the summands of an output cancel, relevances of both signs grow without bound: float32 loses what they
    /// come to.
    torch::ScalarType precision(torch::ScalarType) const override { return torch::kFloat64; }

    torch::Tensor linear(const torch::Tensor &x, const Linear &weights, const torch::Tensor &message) const override;
    torch::Tensor norm(const torch::Tensor &x, const Norm &weights, const NormSpec &spec,
                       const torch::Tensor &message) const override;
    AttentionMessages attention(const AttentionCore &core, const torch::Tensor &message) const override;
    std::pair<torch::Tensor, torch::Tensor> sum(const torch::Tensor &a, const torch::Tensor &b,
                                                const torch::Tensor &message) const override;

private:
    /// R / (y + ε·sign(y)), sign(0) = +1.
    torch::Tensor perUnit(const torch::Tensor &message, const torch::Tensor &output) const;

    /// With everything linear, shares of W_ji x_i are the input times the gradient of R_j / y_j.
    GradientRule m_gradient{true};
    double m_epsilon;
};

} // namespace headscope
