#include "core/metrics/pairedtests.h"

#include "core/base/random.h"
#include "core/metrics/weightedsums.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace headscope {
namespace {

using ByteOfBits = std::array<float, 8>;

/// The bits of every byte as weights 0 and 1, lowest bit first.
constexpr std::array<ByteOfBits, 256> kBits = [] {
    std::array<ByteOfBits, 256> all{};
    for (unsigned byte = 0; byte < all.size(); ++byte) {
        for (unsigned bit = 0; bit < 8; ++bit)
            all[byte][bit] = static_cast<float>((byte >> bit) & 1U);
    }
    return all;
}();

/// One random number decides an example's exchange in all trials of a block. `weights` are those from row `first` on.
static_assert(kWeightSets == 64);
void drawExchanges(Random &random, std::span<const std::uint32_t> rows, std::size_t first, std::span<float> weights)
{
    for (const std::uint32_t row : rows) {
        std::uint64_t bits = random.next64();
        float *weight = weights.data() + (row - first) * kWeightSets;
        for (std::size_t byte = 0; byte < 8; ++byte, bits >>= 8, weight += 8)
            std::ranges::copy(kBits[bits & 0xff], weight);
    }
}

/// [K, kWeightSets]: what the first system gains by exchanging in the next trials.
void drawGains(Random &random, const SparseStatistics &exchanged, std::span<float> weights, std::span<double> gains)
{
    std::ranges::fill(gains, 0);
    for (auto rows = exchanged.rows(); !rows.empty();) {
        const std::size_t first = rows.front();
        const auto end = std::ranges::lower_bound(rows, first + kWeightSlice);
        const auto now = rows.first(static_cast<std::size_t>(end - rows.begin()));
        drawExchanges(random, now, first, weights);
        exchanged.addSums(weights, first, gains);
        rows = rows.subspan(now.size());
    }
}

} // namespace

double approximateRandomizationP(const StatisticsTable &first, const StatisticsTable &second, const Metric &metric,
                                 std::int64_t trials, std::uint64_t seed)
{
    assert(first.rows == second.rows && first.columns == second.columns);
    // Only examples in which they differ have anything to exchange.
    const SparseStatistics exchanged(second, first);
    if (exchanged.rows().empty() || trials <= 0)
        return 1;
    const auto sumsA = first.sums();
    const auto sumsB = second.sums();
    const double observed = std::abs(metric.score(sumsA) - metric.score(sumsB));
    // Sums in another order differ in their last digits; equal differences must count as equal.
    const double atLeast = observed * (1 - 1e-9);
    Random random(seed);
    std::int64_t count = 0;
    std::vector<float> weights(kWeightSlice * kWeightSets);
    std::vector<double> gains(first.columns * kWeightSets); // of the first; the second's losses
    std::vector<double> a(first.columns);
    std::vector<double> b(first.columns);
    for (std::int64_t done = 0; done < trials; done += kWeightSets) {
        drawGains(random, exchanged, weights, gains);
        const auto now = std::min(kWeightSets, static_cast<std::size_t>(trials - done));
        for (std::size_t t = 0; t < now; ++t) {
            for (std::size_t k = 0; k < first.columns; ++k) {
                a[k] = sumsA[k] + gains[k * kWeightSets + t];
                b[k] = sumsB[k] - gains[k * kWeightSets + t];
            }
            // "Not less" includes NaN, which must never make a difference significant.
            count += std::abs(metric.score(a) - metric.score(b)) < atLeast ? 0 : 1;
        }
    }
    return static_cast<double>(count + 1) / static_cast<double>(trials + 1);
}

} // namespace headscope
