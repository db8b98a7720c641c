#include "core/metrics/pairedtests.h"

#include <boost/math/distributions/binomial.hpp>

#include <algorithm>
#include <cassert>

namespace headscope {

DiscordantCounts discordantCounts(const StatisticsTable &first, const StatisticsTable &second)
{
    assert(first.rows == second.rows && first.columns == second.columns);
    DiscordantCounts counts;
    for (std::size_t i = 0; i < first.rows; ++i) {
        const double a = first.row(i)[0];
        const double b = second.row(i)[0];
        counts.onlyFirst += a > b ? 1 : 0;
        counts.onlySecond += a < b ? 1 : 0;
    }
    return counts;
}

double mcnemarP(const DiscordantCounts &counts)
{
    const std::int64_t all = counts.onlyFirst + counts.onlySecond;
    if (all == 0)
        return 1;
    const boost::math::binomial chance(static_cast<double>(all), 0.5);
    return std::min(1.0, 2 * boost::math::cdf(chance, std::min(counts.onlyFirst, counts.onlySecond)));
}

std::optional<double> mcnemarTest(const Metric &metric, const StatisticsTable &first, const StatisticsTable &second)
{
    if (!metric.isRightOrWrong())
        return std::nullopt;
    return mcnemarP(discordantCounts(first, second));
}

} // namespace headscope
