#pragma once

#include <limits>

namespace headscope {

/// A score or correlation that the data does not give: of no examples, of values that do not vary.
inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

} // namespace headscope
