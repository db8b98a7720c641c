#include "core/packed/kernels.h"

#include "core/base/vectors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace headscope::kernels {

using namespace vectors;

namespace {

/// Round to nearest even, the upper half of the bits.
HEADSCOPE_INLINE std::uint32_t roundedToHalf(std::uint32_t bits)
{
    return (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
}

} // namespace

HEADSCOPE_VECTOR
void split(const float *input, std::int64_t rows, std::int64_t width, std::uint16_t *output)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        const float *in = input + r * width;
        std::uint16_t *out = output + r * 3 * width;
#pragma omp simd
        for (std::int64_t i = 0; i < width; ++i) {
            const std::uint32_t high = roundedToHalf(std::bit_cast<std::uint32_t>(in[i]));
            const float rest = in[i] - std::bit_cast<float>(high << 16);
            const std::uint32_t low = roundedToHalf(std::bit_cast<std::uint32_t>(rest));
            out[i] = static_cast<std::uint16_t>(high);
            out[width + i] = static_cast<std::uint16_t>(low);
            out[2 * width + i] = static_cast<std::uint16_t>(high);
        }
    }
}

HEADSCOPE_VECTOR
void round(const float *input, std::int64_t count, std::uint16_t *output)
{
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i)
        output[i] = static_cast<std::uint16_t>(roundedToHalf(std::bit_cast<std::uint32_t>(input[i])));
}

HEADSCOPE_VECTOR
void quantize(const float *input, std::int64_t rows, std::int64_t width, std::uint8_t *output, float *scales)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        const float *in = input + r * width;
        std::uint8_t *out = output + r * width;
        float largest = 0, nothing = 0;
#pragma omp simd reduction(max : largest) reduction(+ : nothing)
        for (std::int64_t i = 0; i < width; ++i) {
            largest = std::max(largest, std::abs(in[i]));
            nothing += in[i] * 0.0F; // not a number if one is none, or infinite
        }
        scales[r] = largest / 127 + nothing;
        if (!(scales[r] > 0)) { // all zero, or no numbers
            std::fill_n(out, width, std::uint8_t(128));
            continue;
        }
        const float inverse = 127 / largest;
#pragma omp simd
        for (std::int64_t i = 0; i < width; ++i)
            out[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(in[i] * inverse + 128.5F));
    }
}

HEADSCOPE_VECTOR
void dequantize(float *sums, std::int64_t rows, std::int64_t columns, const float *rowScales, const float *columnScales,
                const std::int32_t *added, const float *bias)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        float *row = sums + r * columns;
        const float scale = rowScales[r];
#pragma omp simd
        for (std::int64_t c = 0; c < columns; ++c) {
            const auto sum = std::bit_cast<std::int32_t>(row[c]) - added[c];
            row[c] = static_cast<float>(sum) * (scale * columnScales[c]) + bias[c];
        }
    }
}

namespace {

HEADSCOPE_INLINE Vector magnitude(const Vector &x)
{
    return x < 0 ? -x : x;
}

/// 1 / (1 + e⁻ˣ)
HEADSCOPE_INLINE Vector sigmoid(const Vector &x)
{
    const Vector e = expOfNegative(-magnitude(x));
    return (x < 0 ? e : Vector{} + 1.0F) / (1.0F + e);
}

/// (1 + erf(x / √2)) / 2, the normal distribution function (Abramowitz & Stegun 7.1.26).
HEADSCOPE_INLINE Vector normalDistribution(const Vector &x)
{
    const Vector z = magnitude(x) * 0.70710678F;
    const Vector t = 1.0F / (1.0F + 0.3275911F * z);
    Vector p = Vector{} + 1.061405429F;
    p = p * t - 1.453152027F;
    p = p * t + 1.421413741F;
    p = p * t - 0.284496736F;
    p = p * t + 0.254829592F;
    const Vector tail = 0.5F * p * t * expOfNegative(-z * z);
    return x < 0 ? tail : 1.0F - tail;
}

template<typename Function>
HEADSCOPE_INLINE void forAll(float *values, std::int64_t count, Function &&function)
{
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
        store(values + i, function(load(values + i)));
    if (i < count) {
        Vector rest = {};
        std::memcpy(&rest, values + i, static_cast<std::size_t>(count - i) * sizeof(float));
        rest = function(rest);
        std::memcpy(values + i, &rest, static_cast<std::size_t>(count - i) * sizeof(float));
    }
}

} // namespace

