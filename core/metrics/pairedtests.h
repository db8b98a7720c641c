#pragma once

#include "core/metrics/metric.h"

#include <algorithm>
#include <cstdint>
#include <optional>

/// Tests of two systems on the same examples, by each example's statistics of one metric. Tables have equal shapes. The
/// test by resampling is in bootstrap.h.
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

/// Two-sided p of the paired t-test on whether each example is right, n − 1 degrees of freedom: the test of Michel et
/// al. (2019) for classifiers, as far as is known of which kind theirs was. 1 where the systems are right on the same
/// examples, smallestSignP() where all turn the same way; nothing where the metric does not say right or wrong, or for
/// fewer than two examples. McNemar's exact test (mcnemarP) makes no assumption that 0 and 1 do not meet.
std::optional<double> pairedTTest(const Metric &metric, const StatisticsTable &first, const StatisticsTable &second);

/// One-sided p of a mean of n values that is so far above what it is tested against: n − 1 degrees of freedom. 1 for
/// fewer than two values; without any spread 2^−n where it is above, as by signs, else 1.
double oneSidedTTest(double difference, double standardError, std::int64_t n);

/// How many standard errors to each side hold the mean with 95 % probability: Student's t. Infinite without degrees of
/// freedom.
double studentsT(double degrees);

/// Two-sided p of approximate randomisation (Riezler and Maxwell 2005; sacreBLEU's --paired-ar): in each of `trials`
/// the systems exchange the statistics of every example with chance 1/2, and (c + 1) / (trials + 1) with c the trials
/// whose |difference| is at least the one observed. Equal systems give exactly 1; sacreBLEU, which counts larger
/// differences only, says 1 / (trials + 1) of them. Precondition: tables of equal shape of a metric that is a function
/// of sums.
double approximateRandomizationP(const StatisticsTable &first, const StatisticsTable &second, const Metric &metric,
                                 std::int64_t trials, std::uint64_t seed);

/// The rule of three (Hanley and Lippman-Hand 1983): what was seen in none of `examples` happens, at 95 %, in at most
/// this share of all. A bootstrap cannot know: resamples of equal values are equal, and their interval has no width.
inline double mostUnseen(std::int64_t examples)
{
    return examples > 0 ? std::min(1.0, 3.0 / static_cast<double>(examples)) : 1.0;
}

} // namespace headscope
