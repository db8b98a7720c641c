#pragma once

#include "core/base/interval.h"

#include <cstdint>
#include <optional>

namespace headscope {

/// 95 %, of a mean of `count` values by its standard error: Student's t with count − 1 degrees of freedom. Nothing
/// where the error was not estimated (NaN, 0), and of fewer than two values.
std::optional<Interval> meanInterval(double mean, double standardError, std::int64_t count);

} // namespace headscope
