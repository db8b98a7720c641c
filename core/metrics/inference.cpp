#include "core/metrics/inference.h"

#include "core/metrics/bootstrap.h"
#include "core/metrics/pairedtests.h"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope {
namespace {

constexpr double kBothTails = 0.05;

/// Moments of replicates.
struct Moments
{
    double deviation = 0; ///< the standard one
    double skewness = 0;
};

Moments momentsOf(std::span<const double> replicates)
{
    const auto count = static_cast<double>(replicates.size());
    double mean = 0;
    for (const double value : replicates)
        mean += value / count;
    double squares = 0;
    double cubes = 0;
    for (const double value : replicates) {
        const double off = value - mean;
        squares += off * off / count;
        cubes += off * off * off / count;
    }
    const double deviation = std::sqrt(squares);
    return {deviation, deviation > 0 ? cubes / (squares * deviation) : 0};
}

/// Whether replicates differ by more than what adding in another order makes.
bool haveSpread(std::span<const double> ascending)
{
    const double low = ascending.front();
    const double high = ascending.back();
    return high - low > 1e-12 * std::max(std::abs(low), std::abs(high));
}

/// Student's t with Johnson's term on the side of the skew.
class SkewedT
{
public:
    SkewedT(const SampledNumber &number, std::span<const double> replicates)
        : m_value(number.value), m_distribution(std::isnan(number.degrees) ? static_cast<double>(number.examples - 1)
                                                                           : std::max(1.0, number.degrees))
    {
        const Moments moments = momentsOf(replicates);
        const auto n = static_cast<double>(number.examples);
        m_error = moments.deviation * std::sqrt(n / (n - 1));
        if (number.examples > 2) // two values have none
            m_skewness = moments.skewness * std::sqrt(n * (n - 1)) / (n - 2);
    }

    Interval interval() const
    {
        const double t = boost::math::quantile(boost::math::complement(m_distribution, kBothTails / 2));
        const double skewed = m_skewness * (2 * t * t + 1) / 6;
        return {m_value - m_error * (t - std::min(skewed, 0.0)), m_value + m_error * (t + std::max(skewed, 0.0))};
    }

    /// By which t the end of the interval that is nearer to zero would lie there.
    double p() const
    {
        const double distance = std::abs(m_value) / m_error;
        const double skewness = m_value > 0 ? -m_skewness : m_skewness; // towards zero where above it
        double t = distance;
        if (skewness > 0) { // t + skewness (2 t² + 1) / 6 = distance
            const double rest = distance - skewness / 6;
            t = rest <= 0 ? 0 : 2 * rest / (1 + std::sqrt(1 + 4 * skewness / 3 * rest));
        }
        return 2 * boost::math::cdf(boost::math::complement(m_distribution, t));
    }

private:
    double m_value;
    boost::math::students_t m_distribution;
    double m_error = 0;
    double m_skewness = 0;
};

/// The rule of three, where all examples say the same.
Interval withoutSpread(const SampledNumber &number)
{
    const double share = mostUnseen(number.examples);
    const auto towards = [&](double bound, double unbounded) {
        return number.value + share * (std::isfinite(bound) ? bound - number.value : unbounded);
    };
    const double scale = std::abs(number.scale);
    return {towards(number.possible.low, -scale), towards(number.possible.high, scale)};
}

bool isUnknownNumber(double value)
{
    return std::isnan(value);
}

} // namespace

double standardDeviation(std::span<const double> replicates)
{
    return replicates.empty() ? 0 : momentsOf(replicates).deviation;
}

double smallestSignP(std::int64_t differing)
{
    return std::ldexp(1.0, -static_cast<int>(std::clamp<std::int64_t>(differing - 1, 0, 1000)));
}

bool allowsVerdict(std::int64_t examples)
{
    return smallestSignP(examples) <= kSignificanceLevel;
}

Inference inferred(const SampledNumber &number, std::span<const double> replicates)
{
    Inference result;
    if (number.examples == 1 && number.differing)
        result.p = 1;
    if (number.examples < 2 || replicates.empty())
        return result;
    const double least = number.differing ? smallestSignP(*number.differing) : 0;
    if (number.differing)
        result.p = std::max(resampledP(replicates), least);
    if (std::isnan(number.value) || std::ranges::any_of(replicates, isUnknownNumber))
        return result;
    Interval &interval = result.interval;
    if (haveSpread(replicates)) {
        const SkewedT student(number, replicates);
        const Interval byStudent = student.interval();
        interval = percentileOfAscending(replicates);
        interval = {std::min(interval.low, byStudent.low), std::max(interval.high, byStudent.high)};
        if (number.differing)
            result.p = std::max(result.p, student.p());
    } else {
        interval = withoutSpread(number);
    }
    if (least > kSignificanceLevel)
        interval = {std::min(interval.low, 0.0), std::max(interval.high, 0.0)};
    if (!number.differing) // a difference of the population may be larger than one from the score of these examples
        interval = {std::max(interval.low, number.possible.low), std::min(interval.high, number.possible.high)};
    return result;
}

} // namespace headscope
