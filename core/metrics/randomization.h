#pragma once

#include "core/metrics/metric.h"

#include <cstdint>

namespace headscope {

/// Two-sided p of approximate randomisation (Riezler and Maxwell 2005; sacreBLEU's --paired-ar): in each of `trials`
/// the systems exchange the statistics of every example with chance 1/2, and (c + 1) / (trials + 1) with c the trials
/// whose |difference| is at least the one observed. Equal systems give exactly 1; sacreBLEU, which counts larger
/// differences only, says 1 / (trials + 1) of them. Precondition: tables of equal shape of a metric that is a function
/// of sums.
double approximateRandomizationP(const StatisticsTable &first, const StatisticsTable &second, const Metric &metric,
                                 std::int64_t trials, std::uint64_t seed);

} // namespace headscope
