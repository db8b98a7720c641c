#include "core/packed/attention.h"

#include "core/base/vectors.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace headscope::kernels {

using namespace vectors;

namespace {

/// Queries that run together: every key and value that is loaded serves all of them.
constexpr std::int64_t kQueries = 4;

/// Fewer than so many are cheaper one by one: keys need not be turned.
constexpr std::int64_t kFewestTogether = 3;

/// Positions that are brought near before they are read: more would not stay there.
constexpr std::int64_t kFetched = 64;

/// The score of a key that a query does not see.
constexpr float kHidden = -1e30F;

/// The parts that a step of a block's transposition takes from two rows: halves, quarters, eighths, sixteenths.
constexpr Integers kLow[4] = {{0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23},
                              {0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27},
                              {0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29},
                              {0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30}};
constexpr Integers kHigh[4] = {{8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31},
                               {4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31},
                               {2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31},
                               {1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31}};

/// Transposes a block of 16 × 16: every step swaps the parts of pairs of rows.
HEADSCOPE_INLINE void transpose(Vector (&rows)[kLanes])
{
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

/// Lane i: the sum of row i. The sum of the columns of the transposed block, added up as soon as rows meet.
HEADSCOPE_INLINE Vector sumsOfRows(Vector (&rows)[kLanes])
{
#pragma GCC unroll 4
    for (int step = 0; step < 4; ++step) {
        const int distance = 8 >> step;
#pragma GCC unroll 16
        for (int r = 0; r < distance; ++r) {
            const Vector a = rows[r];
            const Vector b = rows[r + distance];
            rows[r] = __builtin_shuffle(a, b, kLow[step]) + __builtin_shuffle(a, b, kHigh[step]);
        }
    }
    return rows[0];
}

/// Fewer than 16 numbers, the other lanes zero.
HEADSCOPE_INLINE Vector loadFirst(const float *from, std::int64_t count)
{
    Vector value = {};
    std::memcpy(&value, from, static_cast<std::size_t>(count) * sizeof(float));
    return value;
}

/// Softmax of the first `seen` scores of `columns`, and of a score `beside` them (kHidden: there is none), not yet
/// divided by their sum, which is returned. The others become next to nothing.
HEADSCOPE_INLINE float exponentials(float *scores, std::int64_t seen, std::int64_t columns, float beside)
{
    constexpr Integers kLane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const Vector nothing = Vector{} + kHidden;
    Vector highest = nothing;
    for (std::int64_t j = 0; j < columns; j += kLanes) {
        const Vector score = kLane < static_cast<std::int32_t>(seen - j) ? load(scores + j) : nothing;
        store(scores + j, score);
        highest = score > highest ? score : highest;
    }
    const float largest = std::max(
        beside, reduced(highest, [](const Vector &a, const Vector &b) HEADSCOPE_LAMBDA { return a > b ? a : b; }));
    Vector sums = {};
    for (std::int64_t j = 0; j < columns; j += kLanes) {
        const Vector weights = expOfNegative(load(scores + j) - largest);
        store(scores + j, weights);
        sums += weights;
    }
    const float sum = reduced(sums, [](const Vector &a, const Vector &b) HEADSCOPE_LAMBDA { return a + b; });
    return beside > kHidden ? sum + std::exp(beside - largest) : sum;
}

/// Hides keys, of which a query sees so many at most.
HEADSCOPE_INLINE void hide(const KeyWindow &window, std::int64_t position, std::int64_t seen, float *scores)
{
    if (window.showsAll())
        return;
    for (std::int64_t j = window.sinks; j < seen; ++j)
        scores[j] = window.shows(position, j) ? scores[j] : kHidden;
}

/// Scores become weights, not yet divided by their sum → what to multiply by.
HEADSCOPE_INLINE float weighted(const Attention &attention, std::int64_t head, std::int64_t query, float *scores)
{
    const std::int64_t position = attention.causal ? attention.keys - attention.queries + query : query;
    std::int64_t seen = attention.causal ? position + 1 : attention.keys;
    if (attention.added) {
        const float *added = attention.added + (head * attention.queries + query) * attention.keys;
        for (std::int64_t j = 0; j < attention.keys; ++j)
            scores[j] += added[j];
    }
    if (attention.cap > 0) {
        const float inverse = 1.0F / attention.cap;
        for (std::int64_t j = 0; j < padded(attention.keys); j += kLanes)
            store(scores + j, attention.cap * tanhOf(load(scores + j) * inverse));
    }
    if (attention.relative) {
        const float *added = attention.relative + head * attention.relativeStride + attention.relativeCenter - position;
        for (std::int64_t j = 0; j < seen; ++j)
            scores[j] += added[j];
    }
    if (attention.reach >= 0) {
        seen = std::min(seen, position + attention.reach + 1);
        for (std::int64_t j = 0; j < position - attention.reach; ++j)
            scores[j] = kHidden;
    }
    if (attention.windows)
        hide(attention.windows[head], position, seen, scores);
    const float sink = attention.sinks ? attention.sinks[head] : kHidden;
    return 1.0F / exponentials(scores, seen, padded(attention.keys), sink);
}

/// Where the key and the value of a head begin in a position's row.
struct HeadPlace
{
    std::int64_t key = 0;
    std::int64_t value = 0;
};

/// One head of one query: every key and value is read once, as it lies.
HEADSCOPE_INLINE void attendAlone(const Attention &attention, std::int64_t head, std::int64_t i, const HeadPlace &at,
                                  float *scores)
{
    const std::int64_t width = attention.scoreWidth;
    const std::int64_t whole = width / kLanes * kLanes;
    const float *query = attention.query + (i * attention.heads + head) * width;
    for (std::int64_t j = 0; j < attention.keys; j += kLanes) {
        Vector products[kLanes];
#pragma GCC unroll 16
        for (int r = 0; r < kLanes; ++r) { // the last key is repeated: what is too much is left out again
            const float *key = attention.rows[std::min(j + r, attention.keys - 1)] + at.key;
            Vector product = {};
            for (std::int64_t d = 0; d < whole; d += kLanes)
                product += load(query + d) * load(key + d);
            if (whole < width)
                product += loadFirst(query + whole, width - whole) * loadFirst(key + whole, width - whole);
            products[r] = product;
        }
        store(scores + j, sumsOfRows(products) * attention.scale);
    }
    const float factor = weighted(attention, head, i, scores);
    const std::int64_t values = attention.headWidth;
    float *context = attention.context + (i * attention.heads + head) * values;
    std::int64_t d = 0;
    for (; d + 2 * kLanes <= values; d += 2 * kLanes) {
        Vector a = {}, b = {};
        for (std::int64_t j = 0; j < attention.keys; ++j) {
            const float *value = attention.rows[j] + at.value + d;
            a += scores[j] * load(value);
            b += scores[j] * load(value + kLanes);
        }
        store(context + d, a * factor);
        store(context + d + kLanes, b * factor);
    }
    for (; d < values; d += kLanes) {
        const std::int64_t count = std::min(kLanes, values - d);
        Vector a = {};
        for (std::int64_t j = 0; j < attention.keys; ++j)
            a += scores[j] * loadFirst(attention.rows[j] + at.value + d, count);
        a *= factor;
        std::memcpy(context + d, &a, static_cast<std::size_t>(count) * sizeof(float));
    }
}

/// Where the parts of the scratch memory begin.
struct Scratch
{
    Scratch(float *memory, const Attention &attention)
        : columns(padded(attention.keys)), wide(padded(attention.headWidth)), scores(memory),
          keysAcross(scores + kQueries * columns), values(keysAcross + attention.scoreWidth * columns),
          result(values + attention.keys * wide)
    {
    }

    std::int64_t columns;
    std::int64_t wide;
    float *scores;     ///< [kQueries, columns]
    float *keysAcross; ///< [scoreWidth, columns]
    float *values;     ///< [keys, wide]
    float *result;     ///< [kQueries, wide]
};

/// Keys of one head across, and its values in succession.
HEADSCOPE_INLINE void layOut(const Attention &attention, const HeadPlace &at, const Scratch &scratch)
{
    const std::int64_t width = attention.scoreWidth;
    for (std::int64_t j = 0; j < scratch.columns; j += kLanes) {
        const auto key
            = [&](std::int64_t r) HEADSCOPE_LAMBDA { // the last one is repeated: its scores are left out again
                  return attention.rows[std::min(j + r, attention.keys - 1)] + at.key;
              };
        std::int64_t d = 0;
        for (; d + kLanes <= width; d += kLanes) {
            Vector block[kLanes];
#pragma GCC unroll 16
            for (int r = 0; r < kLanes; ++r)
                block[r] = load(key(r) + d);
            transpose(block);
#pragma GCC unroll 16
            for (int r = 0; r < kLanes; ++r)
                store(scratch.keysAcross + (d + r) * scratch.columns + j, block[r]);
        }
        for (; d < width; ++d) {
            for (std::int64_t r = 0; r < kLanes; ++r)
                scratch.keysAcross[d * scratch.columns + j + r] = key(r)[d];
        }
    }
    for (std::int64_t j = 0; j < attention.keys; ++j) {
        const float *value = attention.rows[j] + at.value;
        for (std::int64_t d = 0; d < scratch.wide; ++d)
            scratch.values[j * scratch.wide + d] = d < attention.headWidth ? value[d] : 0.0F;
    }
}

/// One head of up to kQueries queries, from `first` on.
HEADSCOPE_INLINE void attendTogether(const Attention &attention, std::int64_t head, std::int64_t first,
                                     const Scratch &scratch)
{
    const std::int64_t width = attention.scoreWidth;
    const std::int64_t columns = scratch.columns;
    const std::int64_t wide = scratch.wide;
    const std::int64_t count = std::min(kQueries, attention.queries - first);
    float *scores = scratch.scores;
    const float *query[kQueries];
    for (std::int64_t i = 0; i < kQueries; ++i) // a last group's missing queries repeat its last
        query[i] = attention.query + ((first + std::min(i, count - 1)) * attention.heads + head) * width;
    for (std::int64_t j = 0; j < columns; j += kLanes) {
        Vector s0 = {}, s1 = {}, s2 = {}, s3 = {};
        for (std::int64_t d = 0; d < width; ++d) {
            const Vector key = load(scratch.keysAcross + d * columns + j);
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
    for (std::int64_t i = 0; i < kQueries; ++i)
        factor[i] = weighted(attention, head, first + std::min(i, count - 1), scores + i * columns);
    for (std::int64_t d = 0; d < wide; d += kLanes) {
        Vector c0 = {}, c1 = {}, c2 = {}, c3 = {};
        for (std::int64_t j = 0; j < attention.keys; ++j) {
            const Vector v = load(scratch.values + j * wide + d);
            c0 += scores[j] * v;
            c1 += scores[columns + j] * v;
            c2 += scores[2 * columns + j] * v;
            c3 += scores[3 * columns + j] * v;
        }
        store(scratch.result + d, c0 * factor[0]);
        store(scratch.result + wide + d, c1 * factor[1]);
        store(scratch.result + 2 * wide + d, c2 * factor[2]);
        store(scratch.result + 3 * wide + d, c3 * factor[3]);
    }
    for (std::int64_t i = 0; i < count; ++i)
        std::memcpy(attention.context + ((first + i) * attention.heads + head) * attention.headWidth,
                    scratch.result + i * wide, static_cast<std::size_t>(attention.headWidth) * sizeof(float));
}

/// The rows that the head reads of the positions that come next.
HEADSCOPE_INLINE void fetchNext(const Attention &attention, const HeadPlace &at)
{
    const auto fetch = [](const float *from, std::int64_t width) HEADSCOPE_LAMBDA {
        for (std::int64_t i = 0; i < width; i += kLanes)
            __builtin_prefetch(from + i, 0, 2);
    };
    const std::int64_t count = std::min(attention.nextKeys, kFetched);
    for (std::int64_t j = 0; j < count; ++j) {
        fetch(attention.nextRows[j] + at.key, attention.scoreWidth);
        fetch(attention.nextRows[j] + at.value, attention.headWidth);
    }
}

} // namespace

std::int64_t attentionScratch(std::int64_t keys, std::int64_t scoreWidth, std::int64_t headWidth)
{
    return padded(keys) * (kQueries + scoreWidth) + keys * padded(headWidth) + kQueries * padded(headWidth);
}

HEADSCOPE_VECTOR
void attend(const Attention &attention, float *memory)
{
    const Scratch scratch(memory, attention);
    for (std::int64_t h = 0; h < attention.heads; ++h) {
        const HeadPlace at{(attention.keyPlaces ? attention.keyPlaces[h] : h) * attention.scoreWidth,
                           attention.valueOffset
                               + (attention.valuePlaces ? attention.valuePlaces[h] : h) * attention.headWidth};
        fetchNext(attention, at);
        if (attention.queries < kFewestTogether) {
            for (std::int64_t i = 0; i < attention.queries; ++i)
                attendAlone(attention, h, i, at, scratch.scores);
            continue;
        }
        layOut(attention, at, scratch);
        for (std::int64_t first = 0; first < attention.queries; first += kQueries)
            attendTogether(attention, h, first, scratch);
    }
}

} // namespace headscope::kernels
