#pragma once

#include "core/base/pairtable.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace headscope {

/// Jensen–Shannon divergence of two distributions over the same keys, in nats: 0 … ln 2. In doubles, term by term: what
/// DivergenceSums must come to.
double jensenShannon(std::span<const float> p, std::span<const float> q);

/// −Σ p ln p of a distribution, in nats, after p ← (1 − smoothing)·p + smoothing/n.
double entropyOf(std::span<const float> p, double smoothing = 0);

/// Divergences of every two of H heads, summed over queries: H(m) − (H(p) + H(q))/2 with m = (p + q)/2, in f32 by
/// vectors of heads, within 3e-6 of jensenShannon(). Memory: H². Distributions are smoothed as in entropyOf().
class DivergenceSums
{
public:
    explicit DivergenceSums(std::size_t heads, double smoothing = 0);

    /// One query: rows[h] are the weights of head h over `keys` keys.
    void add(std::span<const float *const> rows, std::int64_t keys);
    void add(const DivergenceSums &other);

    const PairTable &sums() const { return m_sums; }
    std::int64_t queries() const { return m_queries; }

private:
    std::size_t m_heads;
    float m_smoothing;
    std::size_t m_stride; ///< heads, rounded up to whole vectors
    PairTable m_sums;
    std::int64_t m_queries = 0;
    std::vector<float> m_weights;  ///< [keys, stride]
    std::vector<float> m_mixtures; ///< [heads, stride]: Σ m log2 m of every pair
    std::vector<float> m_own;      ///< [stride]: Σ p log2 p
};

} // namespace headscope
