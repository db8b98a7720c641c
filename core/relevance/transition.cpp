#include "core/relevance/transition.h"

#include "core/base/vectorunits.h"

namespace headscope::kernels {
namespace {

/// Contributions z of a row → their shares, in place.
HEADSCOPE_INLINE void toShares(float *z, std::int64_t columns, const AlphaBeta &rule)
{
    float positive = 0;
    float negative = 0;
#pragma omp simd reduction(+ : positive, negative)
    for (std::int64_t i = 0; i < columns; ++i) {
        positive += z[i] > 0 ? z[i] : 0;
        negative += z[i] < 0 ? z[i] : 0;
    }
    const float up = rule.alpha / (positive + rule.epsilon);
    const float down = rule.beta / (negative - rule.epsilon);
#pragma omp simd
    for (std::int64_t i = 0; i < columns; ++i)
        z[i] *= z[i] > 0 ? up : down;
}

} // namespace

HEADSCOPE_VECTOR void linearTransition(const float *weight, std::int64_t rows, std::int64_t columns, const float *x,
                                       const float *offset, const AlphaBeta &rule, float *out)
{
    for (std::int64_t j = 0; j < rows; ++j) {
        const float *w = weight + j * columns;
        float *z = out + j * columns;
        const float c = offset[j];
#pragma omp simd
        for (std::int64_t i = 0; i < columns; ++i)
            z[i] = w[i] * x[i] + c;
        toShares(z, columns, rule);
    }
}

HEADSCOPE_VECTOR void normTransition(const NormRows &row, std::int64_t rows, std::int64_t columns, const float *a,
                                     const float *b, const AlphaBeta &rule, float *out)
{
    for (std::int64_t j = 0; j < rows; ++j) {
        float *z = out + j * columns;
        const float one = row.rank1[j];
        const float two = row.rank2[j];
        const float c = row.offset[j];
#pragma omp simd
        for (std::int64_t i = 0; i < columns; ++i)
            z[i] = one * a[i] + two * b[i] + c;
        z[row.first + j] += row.diagonal[j];
        toShares(z, columns, rule);
    }
}

} // namespace headscope::kernels
