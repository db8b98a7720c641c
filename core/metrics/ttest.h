#pragma once

#include "core/metrics/metric.h"

#include <cstdint>
#include <optional>

namespace headscope {

/// Two-sided p of the paired t-test on whether each example is right, n − 1 degrees of freedom: the test of Michel et
/// al. (2019) for classifiers, as far as is known of which kind theirs was. 1 where the systems are right on the same
/// examples; nothing where the metric does not say right or wrong, or for fewer than two examples. McNemar's exact test
/// (mcnemar.h) makes no assumption that 0 and 1 do not meet.
std::optional<double> pairedTTest(const Metric &metric, const StatisticsTable &first, const StatisticsTable &second);

/// One-sided p of a mean of n values that is so far above what it is tested against: n − 1 degrees of freedom. 1 for
/// fewer than two values; without any spread 0 where it is above, else 1.
double oneSidedTTest(double difference, double standardError, std::int64_t n);

} // namespace headscope
