#pragma once

namespace headscope {

/// A confidence interval, both ends included.
struct Interval
{
    double low = 0;
    double high = 0;
    bool operator==(const Interval &) const = default;
};

} // namespace headscope