HEADSCOPE_VECTOR
void activate(float *values, std::int64_t count, Activation activation)
{
    switch (activation) {
    case Activation::Relu:
        return forAll(values, count, [](const Vector &x) HEADSCOPE_LAMBDA { return x < 0 ? Vector{} : x; });
    case Activation::Gelu:
        return forAll(values, count, [](const Vector &x) HEADSCOPE_LAMBDA { return x * normalDistribution(x); });
    case Activation::GeluTanh: // (1 + tanh y) / 2 = sigmoid(2y)
        return forAll(values, count, [](const Vector &x) HEADSCOPE_LAMBDA {
            return x * sigmoid(1.59576912F * (x + 0.044715F * x * x * x));
        });
    case Activation::Silu:
        return forAll(values, count, [](const Vector &x) HEADSCOPE_LAMBDA { return x * sigmoid(x); });
    case Activation::QuickGelu:
        return forAll(values, count, [](const Vector &x) HEADSCOPE_LAMBDA { return x * sigmoid(1.702F * x); });
    case Activation::Tanh:
        return forAll(values, count, [](const Vector &x) HEADSCOPE_LAMBDA { return 2.0F * sigmoid(2.0F * x) - 1.0F; });
    case Activation::ReluSquared:
        return forAll(values, count, [](const Vector &x) HEADSCOPE_LAMBDA { return x < 0 ? Vector{} : x * x; });
    }
}

HEADSCOPE_VECTOR
void cap(float *values, std::int64_t count, float cap)
{
    const float inverse = 1.0F / cap;
    forAll(values, count, [=](const Vector &x) HEADSCOPE_LAMBDA { return cap * tanhOf(x * inverse); });
}

HEADSCOPE_VECTOR
void clip(float *values, std::int64_t count, float most)
{
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i)
        values[i] = values[i] < -most ? -most : values[i] > most ? most : values[i];
}

HEADSCOPE_VECTOR
void limit(float *values, std::int64_t count, float most)
{
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i)
        values[i] = values[i] > most ? most : values[i];
}

HEADSCOPE_VECTOR
void scale(float *values, std::int64_t count, float by, float more)
{
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i)
        values[i] = by * values[i] + more;
}

HEADSCOPE_VECTOR
void addScaled(float *values, const float *of, float by, std::int64_t count)
{
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i)
        values[i] += by * of[i];
}

HEADSCOPE_VECTOR
void multiply(float *values, const float *by, std::int64_t count)
{
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i)
        values[i] *= by[i];
}

HEADSCOPE_VECTOR
void add(const float *a, const float *b, std::int64_t count, float *output)
{
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i)
        output[i] = a[i] + b[i];
}

HEADSCOPE_VECTOR
void normalize(const float *input, std::int64_t rows, std::int64_t width, const float *weight, const float *bias,
               float epsilon, float *output)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        const float *in = input + r * width;
        float *out = output + r * width;
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (std::int64_t i = 0; i < width; ++i)
            sum += in[i];
        const float mean = sum / static_cast<float>(width);
        float squares = 0;
#pragma omp simd reduction(+ : squares)
        for (std::int64_t i = 0; i < width; ++i)
            squares += (in[i] - mean) * (in[i] - mean);
        const float factor = 1.0F / std::sqrt(squares / static_cast<float>(width) + epsilon);
#pragma omp simd
        for (std::int64_t i = 0; i < width; ++i)
            out[i] = (in[i] - mean) * factor * weight[i] + bias[i];
    }
}

