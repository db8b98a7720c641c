#pragma once

#include "core/base/vectorunits.h"

#include <bit>
#include <cstdint>
#include <cstring>

/// Vectors of floats for loops marked HEADSCOPE_VECTOR: all that these call is inlined into every version of them.
namespace headscope::vectors {

constexpr std::int64_t kLanes = 16; // of the widest vectors: rows of scores are padded to it

HEADSCOPE_INLINE std::int64_t padded(std::int64_t count)
{
    return (count + kLanes - 1) / kLanes * kLanes;
}

/// As many floats as the widest vectors have; narrower processors take several steps for one.
using Vector = float __attribute__((vector_size(64), aligned(4)));
using Integers = std::int32_t __attribute__((vector_size(64), aligned(4)));

HEADSCOPE_INLINE Vector load(const float *from)
{
    Vector value;
    std::memcpy(&value, from, sizeof(value));
    return value;
}
HEADSCOPE_INLINE void store(float *to, const Vector &value)
{
    std::memcpy(to, &value, sizeof(value));
}

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

/// eˣ for x ≤ 0, relative error below 2e-7: 2ⁿ·eʳ with |r| ≤ ln 2 / 2 (Cephes' polynomial).
HEADSCOPE_INLINE Vector expOfNegative(Vector x)
{
    constexpr float kRound = 12582912.0F; // adding 1.5·2²³ leaves no digits after the point
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

/// tanh x, relative error below 1e-6: the first terms of its series near 0, else by e^(−2|x|).
HEADSCOPE_INLINE Vector tanhOf(Vector x)
{
    const Vector square = x * x;
    Vector series = Vector{} + 3.5921280e-3F;
    series = series * square - 8.8632355e-3F;
    series = series * square + 2.1869489e-2F;
    series = series * square - 5.3968254e-2F;
    series = series * square + 1.3333334e-1F;
    series = series * square - 3.3333334e-1F;
    series = x + x * (series * square);
    const Vector size = x < 0 ? -x : x;
    const Vector e = expOfNegative(-2.0F * size);
    const Vector far = (1.0F - e) / (1.0F + e);
    return size < 0.5F ? series : x < 0 ? -far : far;
}

} // namespace headscope::vectors
