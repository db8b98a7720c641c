#include "core/results/removableheads.h"

#include "core/metrics/inference.h"

#include <algorithm>
#include <cmath>

namespace headscope {

MaskLosses lossesOf(const PruningResult &result, const PruningCurve &curve)
{
    MaskLosses losses{.better = result.better,
                      .whole = curve.points.empty() ? 0 : curve.points.front().score,
                      .examples = result.examples,
                      .totalExamples = result.manifest.totalExamples,
                      .isBand = curve.randomOrders > 0};
    for (const PruningPoint &point : curve.points)
        losses.points.push_back({point.pruned, point.score - losses.whole, point.paired});
    return losses;
}

MaskLosses lossesOf(const SearchResult &result, FoundMask SearchPoint::*way)
{
    MaskLosses losses{.better = result.baseline.better,
                      .whole = result.baseline.value,
                      .examples = result.examples,
                      .totalExamples = result.manifest.totalExamples};
    for (const SearchPoint &point : result.points) {
        const FoundMask &found = point.*way;
        losses.points.push_back({point.pruned, found.delta, found.paired});
    }
    return losses;
}

bool isSignificantLoss(Better better, const PairedTest &test, const SignificanceRule &rule)
{
    if (!(gain(better, test.interval).high < 0)) // NaN is no loss
        return false;
    // At the usual level the interval alone decides: its ends and p may differ by one resample.
    return rule.level >= kSignificanceLevel || test.p <= rule.level;
}

bool isWithinMargin(Better better, const PairedTest &test, double margin)
{
    return gain(better, test.interval).low > -margin;
}

namespace {

NoAnswer whyNoAnswer(const MaskLosses &losses, const SignificanceRule &rule)
{
    if (losses.isBand)
        return NoAnswer::SeveralOrders;
    if (losses.points.size() < 2)
        return NoAnswer::NothingRemoved;
    if (losses.examples < losses.totalExamples)
        return NoAnswer::Partial;
    if (smallestSignP(losses.examples) > rule.level)
        return NoAnswer::TooFewExamples;
    const bool isPaired = std::ranges::all_of(losses.points, [](const MaskLoss &point) {
        return point.removed == 0 || (point.test && std::isfinite(point.test->interval.low));
    });
    return isPaired ? NoAnswer::None : NoAnswer::NotPaired;
}

} // namespace

RemovableHeads removableHeads(const MaskLosses &losses, const SignificanceRule &rule)
{
    RemovableHeads answer{.why = whyNoAnswer(losses, rule),
                          .examples = losses.examples,
                          .totalExamples = losses.totalExamples,
                          .margin = rule.margin * std::abs(losses.whole)};
    if (answer.why != NoAnswer::None)
        return answer;
    std::int64_t within = 0;
    bool isWithin = true; // so far
    for (std::size_t i = 0; i < losses.points.size() && !(answer.firstLoss && !isWithin); ++i) {
        const MaskLoss &point = losses.points[i];
        if (point.removed == 0)
            continue;
        isWithin = isWithin && isWithinMargin(losses.better, *point.test, answer.margin);
        if (isWithin)
            within = point.removed;
        if (!answer.firstLoss && isSignificantLoss(losses.better, *point.test, rule)) {
            answer.firstLoss = i;
            answer.firstLossAt = point.removed;
        }
        if (!answer.firstLoss)
            answer.withoutLoss = point.removed;
    }
    // A first point that is neither within the margin nor a sure loss leaves the question open.
    const bool firstIsLoss = answer.firstLoss && answer.withoutLoss == 0;
    if (within > 0 || firstIsLoss)
        answer.withinMargin = within;
    return answer;
}

} // namespace headscope
