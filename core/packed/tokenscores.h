#pragma once

#include "core/packed/rowmodel.h"

#include <torch/types.h>

#include <cstdint>

namespace headscope {

/// Scores of single tokens as the output matrix gives them, where the product with the whole vocabulary is not wanted.
class TokenScores
{
public:
    /// True if rows are floats on the CPU, the output matrix floats or halves, and scores what it gives.
    static bool canUse(const RowModel &model);

    TokenScores() = default;
    explicit TokenScores(const RowModel &model);

    std::int64_t width() const { return m_weights.size(1); }
    const torch::Tensor &weights() const { return m_weights; } ///< [V, D]
    const torch::Tensor &bias() const { return m_bias; }       ///< [V] or undefined
    /// `read` [D]: what the output matrix multiplies → scores[count]. Rounding makes them wrong by at most
    /// kRounding·|read|·|w|.
    void scoresOf(const float *read, const std::int32_t *tokens, std::int64_t count, float *scores) const;
    static constexpr float kRounding = 1e-5F;
    /// max |w|
    float longest() const;

private:
    torch::Tensor m_weights; ///< float32 or halves
    torch::Tensor m_bias;
};

} // namespace headscope
