#pragma once

#include "core/base/better.h"
#include "core/base/headref.h"
#include "core/base/headunit.h"
#include "core/base/interval.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"

#include <cstdint>
#include <string>
#include <vector>

/// Values of heads in the game whose players they are (the guide's numbers.md, Patching, circuits, Shapley values).
namespace headscope {

struct HeadShapley
{
    HeadRef head;
    double value = 0;      ///< mean of what the head adds to the score of those before it, over orders
    Interval interval;     ///< 95 %, bootstrap over examples and orders together; NaN of one example or pair of orders
    double p = 1;          ///< two-sided, of the same bootstrap; NaN as the interval, and without resamples
    double discoveryP = 1; ///< Benjamini–Hochberg over all heads
    std::vector<HeadRef> together{}; ///< the other heads of its group
    /// Standard error of the value on these very examples: of the orders that were drawn, an order and its reverse as
    /// one. Its 95 % interval is Student's with (pairs − 1) degrees of freedom, pairs = orders / 2. 0 where all sets
    /// were measured, NaN of a single pair.
    double orderError = 0;
};

struct ShapleyResult
{
    static constexpr const char *kKind = "shapley";
    Manifest manifest;
    std::string metric;
    Better better = Better::Higher;
    HeadUnit by = HeadUnit::Head;
    double all = 0;             ///< score with every head
    double none = 0;            ///< score without any of the heads that have a value
    double sum = 0;             ///< of all values: all − none
    bool exact = false;         ///< all sets of heads were measured
    std::int64_t orders = 0;    ///< random orders and their reverses; exact: none
    std::int64_t masks = 0;     ///< sets of heads that were measured
    std::int64_t truncated = 0; ///< orders that were cut short
    std::vector<HeadShapley> heads;
    std::int64_t examples = 0;
};

void describe(auto &visit, Of<HeadShapley> auto &head)
{
    visit.field("head", head.head, "address");
    visit.field("shapley", head.value, "what it adds to the score of the heads before it, mean over orders");
    visit.field("ci_low", head.interval.low, "lower end of the 95 % interval, bootstrap over examples and orders");
    visit.field("ci_high", head.interval.high, "upper end");
    visit.field("p", head.p, "that it is zero: two-sided, of the same bootstrap");
    visit.field("p_bh", head.discoveryP, "Benjamini–Hochberg over all heads");
    visit.rare("together", head.together, "the other heads of its group, where groups are the players");
    visit.added(
        "order_error", head.orderError,
        "standard error by the orders that were drawn alone: on these very examples; its 95 % interval is Student's with "
        "orders / 2 - 1 degrees of freedom. 0: all sets were measured; null: by a single pair of orders");
}

void describe(auto &visit, Of<ShapleyResult> auto &result)
{
    visit.field("metric", result.metric, "name of the score");
    visit.field("better", result.better, "which scores are");
    visit.field("by", result.by, "what the players are");
    visit.field("examples", result.examples, "used");
    visit.field("all", result.all, "score with every head");
    visit.field("none", result.none, "score without any of the heads that have a value");
    visit.field("sum", result.sum, "of all values: equals all minus none");
    visit.field("exact", result.exact, "all sets of heads were measured, instead of random orders");
    visit.field("orders", result.orders, "random orders and their reverses");
    visit.field("truncated", result.truncated, "those of them that were cut short");
    visit.field("masks", result.masks, "sets of heads measured");
    visit.field("heads", result.heads, "one each");
    visit.field("manifest", result.manifest, "where the result comes from");
}

} // namespace headscope