HEADSCOPE_VECTOR
void normalizeByRoot(const float *input, std::int64_t rows, std::int64_t width, const float *weight, float epsilon,
                     float *output)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        const float *in = input + r * width;
        float *out = output + r * width;
        float squares = 0;
#pragma omp simd reduction(+ : squares)
        for (std::int64_t i = 0; i < width; ++i)
            squares += in[i] * in[i];
        const float factor = 1.0F / std::sqrt(squares / static_cast<float>(width) + epsilon);
#pragma omp simd
        for (std::int64_t i = 0; i < width; ++i)
            out[i] = in[i] * factor * weight[i];
    }
}

HEADSCOPE_VECTOR
void applyRotaryToNeighbours(float *row, std::int64_t heads, std::int64_t headWidth, std::int64_t width,
                             const float *cosines, const float *sines)
{
    for (std::int64_t h = 0; h < heads; ++h) {
        float *head = row + h * headWidth;
        for (std::int64_t i = 0; i < width; i += 2) {
            const float first = head[i];
            const float second = head[i + 1];
            head[i] = first * cosines[i] - second * sines[i];
            head[i + 1] = second * cosines[i + 1] + first * sines[i + 1];
        }
    }
}

void applyRotary(float *row, std::int64_t heads, std::int64_t headWidth, std::int64_t width, const float *cosines,
                 const float *sines)
{
    const std::int64_t half = width / 2;
    for (std::int64_t h = 0; h < heads; ++h) {
        float *head = row + h * headWidth;
        for (std::int64_t i = 0; i < half; ++i) {
            const float first = head[i];
            const float second = head[half + i];
            head[i] = first * cosines[i] - second * sines[i];
            head[half + i] = second * cosines[half + i] + first * sines[half + i];
        }
    }
}

void scaleHeads(float *context, std::int64_t rows, std::int64_t heads, std::int64_t headWidth, const float *factors)
{
    for (std::int64_t h = 0; h < heads; ++h) {
        if (factors[h] == 1.0F)
            continue;
        for (std::int64_t r = 0; r < rows; ++r) {
            float *head = context + (r * heads + h) * headWidth;
            for (std::int64_t d = 0; d < headWidth; ++d)
                head[d] *= factors[h];
        }
    }
}

void addHeads(float *context, std::int64_t heads, std::int64_t headWidth, const float *shares, const float *instead)
{
    for (std::int64_t h = 0; h < heads; ++h) {
        for (std::int64_t d = h * headWidth; shares[h] != 0.0F && d < (h + 1) * headWidth; ++d)
            context[d] += shares[h] * instead[d];
    }
}

namespace {

HEADSCOPE_INLINE Vector larger(const Vector &a, const Vector &b)
{
    return a > b ? a : b;
}

HEADSCOPE_INLINE float largestOf(const Vector &x)
{
    return reduced(x, [](const Vector &a, const Vector &b) HEADSCOPE_LAMBDA { return larger(a, b); });
}

/// Calls take(column, score) for those of a row that may exceed what leastNeeded() says; most are only looked at in
/// stretches.
template<typename Needed, typename Take>
HEADSCOPE_INLINE void forLarge(const float *row, std::int64_t columns, Needed &&leastNeeded, Take &&take)
{
    constexpr std::int64_t kStretch = 8 * kLanes;
    for (std::int64_t first = 0; first < columns; first += kStretch) {
        const std::int64_t count = std::min(kStretch, columns - first);
        if (count == kStretch) {
            Vector largest = load(row + first);
#pragma GCC unroll 8
            for (std::int64_t i = kLanes; i < kStretch; i += kLanes)
                largest = larger(load(row + first + i), largest);
            if (!(largestOf(largest) > leastNeeded()))
                continue;
        }
        for (std::int64_t i = 0; i < count; ++i)
            take(first + i, row[first + i]);
    }
}

} // namespace

