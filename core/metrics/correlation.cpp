#include "core/metrics/correlation.h"

#include "core/base/random.h"
#include "core/metrics/bootstrap.h"
#include "core/metrics/weightedcorrelation.h"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace headscope {

namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
constexpr double kNormalQuantile = 1.959963984540054; // of 0.975

struct Pairs
{
    std::vector<double> a;
    std::vector<double> b;
};

Pairs definedPairs(std::span<const double> a, std::span<const double> b)
{
    Pairs pairs;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        if (!std::isnan(a[i]) && !std::isnan(b[i])) {
            pairs.a.push_back(a[i]);
            pairs.b.push_back(b[i]);
        }
    }
    return pairs;
}

/// r, or NaN where it is not defined.
double correlationOf(const std::vector<double> &a, const std::vector<double> &b)
{
    return a.size() < 3 ? kUndefined : correlate(a, b);
}

std::vector<double> ranksOf(const std::vector<double> &values)
{
    return meanRanks(values, ascendingOrder(values));
}

double twoSidedP(double r, std::size_t n)
{
    if (std::isnan(r))
        return kUndefined;
    if (std::abs(r) == 1)
        return 0;
    const auto degrees = static_cast<double>(n) - 2;
    const double t = std::abs(r) * std::sqrt(degrees / ((1 - r) * (1 + r)));
    return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), t));
}

Interval fisherInterval(double r, std::size_t n)
{
    if (std::isnan(r) || n <= 3)
        return {-1, 1};
    if (std::abs(r) == 1)
        return {r, r};
    const double z = std::atanh(r);
    const double width = kNormalQuantile / std::sqrt(static_cast<double>(n) - 3);
    return {std::tanh(z - width), std::tanh(z + width)};
}

/// Resamples of heads in which the correlation is not defined are left out.
Interval spearmanInterval(const Pairs &pairs, std::int64_t resamples, std::uint64_t seed)
{
    Random random(seed);
    const auto n = static_cast<std::uint32_t>(pairs.a.size());
    Pairs drawn{std::vector<double>(n), std::vector<double>(n)};
    std::vector<double> values;
    for (std::int64_t r = 0; r < resamples; ++r) {
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint32_t from = random.below(n);
            drawn.a[i] = pairs.a[from];
            drawn.b[i] = pairs.b[from];
        }
        const double value = correlationOf(ranksOf(drawn.a), ranksOf(drawn.b));
        if (!std::isnan(value))
            values.push_back(value);
    }
    return values.empty() ? Interval{-1, 1} : percentileInterval(std::move(values));
}

} // namespace

Correlation pearsonCorrelation(std::span<const double> a, std::span<const double> b)
{
    const Pairs pairs = definedPairs(a, b);
    const double r = correlationOf(pairs.a, pairs.b);
    return {r, twoSidedP(r, pairs.a.size()), fisherInterval(r, pairs.a.size())};
}

Correlation spearmanCorrelation(std::span<const double> a, std::span<const double> b, std::int64_t resamples,
                                std::uint64_t seed)
{
    const Pairs pairs = definedPairs(a, b);
    const double rho = correlationOf(ranksOf(pairs.a), ranksOf(pairs.b));
    const Interval interval
        = std::isnan(rho) || pairs.a.size() <= 3 ? Interval{-1, 1} : spearmanInterval(pairs, resamples, seed);
    return {rho, twoSidedP(rho, pairs.a.size()), interval};
}

} // namespace headscope
