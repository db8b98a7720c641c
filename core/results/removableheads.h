#pragma once

#include "core/base/better.h"
#include "core/base/interval.h"
#include "core/results/pruningresult.h"
#include "core/results/results.h"
#include "core/results/searchresult.h"
#include "core/results/significancerule.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// How many heads can go? Everything that says so (headline, ring, table, search, report, exported model, table of
/// models) asks removableHeads(), and tests of single masks ask the two functions under it.
namespace headscope {

/// A mask's score beside the full model's, both over the same examples.
struct MaskLoss
{
    std::int64_t removed = 0;         ///< heads
    double delta = 0;                 ///< score − that of the full model
    std::optional<PairedTest> test{}; ///< none: the result does not say
};

/// The masks that removableHeads() is asked about, by ascending number of removed heads, the full model first.
struct MaskLosses
{
    Better better = Better::Higher;
    double whole = 0;               ///< score of the full model
    std::int64_t examples = 0;      ///< that all scores rest on
    std::int64_t totalExamples = 0; ///< of the data set; more than `examples`: the result is partial
    bool isBand = false;            ///< points are means over several orders: no single order has them
    std::vector<MaskLoss> points{};
};

MaskLosses lossesOf(const PruningResult &result, const PruningCurve &curve);
/// `way`: which of a budget's masks.
MaskLosses lossesOf(const SearchResult &result, FoundMask SearchPoint::*way);

/// Whether the paired difference is a loss that chance does not explain: the whole 95 % interval is on the side of the
/// loss, and p is at most the rule's level. The correction for many heads is not made: it is one mask that is judged,
/// as where its score is shown.
bool isSignificantLoss(Better better, const PairedTest &test, const SignificanceRule &rule);

/// Whether the loss is below `margin` (in units of the score) at 95 % confidence: the worse end of the paired interval
/// stays above −margin (non-inferiority).
bool isWithinMargin(Better better, const PairedTest &test, double margin);

/// Why there is no answer.
enum class NoAnswer {
    None,           ///< there is one
    SeveralOrders,  ///< a band over random orders
    NothingRemoved, ///< no mask but the full model was measured
    NotPaired,      ///< written by an earlier version, or without resamples: it has to be computed again
    Partial,        ///< of a part of the examples
    TooFewExamples, ///< no test of so few can be significant: smallestSignP() is above the level
};

struct RemovableHeads
{
    NoAnswer why = NoAnswer::None;
    std::int64_t examples = 0;
    std::int64_t totalExamples = 0;
    double margin = 0; ///< in units of the score
    /// The largest number of heads up to which every measured loss is below the margin (isWithinMargin()). None: it
    /// cannot be told with so many examples, of not even the first point. 0: the first point loses significantly.
    std::optional<std::int64_t> withinMargin{};
    /// The point (its place in MaskLosses::points) of the first significant loss; none: no point has one.
    std::optional<std::size_t> firstLoss{};
    std::int64_t firstLossAt = 0; ///< heads removed there
    /// The number of heads at the last measured point before it, or at the last of all: what is not known to cost
    /// anything, which grows as data shrink.
    std::int64_t withoutLoss = 0;
};

RemovableHeads removableHeads(const MaskLosses &losses, const SignificanceRule &rule);

} // namespace headscope
