#pragma once

#include "core/metrics/metric.h"

#include <cstdint>
#include <optional>

namespace headscope {

/// Examples that one of two systems has right and the other wrong.
struct DiscordantCounts
{
    std::int64_t onlyFirst = 0;
    std::int64_t onlySecond = 0;
};

/// From tables of a metric that is right or wrong (OutcomeMetric::isRightOrWrong), of equal shape.
DiscordantCounts discordantCounts(const StatisticsTable &first, const StatisticsTable &second);

/// Two-sided p of the exact McNemar test: min(1, 2 P(X ≤ the smaller count)), X binomial with chance 1/2.
/// 1 when no example is discordant.
double mcnemarP(const DiscordantCounts &counts);

/// p of two systems by the statistics of one metric; nothing where the metric does not say right or wrong.
std::optional<double> mcnemarTest(const Metric &metric, const StatisticsTable &first, const StatisticsTable &second);

} // namespace headscope
