#include "core/results/meaninterval.h"

#include "core/metrics/pairedtests.h"

namespace headscope {

std::optional<Interval> meanInterval(double mean, double standardError, std::int64_t count)
{
    if (!(standardError > 0) || count < 2)
        return std::nullopt;
    const double half = studentsT(static_cast<double>(count - 1)) * standardError;
    return Interval{mean - half, mean + half};
}

} // namespace headscope
