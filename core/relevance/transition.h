#pragma once

#include <cstdint>

/// Transition matrices of the αβ rule (Voita et al. 2019, appendix), row by row, in float32: of contributions z_ji to
/// the output j,
///   t_ji = α·z⁺_ji / (Σ_i z⁺_ji + ε) + β·z⁻_ji / (Σ_i z⁻_ji − ε).
/// They are made anew for every position, which is what the rule costs: hence loops that the compiler makes vectors of.
namespace headscope::kernels {

struct AlphaBeta
{
    float alpha = 0.5F;
    float beta = 0.5F;
    float epsilon = 1e-5F;
};

/// z_ji = weight_ji·x_i + offset_j. weight [rows, columns], x [columns], offset [rows] → out [rows, columns].
void linearTransition(const float *weight, std::int64_t rows, std::int64_t columns, const float *x, const float *offset,
                      const AlphaBeta &rule, float *out);

/// z_ji = (rank1_j·a_i + rank2_j·b_i) + offset_j, and diagonal_j more where i = first + j: a layer norm's rows
/// first … first + rows − 1.
struct NormRows
{
    const float *rank1;    ///< [rows]
    const float *rank2;    ///< [rows]
    const float *offset;   ///< [rows]
    const float *diagonal; ///< [rows]
    std::int64_t first = 0;
};
void normTransition(const NormRows &row, std::int64_t rows, std::int64_t columns, const float *a, const float *b,
                    const AlphaBeta &rule, float *out);

} // namespace headscope::kernels
