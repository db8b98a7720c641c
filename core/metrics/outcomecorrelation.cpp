#include "core/metrics/outcomecorrelation.h"

#include "core/metrics/undefined.h"
#include "core/metrics/weightedcorrelation.h"

#include <algorithm>
#include <cmath>

namespace headscope {

namespace {

std::vector<double> columnOf(const StatisticsTable &table, std::size_t column)
{
    std::vector<double> values(table.rows);
    for (std::size_t i = 0; i < table.rows; ++i)
        values[i] = table.row(i)[column];
    return values;
}

bool areFinite(std::span<const double> values)
{
    return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

/// False for numbers that are one constant but for the rounding of the float32 logits that they are: what is left of
/// its squares, n·Σx² − (Σx)², correlates with anything by chance.
bool varies(double n, double sum, double sumOfSquares)
{
    constexpr double kRounding = 1e-12; // 1e-6 of the numbers' size
    return n * sumOfSquares - sum * sum > kRounding * n * sumOfSquares;
}

/// Whether numbers differ, each there as often as `counts` says; empty: once.
bool varies(std::span<const double> values, std::span<const std::uint8_t> counts)
{
    double n = 0, sum = 0, sumOfSquares = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double count = counts.empty() ? 1 : counts[i];
        n += count;
        sum += count * values[i];
        sumOfSquares += count * values[i] * values[i];
    }
    return varies(n, sum, sumOfSquares);
}

double zeroIfUndefined(double r)
{
    return std::isnan(r) ? 0 : r;
}

/// The common part of all resamples of one table: its two columns and their order.
class RankCorrelation
{
public:
    explicit RankCorrelation(const StatisticsTable &table)
        : m_x(columnOf(table, 0)), m_y(columnOf(table, 1)), m_isDefined(areFinite(m_x) && areFinite(m_y))
    {
        if (m_isDefined) {
            m_orderX = ascendingOrder(m_x);
            m_orderY = ascendingOrder(m_y);
        }
    }

    double of(std::span<const std::uint8_t> counts) const
    {
        if (!m_isDefined)
            return kUndefined;
        if (!varies(m_y, counts))
            return 0;
        return zeroIfUndefined(correlate(meanRanks(m_x, m_orderX, counts), meanRanks(m_y, m_orderY, counts), counts));
    }

private:
    std::vector<double> m_x;
    std::vector<double> m_y;
    bool m_isDefined;
    std::vector<std::size_t> m_orderX;
    std::vector<std::size_t> m_orderY;
};

} // namespace

std::string PearsonMetric::signature() const
{
    return "undefined:0|impl:headscope";
}

double PearsonMetric::score(std::span<const double> sums) const
{
    const double n = sums[0];
    if (!areFinite(sums))
        return kUndefined;
    const double xx = n * sums[3] - sums[1] * sums[1];
    const double yy = n * sums[4] - sums[2] * sums[2];
    if (!varies(n, sums[1], sums[3]) || !varies(n, sums[2], sums[4]))
        return 0;
    const double r = (n * sums[5] - sums[1] * sums[2]) / (std::sqrt(xx) * std::sqrt(yy));
    return std::clamp(r, -1.0, 1.0);
}

double PearsonMetric::scoreOf(const StatisticsTable &table, std::span<const std::uint8_t> counts) const
{
    const auto x = columnOf(table, 1);
    const auto y = columnOf(table, 2);
    if (!areFinite(x) || !areFinite(y))
        return kUndefined;
    return varies(y, counts) ? zeroIfUndefined(correlate(x, y, counts)) : 0;
}

void PearsonMetric::statistics(const Outcome &outcome, std::span<double> out) const
{
    const double x = outcome.wanted;
    const double y = outcome.value;
    const double values[] = {1, x, y, x * x, y * y, x * y};
    std::copy(std::begin(values), std::end(values), out.begin());
}

std::string SpearmanMetric::signature() const
{
    return "ties:mean|undefined:0|impl:headscope";
}

double SpearmanMetric::score(std::span<const double>) const
{
    return kUndefined;
}

double SpearmanMetric::scoreOf(const StatisticsTable &table, std::span<const std::uint8_t> counts) const
{
    return RankCorrelation(table).of(counts);
}

std::vector<double> SpearmanMetric::scoresOf(const StatisticsTable &table, std::span<const std::uint8_t> counts) const
{
    const RankCorrelation correlation(table);
    std::vector<double> scores;
    for (std::size_t first = 0; first < counts.size(); first += table.rows)
        scores.push_back(correlation.of(counts.subspan(first, table.rows)));
    return scores;
}

void SpearmanMetric::statistics(const Outcome &outcome, std::span<double> out) const
{
    out[0] = outcome.wanted;
    out[1] = outcome.value;
}

} // namespace headscope
