#pragma once

#include "core/relevance/rule.h"
#include "core/relevance/transition.h"

#include <cstdint>
#include <utility>

namespace headscope {

/// The rule of Voita et al.'s released code (lena-voita/the-story-of-heads, lib/layers/lrp.py, since June 2021):
///   z_ji = J_ji x_i + f_j(0)/n,  R_i = Σ_j R_j [α z⁺_ji / (Σ_i z⁺_ji + ε) + β z⁻_ji / (Σ_i z⁻_ji − ε)],
/// J the Jacobian, α = β = ½, ε = 1e-5, n the number of inputs; activations are transparent. Relevances stay ≥ 0.
/// As there, each operation's result is rescaled to the L1 mass that came: at every position by itself, in
/// attention at every head. (The code has ε in that division too; here mass is kept to rounding.)
class AlphaBetaRule final : public PropagationRule
{
public:
    AlphaBetaRule(bool attentionConstant, const JobControl &control)
        : m_attentionConstant(attentionConstant), m_control(control)
    {
    }

    /// Matrices are made once for all traces that go together, and cancels are looked for within an operation.
    std::int64_t messageNumbers() const override { return std::int64_t(1) << 23; }
    torch::Tensor linear(const torch::Tensor &x, const Linear &weights, const torch::Tensor &message) const override;
    torch::Tensor norm(const torch::Tensor &x, const Norm &weights, const NormSpec &spec,
                       const torch::Tensor &message) const override;
    /// Jacobians by q, k and v together.
    AttentionMessages attention(const AttentionCore &core, const torch::Tensor &message) const override;
    std::pair<torch::Tensor, torch::Tensor> sum(const torch::Tensor &a, const torch::Tensor &b,
                                                const torch::Tensor &message) const override;

private:
    template<typename FillRows>
    torch::Tensor byRows(std::int64_t columns, const torch::Tensor &message, FillRows &&fillRows) const;
    template<typename Contributions>
    torch::Tensor byPositions(std::int64_t columns, const torch::Tensor &message, Contributions &&contributions) const;

    kernels::AlphaBeta m_shares;
    bool m_attentionConstant;
    const JobControl &m_control;
};

} // namespace headscope
