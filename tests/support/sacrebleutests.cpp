#include "tests/support/sacrebleutests.h"

#include "core/base/random.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headscope {

namespace {

double meanOf(const std::vector<double> &values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

} // namespace

SacrebleuTest sacrebleuPairedBootstrap(const StatisticsTable &baseline, const StatisticsTable &system,
                                       const Metric &metric, std::int64_t resamples, std::uint64_t seed)
{
    const PairedBootstrap bootstrap(baseline, metric, resamples, seed);
    const auto scores = bootstrap.scores(system);
    std::vector<double> differences(scores.size());
    std::transform(scores.begin(), scores.end(), bootstrap.baselineScores().begin(), differences.begin(),
                   [](double a, double b) { return std::abs(a - b); });

    SacrebleuTest result;
    result.score = metric.score(system.sums());
    const double observed = std::abs(result.score - bootstrap.baselineScore());
    const double mean = meanOf(differences);
    const auto above = std::count_if(differences.begin(), differences.end(),
                                     [&](double difference) { return difference - mean > observed; });
    result.p = static_cast<double>(above + 1) / static_cast<double>(resamples + 1);
    result.mean = meanOf(scores);
    const Interval interval = percentileInterval(scores);
    result.halfWidth = (interval.high - interval.low) / 2;
    return result;
}

SacrebleuTest sacrebleuApproximateRandomisation(const StatisticsTable &baseline, const StatisticsTable &system,
                                                const Metric &metric, std::int64_t trials, std::uint64_t seed)
{
    SacrebleuTest result;
    const auto sumA = system.sums();
    const auto sumB = baseline.sums();
    result.score = metric.score(sumA);
    const double observed = std::abs(result.score - metric.score(sumB));
    RandomBits bits(seed);
    std::int64_t above = 0;
    std::vector<double> a;
    std::vector<double> b;
    for (std::int64_t trial = 0; trial < trials; ++trial) {
        a = sumA;
        b = sumB;
        for (std::size_t i = 0; i < baseline.rows; ++i) {
            if (!bits.next())
                continue;
            for (std::size_t k = 0; k < baseline.columns; ++k) {
                const double exchanged = baseline.row(i)[k] - system.row(i)[k];
                a[k] += exchanged;
                b[k] -= exchanged;
            }
        }
        above += std::abs(metric.score(a) - metric.score(b)) > observed ? 1 : 0;
    }
    result.p = static_cast<double>(above + 1) / static_cast<double>(trials + 1);
    return result;
}

} // namespace headscope
