#include "core/roles/divergence.h"

#include "core/base/vectors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace headscope {
namespace {

using namespace vectors;

constexpr auto kStep = static_cast<std::size_t>(kLanes);

/// x·log2(x) for 0 ≤ x ≤ 1, 0 for 0: x = 2ᵉ·(1 + f) with |f| ≤ 1/3, and a polynomial for log2(1 + f) that is
/// within 1.7e-8.
HEADSCOPE_INLINE Vector timesLog2(Vector x)
{
    constexpr float kSmallest = 1e-37F; // what is less adds nothing
    const Vector positive = x > kSmallest ? x : Vector{} + kSmallest;
    const auto bits = std::bit_cast<Integers>(positive);
    const Integers exponent = (bits - 0x3f2aaaab) >> 23;
    const Vector f = std::bit_cast<Vector>(bits - (exponent << 23)) - 1.0F;
    Vector p = Vector{} + 0.19834616780F;
    p = p * f - 0.22209239006F;
    p = p * f + 0.20278251171F;
    p = p * f - 0.23681147397F;
    p = p * f + 0.28864336014F;
    p = p * f - 0.36078819633F;
    p = p * f + 0.48089745641F;
    p = p * f - 0.72134655714F;
    p = p * f + 1.44269502163F;
    return x * (__builtin_convertvector(exponent, Vector) + f * p);
}

/// own[h] = Σ_s p log2 p of head h; `weights` [keys, stride].
HEADSCOPE_VECTOR void ownSums(const float *weights, std::int64_t keys, std::size_t stride, float *own)
{
    for (std::size_t h = 0; h < stride; h += kStep) {
        Vector sum = {};
        for (std::int64_t s = 0; s < keys; ++s)
            sum += timesLog2(load(weights + static_cast<std::size_t>(s) * stride + h));
        store(own + h, sum);
    }
}

/// mixtures[i, j] = Σ_s m log2 m with m the mean of heads i and j, for j > i (and some others, to whole vectors).
HEADSCOPE_VECTOR void mixtureSums(const float *weights, std::int64_t keys, std::size_t heads, std::size_t stride,
                                  float *mixtures)
{
    for (std::size_t i = 0; i + 1 < heads; ++i) {
        for (std::size_t j = (i + 1) / kStep * kStep; j < stride; j += kStep) {
            Vector sum = {};
            for (std::int64_t s = 0; s < keys; ++s) {
                const float *row = weights + static_cast<std::size_t>(s) * stride;
                sum += timesLog2((load(row + j) + row[i]) * 0.5F);
            }
            store(mixtures + i * stride + j, sum);
        }
    }
}

double plogp(double p)
{
    return p <= 0 ? 0 : p * std::log(p); // NaN stays NaN
}

} // namespace

double jensenShannon(std::span<const float> p, std::span<const float> q)
{
    double sum = 0;
    for (std::size_t s = 0; s < p.size(); ++s) {
        const double mean = (static_cast<double>(p[s]) + static_cast<double>(q[s])) / 2;
        sum += (plogp(static_cast<double>(p[s])) + plogp(static_cast<double>(q[s]))) / 2 - plogp(mean);
    }
    return std::max(sum, 0.0);
}

double entropyOf(std::span<const float> p, double smoothing)
{
    double sum = 0;
    const double share = p.empty() ? 0 : smoothing / static_cast<double>(p.size());
    for (const float weight : p)
        sum -= plogp((1 - smoothing) * static_cast<double>(weight) + share);
    return std::max(sum, 0.0);
}

DivergenceSums::DivergenceSums(std::size_t heads, double smoothing)
    : m_heads(heads), m_smoothing(static_cast<float>(smoothing)),
      m_stride(static_cast<std::size_t>(padded(static_cast<std::int64_t>(heads)))), m_sums(heads),
      m_mixtures(heads * m_stride), m_own(m_stride)
{
}

void DivergenceSums::add(std::span<const float *const> rows, std::int64_t keys)
{
    const auto count = static_cast<std::size_t>(keys);
    m_weights.resize(std::max(m_weights.size(), count * m_stride));
    const float share = m_smoothing / static_cast<float>(keys);
    for (std::size_t h = 0; h < m_heads; ++h) {
        for (std::size_t s = 0; s < count; ++s)
            m_weights[s * m_stride + h] = (1 - m_smoothing) * rows[h][s] + share;
    }
    ownSums(m_weights.data(), keys, m_stride, m_own.data());
    mixtureSums(m_weights.data(), keys, m_heads, m_stride, m_mixtures.data());
    double *sum = m_sums.values().data();
    for (std::size_t i = 0; i + 1 < m_heads; ++i) {
        const float *mixture = m_mixtures.data() + i * m_stride;
        for (std::size_t j = i + 1; j < m_heads; ++j) {
            const float divergence = (m_own[i] + m_own[j]) * 0.5F - mixture[j];
            *sum++ += std::numbers::ln2 * static_cast<double>(std::max(divergence, 0.0F));
        }
    }
    ++m_queries;
}

void DivergenceSums::add(const DivergenceSums &other)
{
    for (std::size_t i = 0; i < m_sums.values().size(); ++i)
        m_sums.values()[i] += other.m_sums.values()[i];
    m_queries += other.m_queries;
}

} // namespace headscope
