#pragma once

#include "core/base/better.h"
#include "core/base/interval.h"
#include "core/exporting/reportfindings.h"

#include <cstdint>
#include <vector>

/// How verdicts on claims of papers are reached from numbers that are known to an interval. Every one of them has the
/// answer "cannot be told", for intervals on both sides of what is claimed.
namespace headscope {

/// Without a second condition a claim that does not hold is refuted; else what is neither cannot be told.
Verdict verdictOf(bool holds);
Verdict verdictOf(bool holds, bool doesNotHold);

/// On the claim that something is above `limit`: holds where all of its interval is, does not where all is below.
/// NaN: cannot be told.
Verdict verdictAbove(const Interval &interval, double limit);

/// 95 % interval of the mean of `count` independent numbers between 0 and 1 (Wilson 1927). Of numbers that are not 0 or
/// 1, which vary less, it is rather too wide. `count` 0: from 0 to 1.
Interval shareInterval(double share, std::int64_t count);

/// 95 % interval of the mean of a minus the mean of b, of independent values (Welch 1947).
/// Fewer than two values on a side: NaN.
Interval meanDifference(const std::vector<double> &a, const std::vector<double> &b);

/// The evidence for a loss: a head, a layer's best head, a mask.
enum class Loss {
    Small,   ///< even the worse end of the interval loses at most the margin
    Real,    ///< significant, and not small
    Unknown, ///< not significant, but it may be above the margin
};
/// `delta`: 95 % interval of score minus the full model's; `margin`: in units of the score, above 0. An interval
/// without width over few examples (`unseen`: share of outputs that may still change, mostUnseen()) is unknown where
/// that share of `whole`, the full score, is above the margin.
Loss lossOf(Better better, const Interval &delta, bool isSignificant, double margin, double unseen, double whole);

/// On the claim that most of a number of losses are small: holds where more than half are, does not where half or more
/// are real, else cannot be told.
Verdict mostAreSmall(std::int64_t small, std::int64_t real, std::int64_t all);
/// On the claim that all are: does not hold with a single real one.
Verdict allAreSmall(std::int64_t small, std::int64_t real, std::int64_t all);

} // namespace headscope
