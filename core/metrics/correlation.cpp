#include "core/metrics/correlation.h"

#include "core/base/random.h"
#include "core/metrics/bootstrap.h"
#include "core/metrics/undefined.h"
#include "core/metrics/weightedcorrelation.h"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace headscope {

namespace {

constexpr double kNormalQuantile = 1.959963984540054; // of 0.975
constexpr Correlation kUndefinedCorrelation{kUndefined, kUndefined, {kUndefined, kUndefined}};

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

/// Precondition: r is defined.
double twoSidedP(double r, std::size_t n)
{
    if (std::abs(r) == 1)
        return 0;
    const auto degrees = static_cast<double>(n) - 2;
    const double t = std::abs(r) * std::sqrt(degrees / ((1 - r) * (1 + r)));
    return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), t));
}

Interval fisherInterval(double r, std::size_t n)
{
    if (n <= 3)
        return {-1, 1};
    if (std::abs(r) == 1)
        return {r, r};
    const double z = std::atanh(r);
    const double width = kNormalQuantile / std::sqrt(static_cast<double>(n) - 3);
    return {std::tanh(z - width), std::tanh(z + width)};
}

/// By bootstrap over heads; resamples in which the correlation is not defined are left out.
template<typename Correlate>
Interval bootstrapOverHeads(const Pairs &pairs, std::int64_t resamples, std::uint64_t seed, Correlate &&correlate)
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
        const double value = correlate(drawn.a, drawn.b);
        if (!std::isnan(value))
            values.push_back(value);
    }
    return values.empty() ? Interval{-1, 1} : percentileInterval(std::move(values));
}

double rankCorrelationOf(const std::vector<double> &a, const std::vector<double> &b)
{
    return correlationOf(ranksOf(a), ranksOf(b));
}

/// Sums over groups of equal values of size t: t(t−1), t(t−1)(t−2), t(t−1)(2t+5).
struct TieSums
{
    double two = 0;
    double three = 0;
    double variance = 0;
};

TieSums tieSumsOf(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    TieSums sums;
    for (auto first = values.begin(); first != values.end();) {
        const auto last = std::upper_bound(first, values.end(), *first);
        const auto t = static_cast<double>(last - first);
        sums.two += t * (t - 1);
        sums.three += t * (t - 1) * (t - 2);
        sums.variance += t * (t - 1) * (2 * t + 5);
        first = last;
    }
    return sums;
}

/// Σ over pairs of the product of the signs of their differences, in n log n steps (Knight 1966): a window recomputes
/// it for a thousand resamples.
double concordance(const std::vector<double> &a, const std::vector<double> &b)
{
    const std::size_t n = a.size();
    std::vector<std::pair<double, double>> pairs(n);
    for (std::size_t i = 0; i < n; ++i)
        pairs[i] = {a[i], b[i]};
    std::sort(pairs.begin(), pairs.end());
    double bothTied = 0; // pairs
    for (auto first = pairs.begin(); first != pairs.end();) {
        const auto last = std::upper_bound(first, pairs.end(), *first);
        const auto t = static_cast<double>(last - first);
        bothTied += t * (t - 1) / 2;
        first = last;
    }
    // Pairs in the wrong order of b, counted while merging.
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i)
        values[i] = pairs[i].second;
    std::vector<double> merged(n);
    double discordant = 0;
    for (std::size_t width = 1; width < n; width *= 2) {
        for (std::size_t from = 0; from < n; from += 2 * width) {
            const std::size_t middle = std::min(from + width, n);
            const std::size_t to = std::min(from + 2 * width, n);
            std::size_t left = from;
            std::size_t right = middle;
            for (std::size_t out = from; out < to; ++out) {
                if (right == to || (left < middle && values[left] <= values[right])) {
                    merged[out] = values[left++];
                } else {
                    merged[out] = values[right++];
                    discordant += static_cast<double>(middle - left);
                }
            }
        }
        values.swap(merged);
    }
    const auto all = static_cast<double>(n) * static_cast<double>(n - 1) / 2;
    return all - tieSumsOf(a).two / 2 - tieSumsOf(b).two / 2 + bothTied - 2 * discordant;
}

double kendallOf(const std::vector<double> &a, const std::vector<double> &b)
{
    if (a.size() < 3)
        return kUndefined;
    const auto all = static_cast<double>(a.size()) * static_cast<double>(a.size() - 1);
    const double untiedA = (all - tieSumsOf(a).two) / 2;
    const double untiedB = (all - tieSumsOf(b).two) / 2;
    return untiedA > 0 && untiedB > 0 ? concordance(a, b) / std::sqrt(untiedA) / std::sqrt(untiedB) : kUndefined;
}

/// Kendall (1970), with the corrections for ties on both sides.
double kendallP(const std::vector<double> &a, const std::vector<double> &b)
{
    const auto n = static_cast<double>(a.size());
    const TieSums x = tieSumsOf(a);
    const TieSums y = tieSumsOf(b);
    const double pairs = n * (n - 1);
    const double variance = (pairs * (2 * n + 5) - x.variance - y.variance) / 18 + x.two * y.two / (2 * pairs)
                          + x.three * y.three / (9 * pairs * (n - 2));
    if (!(variance > 0))
        return kUndefined;
    return std::erfc(std::abs(concordance(a, b)) / std::sqrt(2 * variance));
}

} // namespace

Correlation pearsonCorrelation(std::span<const double> a, std::span<const double> b)
{
    const Pairs pairs = definedPairs(a, b);
    const double r = correlationOf(pairs.a, pairs.b);
    if (std::isnan(r))
        return kUndefinedCorrelation;
    return {r, twoSidedP(r, pairs.a.size()), fisherInterval(r, pairs.a.size())};
}

Correlation spearmanCorrelation(std::span<const double> a, std::span<const double> b, std::int64_t resamples,
                                std::uint64_t seed)
{
    const Pairs pairs = definedPairs(a, b);
    const double rho = rankCorrelationOf(pairs.a, pairs.b);
    if (std::isnan(rho))
        return kUndefinedCorrelation;
    const Interval interval
        = pairs.a.size() <= 3 ? Interval{-1, 1} : bootstrapOverHeads(pairs, resamples, seed, rankCorrelationOf);
    return {rho, twoSidedP(rho, pairs.a.size()), interval};
}

Correlation kendallCorrelation(std::span<const double> a, std::span<const double> b, std::int64_t resamples,
                               std::uint64_t seed)
{
    const Pairs pairs = definedPairs(a, b);
    const double tau = kendallOf(pairs.a, pairs.b);
    if (std::isnan(tau))
        return kUndefinedCorrelation;
    const Interval interval
        = pairs.a.size() <= 3 ? Interval{-1, 1} : bootstrapOverHeads(pairs, resamples, seed, kendallOf);
    return {tau, kendallP(pairs.a, pairs.b), interval};
}

std::optional<Interval> pearsonBootstrapInterval(std::span<const double> a, std::span<const double> b,
                                                 std::int64_t resamples, std::uint64_t seed)
{
    const Pairs pairs = definedPairs(a, b);
    if (pairs.a.size() <= 3 || std::isnan(correlationOf(pairs.a, pairs.b)))
        return std::nullopt;
    return bootstrapOverHeads(pairs, resamples, seed, correlationOf);
}

} // namespace headscope
