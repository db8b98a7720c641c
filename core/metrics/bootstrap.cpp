#include "core/metrics/bootstrap.h"

#include "core/base/random.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace headscope {

namespace {

// Resamples that are summed together: their sums and counts stay in the first-level cache.
constexpr std::size_t kBlock = 256;

constexpr Interval kUnknown = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};

} // namespace

Interval percentileInterval(std::vector<double> scores)
{
    if (scores.empty())
        return {};
    // A NaN has no place in an order.
    if (const auto nan = std::find_if(scores.begin(), scores.end(), [](double s) { return std::isnan(s); });
        nan != scores.end())
        return {*nan, *nan};
    std::sort(scores.begin(), scores.end());
    const std::size_t cut = scores.size() / 40;
    return {scores[cut], scores[scores.size() - cut - 1]};
}

PairedBootstrap::PairedBootstrap(StatisticsTable baseline, const Metric &metric, std::int64_t resamples,
                                 std::uint64_t seed, double sampleRatio)
    : m_baseline(std::move(baseline)), m_metric(&metric),
      m_resamples(m_baseline.rows > 0 ? static_cast<std::size_t>(std::max<std::int64_t>(0, resamples)) : 0)
{
    draw(seed, sampleRatio);
    if (m_metric->isFunctionOfSums())
        m_baselineSums = resampledSums(m_baseline);
    m_baselineScores = m_metric->isFunctionOfSums() ? scoresOf(m_baselineSums) : scores(m_baseline);
    m_baselineScore = m_metric->scoreOf(m_baseline);
}

Interval PairedBootstrap::baselineInterval() const
{
    return m_baseline.rows == 1 ? kUnknown : percentileInterval(m_baselineScores);
}

void PairedBootstrap::draw(std::uint64_t seed, double sampleRatio)
{
    m_counts.assign(m_baseline.rows * m_resamples, 0);
    Random random(seed);
    const auto examples = static_cast<std::uint32_t>(m_baseline.rows);
    const auto drawn = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(examples * sampleRatio));
    const bool bySums = m_metric->isFunctionOfSums();
    const std::size_t exampleStep = bySums ? m_resamples : 1;
    const std::size_t resampleStep = bySums ? 1 : m_baseline.rows;
    for (std::size_t r = 0; r < m_resamples; ++r) {
        for (std::uint32_t i = 0; i < drawn; ++i) {
            std::uint8_t &count = m_counts[random.below(examples) * exampleStep + r * resampleStep];
            // More than 255 times the same of N > 255 examples: chance below 10^-500.
            assert(count < std::numeric_limits<std::uint8_t>::max());
            ++count;
        }
    }
}

/// sums[k * kBlock + r] += counts of resamples first … first + count − 1, times the values [rows, K].
void PairedBootstrap::addWeighted(std::span<const std::size_t> rows, const std::vector<double> &values,
                                  std::size_t first, std::size_t count, std::vector<double> &sums) const
{
    const std::size_t columns = m_baseline.columns;
    std::array<double, kBlock> weights;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::uint8_t *counts = m_counts.data() + rows[i] * m_resamples + first;
        for (std::size_t r = 0; r < count; ++r)
            weights[r] = counts[r];
        for (std::size_t k = 0; k < columns; ++k) {
            const double value = values[i * columns + k];
            if (value == 0)
                continue;
            double *sum = sums.data() + k * kBlock;
            for (std::size_t r = 0; r < count; ++r)
                sum[r] += value * weights[r];
        }
    }
}

