#include "core/metrics/multiplicity.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace headscope {

namespace {

/// Positions of the numbers among `values`, ascending by value.
std::vector<std::size_t> sortedPositions(std::span<const double> values)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isnan(values[i]))
            order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
    return order;
}

} // namespace

std::vector<double> holmAdjusted(std::span<const double> pValues)
{
    std::vector<double> adjusted(pValues.begin(), pValues.end());
    const auto order = sortedPositions(pValues);
    double highest = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        const double factor = static_cast<double>(order.size() - rank);
        highest = std::max(highest, std::min(1.0, factor * pValues[order[rank]]));
        adjusted[order[rank]] = highest;
    }
    return adjusted;
}

std::int64_t resamplesForHolm(std::int64_t tests)
{
    constexpr std::int64_t kForEachTest = 80; // 2 · tests / R = 0.05 / 2
    constexpr std::int64_t kRound = 1000;
    return std::max<std::int64_t>(1, (kForEachTest * tests + kRound - 1) / kRound) * kRound;
}

std::vector<std::size_t> uncontradicted(std::span<const double> pValues, std::int64_t resamples)
{
    const double least = (1 + 1e-9) * 2 / (static_cast<double>(resamples) + 1);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < pValues.size(); ++i) {
        if (resamples > 0 && pValues[i] <= least)
            places.push_back(i);
    }
    return places;
}

std::vector<double> benjaminiHochbergAdjusted(std::span<const double> pValues)
{
    std::vector<double> adjusted(pValues.begin(), pValues.end());
    const auto order = sortedPositions(pValues);
    double lowest = 1;
    for (std::size_t rank = order.size(); rank-- > 0;) {
        const double factor = static_cast<double>(order.size()) / static_cast<double>(rank + 1);
        lowest = std::min(lowest, factor * pValues[order[rank]]);
        adjusted[order[rank]] = lowest;
    }
    return adjusted;
}

} // namespace headscope
