#include "core/metrics/randomization.h"

#include "core/base/random.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace headscope {

double approximateRandomizationP(const StatisticsTable &first, const StatisticsTable &second, const Metric &metric,
                                 std::int64_t trials, std::uint64_t seed)
{
    assert(first.rows == second.rows && first.columns == second.columns);
    const std::size_t columns = first.columns;
    // Only examples in which they differ have anything to exchange.
    std::vector<double> exchanged; // [rows, K]: what the first gains
    for (std::size_t i = 0; i < first.rows; ++i) {
        const auto a = first.row(i);
        const auto b = second.row(i);
        if (std::equal(a.begin(), a.end(), b.begin()))
            continue;
        for (std::size_t k = 0; k < columns; ++k)
            exchanged.push_back(b[k] - a[k]);
    }
    const std::size_t rows = columns > 0 ? exchanged.size() / columns : 0;
    if (rows == 0 || trials <= 0)
        return 1;
    const auto sumsA = first.sums();
    const auto sumsB = second.sums();
    const double observed = std::abs(metric.score(sumsA) - metric.score(sumsB));
    // Sums in another order differ in their last digits; equal differences must count as equal.
    const double atLeast = observed * (1 - 1e-9);
    Random random(seed);
    std::int64_t count = 0;
    constexpr std::size_t kTogether = 64; // trials per random number
    std::vector<double> gains(kTogether * columns);
    std::vector<double> a(columns);
    std::vector<double> b(columns);
    for (std::int64_t done = 0; done < trials; done += kTogether) {
        std::fill(gains.begin(), gains.end(), 0);
        for (std::size_t i = 0; i < rows; ++i) {
            const std::uint64_t bits = random.next64();
            const double *values = exchanged.data() + i * columns;
            for (std::size_t t = 0; t < kTogether; ++t) {
                const double taken = static_cast<double>((bits >> t) & 1);
                for (std::size_t k = 0; k < columns; ++k)
                    gains[t * columns + k] += taken * values[k];
            }
        }
        const auto now = static_cast<std::size_t>(std::min<std::int64_t>(kTogether, trials - done));
        for (std::size_t t = 0; t < now; ++t) {
            for (std::size_t k = 0; k < columns; ++k) {
                a[k] = sumsA[k] + gains[t * columns + k];
                b[k] = sumsB[k] - gains[t * columns + k];
            }
            // "Not less" includes NaN, which must never make a difference significant.
            count += std::abs(metric.score(a) - metric.score(b)) < atLeast ? 0 : 1;
        }
    }
    return static_cast<double>(count + 1) / static_cast<double>(trials + 1);
}

} // namespace headscope