/// [R, K]: sums over each resample, taken as baseline sums plus those of the differing rows.
std::vector<double> PairedBootstrap::resampledSums(const StatisticsTable &table) const
{
    const std::size_t columns = m_baseline.columns;
    const bool fromZero = m_baselineSums.empty();
    std::vector<std::size_t> rows;
    std::vector<double> values;
    for (std::size_t i = 0; i < table.rows; ++i) {
        const auto row = table.row(i);
        const auto base = m_baseline.row(i);
        if (!fromZero && std::equal(row.begin(), row.end(), base.begin()))
            continue;
        rows.push_back(i);
        for (std::size_t k = 0; k < columns; ++k)
            values.push_back(fromZero ? row[k] : row[k] - base[k]);
    }

    std::vector<double> result = fromZero ? std::vector<double>(m_resamples * columns, 0) : m_baselineSums;
    std::vector<double> sums(columns * kBlock);
    for (std::size_t first = 0; first < m_resamples; first += kBlock) {
        const std::size_t count = std::min(kBlock, m_resamples - first);
        std::fill(sums.begin(), sums.end(), 0);
        addWeighted(rows, values, first, count, sums);
        for (std::size_t r = 0; r < count; ++r) {
            for (std::size_t k = 0; k < columns; ++k)
                result[(first + r) * columns + k] += sums[k * kBlock + r];
        }
    }
    return result;
}

std::vector<double> PairedBootstrap::scoresOf(const std::vector<double> &sums) const
{
    std::vector<double> result(m_resamples);
    for (std::size_t r = 0; r < m_resamples; ++r)
        result[r] = m_metric->score(std::span(sums).subspan(r * m_baseline.columns, m_baseline.columns));
    return result;
}

std::vector<double> PairedBootstrap::scores(const StatisticsTable &variant) const
{
    return m_metric->isFunctionOfSums() ? scoresOf(resampledSums(variant)) : m_metric->scoresOf(variant, m_counts);
}

PairedComparison PairedBootstrap::compare(const StatisticsTable &variant) const
{
    assert(variant.rows == m_baseline.rows && variant.columns == m_baseline.columns);
    PairedComparison result;
    result.score = m_metric->scoreOf(variant);
    result.delta = result.score - m_baselineScore;
    result.interval = {result.delta, result.delta};
    for (std::size_t i = 0; i < variant.rows; ++i) {
        const auto row = variant.row(i);
        result.changed += std::equal(row.begin(), row.end(), m_baseline.row(i).begin()) ? 0 : 1;
    }
    if (m_resamples == 0)
        return result;
    if (m_baseline.rows == 1) { // every resample is the same example: no width, and nothing is significant
        result.interval = kUnknown;
        return result;
    }
    if (result.changed == 0) {
        result.replicates = {result.delta};
        return result;
    }

    std::vector<double> deltas = scores(variant);
    std::transform(deltas.begin(), deltas.end(), m_baselineScores.begin(), deltas.begin(), std::minus<>());
    // "Not" includes NaN, which must never make a difference significant.
    const auto notAbove = std::count_if(deltas.begin(), deltas.end(), [](double d) { return !(d > 0); });
    const auto notBelow = std::count_if(deltas.begin(), deltas.end(), [](double d) { return !(d < 0); });
    const auto fewer = static_cast<double>(std::min(notAbove, notBelow));
    result.p = std::min(1.0, 2 * (fewer + 1) / (static_cast<double>(m_resamples) + 1));
    result.interval = percentileInterval(deltas);
    std::sort(deltas.begin(), deltas.end());
    result.replicates = std::move(deltas);
    return result;
}

std::vector<double> meansOfShares(std::span<const double> ascending, std::size_t shares)
{
    if (ascending.size() <= shares)
        return {ascending.begin(), ascending.end()};
    std::vector<double> means;
    for (std::size_t s = 0; s < shares; ++s) {
        const std::size_t from = s * ascending.size() / shares;
        const std::size_t to = (s + 1) * ascending.size() / shares;
        const auto share = ascending.subspan(from, to - from);
        means.push_back(std::accumulate(share.begin(), share.end(), 0.0) / static_cast<double>(share.size()));
    }
    return means;
}

Interval bootstrapInterval(const StatisticsTable &table, const Metric &metric, std::int64_t resamples,
                           std::uint64_t seed)
{
    if (table.rows == 0 || resamples <= 0) {
        const double score = metric.scoreOf(table);
        return {score, score};
    }
    return PairedBootstrap(table, metric, resamples, seed).baselineInterval();
}

PairedComparison pairedBootstrap(const StatisticsTable &baseline, const StatisticsTable &variant,
                                 const Metric &metric, std::int64_t resamples, std::uint64_t seed)
{
    return PairedBootstrap(baseline, metric, resamples, seed).compare(variant);
}

} // namespace headscope
