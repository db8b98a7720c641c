#include "core/exporting/verdictrules.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope {
namespace {

constexpr double kNormalQuantile = 1.959963984540054; ///< of 97.5 %

double meanOf(const std::vector<double> &values)
{
    double sum = 0;
    for (const double value : values)
        sum += value;
    return sum / static_cast<double>(values.size());
}

/// The variance of the mean, by that of a sample.
double meanVariance(const std::vector<double> &values, double mean)
{
    double sum = 0;
    for (const double value : values)
        sum += (value - mean) * (value - mean);
    const auto n = static_cast<double>(values.size());
    return sum / (n - 1) / n;
}

/// Student's t for 97.5 %: between 1 and 3 degrees of freedom, where it is convex, by lines between its values over
/// their inverses, which are rather too large; above by Hill's expansion about the normal quantile (Communications of
/// the ACM 13, 1970), within 1 %.
double studentQuantile(double degrees)
{
    constexpr double kOf1 = 12.706;
    constexpr double kOf2 = 4.303;
    constexpr double kOf3 = 3.182;
    const double inverse = 1 / std::max(degrees, 1.0);
    if (degrees < 2)
        return kOf2 + (inverse - 0.5) / 0.5 * (kOf1 - kOf2);
    if (degrees < 3)
        return kOf3 + (inverse - 1.0 / 3) / (0.5 - 1.0 / 3) * (kOf2 - kOf3);
    const double z = kNormalQuantile;
    const double z3 = z * z * z;
    const double z5 = z3 * z * z;
    const double z7 = z5 * z * z;
    return z + (z3 + z) * inverse / 4 + (5 * z5 + 16 * z3 + 3 * z) * inverse * inverse / 96
         + (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) * inverse * inverse * inverse / 384;
}

} // namespace

Verdict verdictOf(bool holds)
{
    return verdictOf(holds, !holds);
}

Verdict verdictOf(bool holds, bool doesNotHold)
{
    return holds ? Verdict::Holds : doesNotHold ? Verdict::DoesNotHold : Verdict::CannotBeTold;
}

Verdict verdictAbove(const Interval &interval, double limit)
{
    return verdictOf(interval.low > limit, interval.high < limit);
}

Interval shareInterval(double share, std::int64_t count)
{
    if (count <= 0)
        return {0, 1};
    const auto n = static_cast<double>(count);
    const double z2 = kNormalQuantile * kNormalQuantile;
    const double middle = (share + z2 / (2 * n)) / (1 + z2 / n);
    const double half = kNormalQuantile / (1 + z2 / n) * std::sqrt(share * (1 - share) / n + z2 / (4 * n * n));
    return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

Interval meanDifference(const std::vector<double> &a, const std::vector<double> &b)
{
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    if (a.size() < 2 || b.size() < 2)
        return {kNone, kNone};
    const double meanA = meanOf(a);
    const double meanB = meanOf(b);
    const double ofA = meanVariance(a, meanA);
    const double ofB = meanVariance(b, meanB);
    const double variance = ofA + ofB;
    double half = 0;
    if (variance > 0) {
        const double degrees
            = variance * variance
            / (ofA * ofA / static_cast<double>(a.size() - 1) + ofB * ofB / static_cast<double>(b.size() - 1));
        half = studentQuantile(degrees) * std::sqrt(variance);
    }
    return {meanA - meanB - half, meanA - meanB + half};
}

Loss lossOf(Better better, const Interval &delta, bool isSignificant, double margin, double unseen, double whole)
{
    const Interval gained = gain(better, delta);
    const bool isConstant = gained.low == gained.high;
    const bool isSmall = gained.low >= -margin && (!isConstant || unseen * std::abs(whole) <= margin);
    if (isSmall)
        return Loss::Small;
    return isSignificant && gained.high < 0 ? Loss::Real : Loss::Unknown;
}

Verdict mostAreSmall(std::int64_t small, std::int64_t real, std::int64_t all)
{
    return verdictOf(2 * small > all, all > 0 && 2 * real >= all);
}

Verdict allAreSmall(std::int64_t small, std::int64_t real, std::int64_t all)
{
    if (real > 0)
        return Verdict::DoesNotHold;
    return all > 0 && small == all ? Verdict::Holds : Verdict::CannotBeTold;
}

} // namespace headscope