HEADSCOPE_VECTOR
void updateBest(const float *scores, std::int64_t rows, std::int64_t columns, std::int64_t offset, Best *best)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        Best &b = best[r];
        forLarge(
            scores + r * columns, columns, [&]() HEADSCOPE_LAMBDA { return b.second; },
            [&](std::int64_t column, float score) HEADSCOPE_LAMBDA {
                if (score > b.first) {
                    b.second = b.first;
                    b.first = score;
                    b.index = offset + column;
                } else if (score > b.second) {
                    b.second = score;
                }
            });
    }
}

HEADSCOPE_VECTOR
void scoresOf(const float *row, const float *matrix, std::int64_t width, const std::int32_t *chosen, std::int64_t count,
              float *scores)
{
    const std::int64_t whole = width / kLanes * kLanes;
    for (std::int64_t k = 0; k < count; ++k) {
        const float *other = matrix + chosen[k] * width;
        Vector sum = {};
        for (std::int64_t i = 0; i < whole; i += kLanes)
            sum += load(row + i) * load(other + i);
        float score = reduced(sum, [](const Vector &a, const Vector &b) HEADSCOPE_LAMBDA { return a + b; });
        for (std::int64_t i = whole; i < width; ++i)
            score += row[i] * other[i];
        scores[k] = score;
    }
}

HEADSCOPE_VECTOR
float distance(const float *a, const float *b, std::int64_t width)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < width; ++i)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
}

HEADSCOPE_VECTOR
void updateTop(const float *scores, std::int64_t rows, std::int64_t columns, std::int64_t offset, std::int64_t count,
               Scored *top)
{
    for (std::int64_t r = 0; r < rows; ++r) {
        Scored *best = top + r * count;
        const Scored &last = best[count - 1];
        forLarge(
            scores + r * columns, columns, [&]() HEADSCOPE_LAMBDA { return last.score; },
            [&](std::int64_t column, float score) HEADSCOPE_LAMBDA {
                if (!(score > last.score))
                    return;
                std::int64_t place = count - 1;
                for (; place > 0 && score > best[place - 1].score; --place)
                    best[place] = best[place - 1];
                best[place] = {score, offset + column};
            });
    }
}

HEADSCOPE_VECTOR
void addExponentials(const float *scores, std::int64_t rows, std::int64_t columns, Exponentials *sums)
{
    using Doubles = double __attribute__((vector_size(2 * sizeof(Vector))));
    for (std::int64_t r = 0; r < rows; ++r) {
        const float *row = scores + r * columns;
        const std::int64_t whole = columns / kLanes * kLanes;
        float largest = sums[r].largest;
        Vector most = Vector{} + largest;
        for (std::int64_t i = 0; i < whole; i += kLanes)
            most = larger(load(row + i), most);
        largest = largestOf(most);
        for (std::int64_t i = whole; i < columns; ++i)
            largest = std::max(largest, row[i]);
        if (largest == -std::numeric_limits<float>::infinity())
            continue;
        // In float over so few that a lane's sum has no error to speak of, in double over those.
        constexpr std::int64_t kInFloat = 4 * kLanes;
        Doubles sums64 = {};
        std::int64_t i = 0;
        for (; i + kInFloat <= whole; i += kInFloat) {
            const Vector four
                = (expOfNegative(load(row + i) - largest) + expOfNegative(load(row + i + kLanes) - largest))
                + (expOfNegative(load(row + i + 2 * kLanes) - largest)
                   + expOfNegative(load(row + i + 3 * kLanes) - largest));
            sums64 += __builtin_convertvector(four, Doubles);
        }
        for (; i < whole; i += kLanes)
            sums64 += __builtin_convertvector(expOfNegative(load(row + i) - largest), Doubles);
        double sum = sums[r].sum > 0
                       ? sums[r].sum * std::exp(static_cast<double>(sums[r].largest) - static_cast<double>(largest))
                       : 0;
        for (; i < columns; ++i)
            sum += std::exp(static_cast<double>(row[i]) - static_cast<double>(largest));
        for (std::int64_t lane = 0; lane < kLanes; ++lane)
            sum += sums64[lane];
        sums[r] = {largest, sum};
    }
}

} // namespace headscope::kernels
