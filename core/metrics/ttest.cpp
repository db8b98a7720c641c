#include "core/metrics/pairedtests.h"

#include "core/metrics/inference.h"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace headscope {

std::optional<double> pairedTTest(const Metric &metric, const StatisticsTable &first, const StatisticsTable &second)
{
    if (!metric.isRightOrWrong() || first.rows < 2)
        return std::nullopt;
    assert(first.rows == second.rows && first.columns == second.columns);
    const auto n = static_cast<double>(first.rows);
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < first.rows; ++i) {
        const double difference = first.row(i)[0] - second.row(i)[0];
        sum += difference;
        squares += difference * difference;
    }
    if (squares == 0)
        return 1;
    const double mean = sum / n;
    const double variance = std::max(0.0, squares - n * mean * mean) / (n - 1);
    if (variance == 0) // all examples turn the same way
        return smallestSignP(static_cast<std::int64_t>(first.rows));
    const double t = std::abs(mean) / std::sqrt(variance / n);
    return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(n - 1), t));
}

double studentsT(double degrees)
{
    constexpr double kTail = 0.025;
    if (!(degrees > 0))
        return std::numeric_limits<double>::infinity();
    return boost::math::quantile(boost::math::complement(boost::math::students_t(degrees), kTail));
}

double oneSidedTTest(double difference, double standardError, std::int64_t n)
{
    if (n < 2)
        return 1;
    if (!(standardError > 0)) // nor of what is not known
        return difference > 0 ? smallestSignP(n) / 2 : 1;
    const boost::math::students_t distribution(static_cast<double>(n - 1));
    return boost::math::cdf(boost::math::complement(distribution, difference / standardError));
}

} // namespace headscope
