#pragma once

#include "core/model/spec.h"

#include <cstdint>
#include <limits>

/// Loops over rows of floats that matrix products leave: written for the vector units of the processor at hand
/// (several versions are compiled, the best is chosen when the program starts). No allocation, no threads.
namespace headscope::kernels {

/// Splits every number into a sum of two in bfloat16 (high, low), |x − high − low| ≤ 2⁻¹⁷|x|. A row [width] becomes
/// [high | low | high], so that a product with [high; high; low] of the weights leaves out low·low only.
void split(const float *input, std::int64_t rows, std::int64_t width, std::uint16_t *output);

/// Rounds every number to the nearest in bfloat16.
void round(const float *input, std::int64_t count, std::uint16_t *output);

/// Applies the activation to every number, in place, with a relative error of about 1e-7.
void activate(float *values, std::int64_t count, Activation activation);

/// values ∘= by
void multiply(float *values, const float *by, std::int64_t count);
/// Every number x becomes cap·tanh(x/cap), in place.
void cap(float *values, std::int64_t count, float cap);
/// Every number is brought to within ±most, in place.
void clip(float *values, std::int64_t count, float most);
/// Every number is brought to `most` at most, in place.
void limit(float *values, std::int64_t count, float most);
/// values = by·values + more
void scale(float *values, std::int64_t count, float by, float more = 0);
/// values += by·of
void addScaled(float *values, const float *of, float by, std::int64_t count);
/// output = a + b
void add(const float *a, const float *b, std::int64_t count, float *output);
/// Layer normalisation (Ba et al. 2016) of every row.
void normalize(const float *input, std::int64_t rows, std::int64_t width, const float *weight, const float *bias,
               float epsilon, float *output);

/// RMS normalisation (Zhang and Sennrich 2019) of every row.
void normalizeByRoot(const float *input, std::int64_t rows, std::int64_t width, const float *weight, float epsilon,
                     float *output);
/// Turns the first `width` columns of the heads of one row by angles of which cosines and sines [width] are given:
/// halves of these columns are the pairs.
void applyRotary(float *row, std::int64_t heads, std::int64_t headWidth, std::int64_t width, const float *cosines,
                 const float *sines);

/// The same of neighbouring columns: 0 and 1, 2 and 3, …
void applyRotaryToNeighbours(float *row, std::int64_t heads, std::int64_t headWidth, std::int64_t width,
                             const float *cosines, const float *sines);

/// context of head h ·= factors[h], in every row.
void scaleHeads(float *context, std::int64_t rows, std::int64_t heads, std::int64_t headWidth, const float *factors);

/// context of head h += shares[h]·instead of head h, in one row.
void addHeads(float *context, std::int64_t heads, std::int64_t headWidth, const float *shares, const float *instead);

/// The score of tokens that cannot be chosen.
constexpr float kNothing = -std::numeric_limits<float>::infinity();

/// The largest and the second largest of a row of scores so far.
struct Best
{
    float first;
    float second;
    std::int64_t index;
};
/// Updates the best with `columns` scores of every row, the first of which has index `offset`. Among equal scores the
/// lowest index wins.
void updateBest(const float *scores, std::int64_t rows, std::int64_t columns, std::int64_t offset, Best *best);
/// The same with one score.
inline void updateBest(float score, std::int64_t index, Best &best)
{
    if (score > best.first || (score == best.first && index < best.index)) {
        best.second = best.first;
        best.first = score;
        best.index = index;
    } else if (score > best.second) {
        best.second = score;
    }
}

/// The product of a row [width] with some rows of a matrix.
void scoresOf(const float *row, const float *matrix, std::int64_t width, const std::int32_t *chosen, std::int64_t count,
              float *scores);
/// |a − b|
float distance(const float *a, const float *b, std::int64_t width);

/// Rows [width] as whole numbers, 128 more than x / scale, where scale (one for each row) is a 127th of the largest
/// magnitude; not a number where the row has one that is none.
void quantize(const float *input, std::int64_t rows, std::int64_t width, std::uint8_t *output, float *scales);
/// In place: what products with such rows added up to (32 bits each), become numbers:
/// (sum − added[c]) · rowScales[r] · columnScales[c] + bias[c].
void dequantize(float *sums, std::int64_t rows, std::int64_t columns, const float *rowScales, const float *columnScales,
                const std::int32_t *added, const float *bias);

/// A token and its score.
struct Scored
{
    float score;
    std::int64_t index;
};
/// The `count` largest of a row of scores so far, best first: top[r · count …]. Otherwise like updateBest().
void updateTop(const float *scores, std::int64_t rows, std::int64_t columns, std::int64_t offset, std::int64_t count,
               Scored *top);

/// Σ exp(score − largest) over a row so far; begins with −∞ and 0. ln Σ exp(score) is largest + ln sum. Added up in
/// double precision: each exponential is off by at most 2e-7 of itself, and so is the sum.
struct Exponentials
{
    float largest;
    double sum;
};
void addExponentials(const float *scores, std::int64_t rows, std::int64_t columns, Exponentials *sums);

} // namespace headscope::kernels
