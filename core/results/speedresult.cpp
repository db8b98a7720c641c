#include "core/results/speedresult.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace headscope {
namespace {

/// Between the two nearest of sorted values, linearly (the quantile of R's type 7 and numpy's default).
double quantile(const std::vector<double> &sorted, double share)
{
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

} // namespace

Spread Spread::of(std::vector<double> values)
{
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    if (values.empty())
        return {kNone, kNone, kNone, kNone, kNone};
    std::ranges::sort(values);
    const auto count = static_cast<double>(values.size());
    Spread spread;
    spread.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double squares = 0;
    for (const double value : values)
        squares += (value - spread.mean) * (value - spread.mean);
    spread.deviation = values.size() > 1 ? std::sqrt(squares / (count - 1)) : kNone;
    spread.median = quantile(values, 0.5);
    spread.lower = quantile(values, 0.25);
    spread.upper = quantile(values, 0.75);
    return spread;
}

} // namespace headscope
