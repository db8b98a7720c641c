#include "core/packed/kernels.h"

#include "core/base/vectorunits.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace headscope::kernels {
namespace {

constexpr std::int64_t kLanes = 16; // of the widest vectors: rows of scores are padded to it

HEADSCOPE_INLINE std::int64_t padded(std::int64_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

/// Round to nearest even, the upper half of the bits.
HEADSCOPE_INLINE std::uint32_t roundedToHalf(std::uint32_t bits) { return (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16; }

/// As many floats as the widest vectors have; narrower processors take several steps for one.
using Vector = float __attribute__((vector_size(64), aligned(4)));
using Integers = std::int32_t __attribute__((vector_size(64), aligned(4)));

HEADSCOPE_INLINE Vector load(const float *from)
{
    Vector value;
    std::memcpy(&value, from, sizeof(value));
    return value;
}
HEADSCOPE_INLINE void store(float *to, const Vector &value) { std::memcpy(to, &value, sizeof(value)); }

/// The lanes combined in a tree: every lane of the result has the whole.
template<typename Combine>
HEADSCOPE_INLINE float reduced(Vector v, Combine &&combine)
{
    v = combine(v, __builtin_shuffle(v, Integers{8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7}));
    v = combine(v, __builtin_shuffle(v, Integers{4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11}));
    v = combine(v, __builtin_shuffle(v, Integers{2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13}));
    v = combine(v, __builtin_shuffle(v, Integers{1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14}));
    return v[0];
}

/// Transposes a block of 16 × 16: every step swaps the halves of pairs of rows, quarters, eighths, sixteenths.
HEADSCOPE_INLINE void transpose(Vector (&rows)[kLanes])
{
    constexpr Integers kLow[4] = {{0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23},
                                  {0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27},
                                  {0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29},
                                  {0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30}};
    constexpr Integers kHigh[4] = {{8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31},
                                   {4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31},
                                   {2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31},
                                   {1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31}};
#pragma GCC unroll 4
    for (int step = 0; step < 4; ++step) {
        const int distance = 8 >> step;
#pragma GCC unroll 16
        for (int r = 0; r < kLanes; ++r) {
            if (r & distance)
                continue;
            const Vector a = rows[r];
            const Vector b = rows[r + distance];
            rows[r] = __builtin_shuffle(a, b, kLow[step]);
            rows[r + distance] = __builtin_shuffle(a, b, kHigh[step]);
        }
    }
}

/// eˣ for x ≤ 0, relative error below 2e-7: 2ⁿ·eʳ with |r| ≤ ln 2 / 2 (Cephes' polynomial).
HEADSCOPE_INLINE Vector expOfNegative(Vector x)
{
    constexpr float kRound = 12582912.0F; // adding 1.5·2²³ leaves no digits behind the point
    x = x < -87.0F ? Vector{} - 87.0F : x;
    const Vector n = (x * 1.44269504F + kRound) - kRound;
    const Vector r = x - n * 0.693359375F + n * 2.12194440e-4F;
    Vector p = Vector{} + 1.9875691500e-4F;
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    const Vector e = p * r * r + r + 1.0F;
    const Integers power = (__builtin_convertvector(n, Integers) + 127) << 23;
    return e * std::bit_cast<Vector>(power);
}

/// Softmax of the first `seen` scores of `columns`, not yet divided by their sum, which is returned. The others become
/// next to nothing.
HEADSCOPE_INLINE float exponentials(float *scores, std::int64_t seen, std::int64_t columns)
{
    constexpr Integers kLane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const Vector nothing = Vector{} - 1e30F;
    Vector highest = nothing;
    for (std::int64_t j = 0; j < columns; j += kLanes) {
        const Vector score = kLane < static_cast<std::int32_t>(seen - j) ? load(scores + j) : nothing;
        store(scores + j, score);
        highest = score > highest ? score : highest;
    }
    const float largest = reduced(highest, [](const Vector &a, const Vector &b) HEADSCOPE_LAMBDA { return a > b ? a : b; });
    Vector sums = {};
    for (std::int64_t j = 0; j < columns; j += kLanes) {
        const Vector weights = expOfNegative(load(scores + j) - largest);
        store(scores + j, weights);
        sums += weights;
    }
    return reduced(sums, [](const Vector &a, const Vector &b) HEADSCOPE_LAMBDA { return a + b; });
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

namespace {

HEADSCOPE_INLINE Vector magnitude(const Vector &x) { return x < 0 ? -x : x; }

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
    }
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

void turn(float *row, std::int64_t heads, std::int64_t headWidth, const float *cosines, const float *sines)
{
    const std::int64_t half = headWidth / 2;
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

namespace {

/// Queries that run together: every key and value that is loaded serves all of them.
constexpr std::int64_t kQueries = 4;

} // namespace

std::int64_t attentionScratch(std::int64_t keys, std::int64_t headWidth)
{
    return padded(keys) * (kQueries + headWidth) + keys * padded(headWidth) + kQueries * padded(headWidth);
}

HEADSCOPE_VECTOR
void attend(const Attention &attention, float *scratch)
{
    const std::int64_t width = attention.headWidth;
    const std::int64_t wide = padded(width);
    const std::int64_t rowWidth = attention.heads * width;
    const std::int64_t columns = padded(attention.keys);
    float *scores = scratch;                          // [kQueries, columns]
    float *keysAcross = scores + kQueries * columns;  // [width, columns]
    float *values = keysAcross + width * columns;     // [keys, wide], where rows cannot be loaded as they are
    float *result = values + attention.keys * wide;   // [kQueries, wide]
    for (std::int64_t h = 0; h < attention.heads; ++h) {
        // Behind the last key it is repeated: its scores are left out again.
        const std::int64_t keyHead = attention.keyPlaces ? attention.keyPlaces[h] : h;
        const float *keys = attention.key + keyHead * width;
        for (std::int64_t j = 0; j < columns; j += kLanes) {
            const auto row = [&](std::int64_t r) {
                return keys + std::min(j + r, attention.keys - 1) * attention.keyStride;
            };
            std::int64_t d = 0;
            for (; d + kLanes <= width; d += kLanes) {
                Vector block[kLanes];
#pragma GCC unroll 16
                for (int r = 0; r < kLanes; ++r)
                    block[r] = load(row(r) + d);
                transpose(block);
#pragma GCC unroll 16
                for (int r = 0; r < kLanes; ++r)
                    store(keysAcross + (d + r) * columns + j, block[r]);
            }
            for (; d < width; ++d) {
                for (std::int64_t r = 0; r < kLanes; ++r)
                    keysAcross[d * columns + j + r] = row(r)[d];
            }
        }
        const float *value = attention.value + keyHead * width;
        std::int64_t valueStride = attention.keyStride;
        if (wide != width) {
            for (std::int64_t j = 0; j < attention.keys; ++j) {
                for (std::int64_t d = 0; d < wide; ++d)
                    values[j * wide + d] = d < width ? value[j * valueStride + d] : 0.0F;
            }
            value = values;
            valueStride = wide;
        }
        for (std::int64_t first = 0; first < attention.queries; first += kQueries) {
            const std::int64_t count = std::min(kQueries, attention.queries - first);
            const float *query[kQueries];
            for (std::int64_t i = 0; i < kQueries; ++i) // a last group's missing queries repeat its last
                query[i] = attention.query + (first + std::min(i, count - 1)) * rowWidth + h * width;
            for (std::int64_t j = 0; j < columns; j += kLanes) {
                Vector s0 = {}, s1 = {}, s2 = {}, s3 = {};
                for (std::int64_t d = 0; d < width; ++d) {
                    const Vector key = load(keysAcross + d * columns + j);
                    s0 += query[0][d] * key;
                    s1 += query[1][d] * key;
                    s2 += query[2][d] * key;
                    s3 += query[3][d] * key;
                }
                store(scores + j, s0 * attention.scale);
                store(scores + columns + j, s1 * attention.scale);
                store(scores + 2 * columns + j, s2 * attention.scale);
                store(scores + 3 * columns + j, s3 * attention.scale);
            }
            float factor[kQueries];
            for (std::int64_t i = 0; i < kQueries; ++i) {
                const std::int64_t own = first + std::min(i, count - 1);
                const std::int64_t position = attention.causal ? attention.keys - attention.queries + own : own;
                const std::int64_t seen = attention.causal ? position + 1 : attention.keys;
                if (attention.relative) {
                    const float *added = attention.relative + h * attention.relativeStride + attention.relativeCenter
                                         - position;
                    for (std::int64_t j = 0; j < seen; ++j)
                        scores[i * columns + j] += added[j];
                }
                factor[i] = 1.0F / exponentials(scores + i * columns, seen, columns);
            }
            for (std::int64_t d = 0; d < wide; d += kLanes) {
                Vector c0 = {}, c1 = {}, c2 = {}, c3 = {};
                for (std::int64_t j = 0; j < attention.keys; ++j) {
                    const Vector v = load(value + j * valueStride + d);
                    c0 += scores[j] * v;
                    c1 += scores[columns + j] * v;
                    c2 += scores[2 * columns + j] * v;
                    c3 += scores[3 * columns + j] * v;
                }
                store(result + d, c0 * factor[0]);
                store(result + wide + d, c1 * factor[1]);
                store(result + 2 * wide + d, c2 * factor[2]);
                store(result + 3 * wide + d, c3 * factor[3]);
            }
            for (std::int64_t i = 0; i < count; ++i)
                std::memcpy(attention.context + (first + i) * rowWidth + h * width, result + i * wide,
                            static_cast<std::size_t>(width) * sizeof(float));
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

HEADSCOPE_INLINE Vector larger(const Vector &a, const Vector &b) { return a > b ? a : b; }

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
        Vector sum = {};
        for (std::int64_t i = 0; i < whole; i += kLanes)
            sum += expOfNegative(load(row + i) - largest);
        float rest = 0;
        for (std::int64_t i = whole; i < columns; ++i)
            rest += std::exp(row[i] - largest);
        const float before = sums[r].sum > 0 ? sums[r].sum * std::exp(sums[r].largest - largest) : 0;
        sums[r] = {largest,
                   before + rest + reduced(sum, [](const Vector &a, const Vector &b) HEADSCOPE_LAMBDA { return a + b; })};
    }
}

} // namespace headscope::kernels
