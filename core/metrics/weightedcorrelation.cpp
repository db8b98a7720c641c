#include "core/metrics/weightedcorrelation.h"

#include "core/metrics/undefined.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headscope {

namespace {

double weightOf(std::span<const std::uint8_t> counts, std::size_t i)
{
    return counts.empty() ? 1 : counts[i];
}

/// Asked by comparison: rounding could leave a constant vector a variance just above zero.
bool isConstant(std::span<const double> values, std::span<const std::uint8_t> counts)
{
    const double *first = nullptr;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (weightOf(counts, i) == 0)
            continue;
        if (first && values[i] != *first)
            return false;
        if (!first)
            first = &values[i];
    }
    return true;
}

double meanOf(std::span<const double> values, std::span<const std::uint8_t> counts)
{
    double sum = 0;
    double weight = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (const double w = weightOf(counts, i); w > 0) {
            sum += w * values[i];
            weight += w;
        }
    }
    return sum / weight;
}

} // namespace

std::vector<std::size_t> ascendingOrder(std::span<const double> values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
    return order;
}

std::vector<double> meanRanks(std::span<const double> values, std::span<const std::size_t> order,
                              std::span<const std::uint8_t> counts)
{
    std::vector<double> ranks(values.size());
    double below = 0;
    for (std::size_t first = 0; first < order.size();) {
        std::size_t end = first;
        double tied = 0;
        for (; end < order.size() && values[order[end]] == values[order[first]]; ++end)
            tied += weightOf(counts, order[end]);
        for (; first < end; ++first)
            ranks[order[first]] = below + (tied + 1) / 2;
        below += tied;
    }
    return ranks;
}

double correlate(std::span<const double> a, std::span<const double> b, std::span<const std::uint8_t> counts)
{
    if (isConstant(a, counts) || isConstant(b, counts))
        return kUndefined;
    const double meanA = meanOf(a, counts);
    const double meanB = meanOf(b, counts);
    double ab = 0;
    double aa = 0;
    double bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double weight = weightOf(counts, i);
        if (weight == 0)
            continue;
        ab += weight * (a[i] - meanA) * (b[i] - meanB);
        aa += weight * (a[i] - meanA) * (a[i] - meanA);
        bb += weight * (b[i] - meanB) * (b[i] - meanB);
    }
    const double r = ab / (std::sqrt(aa) * std::sqrt(bb));
    return std::isfinite(r) ? std::clamp(r, -1.0, 1.0) : kUndefined;
}

} // namespace headscope
