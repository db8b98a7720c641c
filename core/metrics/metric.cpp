#include "core/metrics/metric.h"

namespace headscope {

std::vector<double> StatisticsTable::sums() const
{
    std::vector<double> result(columns, 0);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t k = 0; k < columns; ++k)
            result[k] += values[i * columns + k];
    }
    return result;
}

double Metric::scoreOf(const StatisticsTable &table, std::span<const std::uint8_t> counts) const
{
    if (counts.empty())
        return score(table.sums());
    std::vector<double> sums(table.columns, 0);
    for (std::size_t i = 0; i < table.rows; ++i) {
        if (counts[i] == 0)
            continue;
        for (std::size_t k = 0; k < table.columns; ++k)
            sums[k] += counts[i] * table.values[i * table.columns + k];
    }
    return score(sums);
}

std::vector<double> Metric::scoresOf(const StatisticsTable &table, std::span<const std::uint8_t> counts) const
{
    std::vector<double> scores;
    for (std::size_t first = 0; first < counts.size(); first += table.rows)
        scores.push_back(scoreOf(table, counts.subspan(first, table.rows)));
    return scores;
}

} // namespace headscope
