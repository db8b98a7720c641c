#pragma once

#include "core/base/interval.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

/// The evidence of examples for a number that was computed of them: its interval and its p, for all analyses. A
/// bootstrap alone says too much when examples are few: two that agree give p = 2 / (R + 1) and an interval that covers
/// the truth half the time (tests/bench/coveragebench measures how often).
namespace headscope {

/// The p at and below which the program calls a number significant, where nobody says otherwise.
inline constexpr double kSignificanceLevel = 0.05;

/// The smallest two-sided p that paired differences of so many examples allow: 2^(1 − n). If the number is zero, each
/// difference is as likely below zero as above it, and all n have one sign with this chance (Fisher 1935). Examples
/// without a difference have no sign and do not count: for right and wrong answers this is the smallest p of McNemar's
/// exact test. 1 for none and for one.
double smallestSignP(std::int64_t differing);

/// Whether a p of 5 % is possible with so many examples: with six or more. Below, nothing is said of significance, and
/// nothing of its absence.
bool allowsVerdict(std::int64_t examples);

/// Below so many examples intervals and p hang on few texts, and what shows them says so.
inline constexpr std::int64_t kFewExamples = 10;

/// A number and what it was computed of.
struct SampledNumber
{
    double value = 0;          ///< of the examples as they are
    std::int64_t examples = 0; ///< that are resampled
    /// Those of them that contribute to it; nothing: the number is no difference, and has no p.
    std::optional<std::int64_t> differing{};
    /// The number as it would be if every example were as low (high) as examples can be. Without bounds: as far off as
    /// `scale`.
    Interval possible{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    double scale = 0;
    /// Degrees of freedom of its standard error; NaN: examples − 1.
    double degrees = std::numeric_limits<double>::quiet_NaN();
};

struct Inference
{
    Interval interval{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()}; ///< 95 %
    double p = std::numeric_limits<double>::quiet_NaN(); ///< two-sided, that the number is zero
};

/// The standard deviation of replicates: the root of the mean squared distance from their mean. 0 of none.
double standardDeviation(std::span<const double> replicates);

/// Interval and p of a number by its bootstrap replicates, ascending unless one is NaN.
///
/// The interval is the wider one, at each end, of the percentile interval and of Student's t with the replicates'
/// standard error times √(n / (n − 1)); on the side to which the data are skewed, t is moved by Johnson's (1978) term
/// γ (2 t² + 1) / 6, γ the skewness of the replicates (made unbiased as that of n values). p is the larger one of
/// those of the same two, and of smallestSignP(); where that is above 5 %, the interval reaches to zero. Interval and p
/// agree by this: zero is within where p > 5 %.
/// Replicates that are all equal have no spread to go by: then, by the rule of three, 3 / n of the examples may be as
/// low or as high as is possible.
///
/// Unknown (NaN): the interval of one example, or where a replicate is NaN; both where there are no replicates. The p
/// of one example is 1.
Inference inferred(const SampledNumber &number, std::span<const double> replicates);

} // namespace headscope
