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

/// What heads do together that they do not do by themselves (METHODS 7.12).
namespace headscope {

struct HeadInteraction
{
    HeadRef head;
    HeadRef other; ///< behind the first in the order of addresses
    /// Δ without both − Δ without the first − Δ without the second. Of a score that is better when higher: below zero
    /// the two stand in for each other, above it they need each other.
    double interaction = 0;
    double together = 0; ///< Δ without both
    Interval interval;   ///< 95 %, paired bootstrap over examples
    double p = 1;        ///< two-sided, of the same bootstrap
    double discoveryP = 1;
};

struct HeadAlone
{
    HeadRef head;
    double delta = 0; ///< score without it − score of the full model
};

struct InteractionsResult
{
    static constexpr const char *kKind = "interactions";
    Manifest manifest;
    std::string metric;
    Better better = Better::Higher;
    HeadUnit by = HeadUnit::Head;
    double baseline = 0;
    std::int64_t possible = 0; ///< pairs of the heads that were to be looked at
    std::vector<HeadAlone> heads;
    std::vector<HeadInteraction> pairs; ///< those measured: all, or the likeliest; the largest first
    std::int64_t examples = 0;
};

void describe(auto &visit, Of<HeadInteraction> auto &pair)
{
    visit.field("head", pair.head, "one of the two");
    visit.field("other", pair.other, "the second");
    visit.field("interaction", pair.interaction,
                "delta without both minus the deltas without each: where higher scores are better, below zero they "
                "stand in for each other, above it they need each other");
    visit.field("delta", pair.together, "score without both minus that of the full model");
    visit.field("ci_low", pair.interval.low, "lower end of the interaction's 95 % interval, paired bootstrap");
    visit.field("ci_high", pair.interval.high, "upper end");
    visit.field("p", pair.p, "that it is zero: two-sided, of the same bootstrap");
    visit.field("p_bh", pair.discoveryP, "Benjamini–Hochberg over all pairs measured");
}

void describe(auto &visit, Of<HeadAlone> auto &head)
{
    visit.field("head", head.head, "the one removed");
    visit.field("delta", head.delta, "score without it minus that of the full model");
}

void describe(auto &visit, Of<InteractionsResult> auto &result)
{
    visit.field("metric", result.metric, "name of the score");
    visit.field("better", result.better, "which scores are");
    visit.field("by", result.by, "what is removed at a time");
    visit.field("examples", result.examples, "used");
    visit.field("baseline", result.baseline, "score of the full model");
    visit.field("possible", result.possible, "pairs of these heads");
    visit.field("heads", result.heads, "each by itself");
    visit.field("pairs", result.pairs, "those measured, the largest interaction first");
    visit.field("manifest", result.manifest, "where the result comes from");
}

} // namespace headscope
