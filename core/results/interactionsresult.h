#pragma once

#include "core/base/better.h"
#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/base/headunit.h"
#include "core/base/interval.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"
#include "core/results/similarityresult.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Effects that heads have together and not by themselves (the guide's numbers.md, Patching, circuits, Shapley values).
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
    double p = 1;        ///< two-sided; NaN without resamples
    double discoveryP = 1;
};

/// Three heads, ascending by address.
struct TripleInteraction
{
    HeadRef head, other, third;
    /// Δ without all three − Δ without each two + Δ without each one: what no pair of them accounts for.
    double interaction = 0;
    double together = 0; ///< Δ without all three
    Interval interval;   ///< as of pairs
    double p = 1;
    double discoveryP = 1;
};

/// Heads of the pairs measured, clustered by average linkage: 0 apart are those with the largest interaction of two
/// that stand in for each other, 1 those with none or none measured, up to 2 those that need each other; by square
/// roots, or one large interaction would leave all others at 1.
struct InteractionClusters
{
    std::vector<HeadRef> heads; ///< ascending
    std::vector<ClusterMerge> merges;
    std::vector<std::int64_t> order; ///< places of the heads, as the leaves of the dendrogram
};

struct HeadAlone
{
    HeadRef head;
    double delta = 0; ///< score without it − score of the full model
};

/// The pairs' verdict on removing heads one by one.
enum class SingleAblation : std::uint8_t {
    Understates, ///< heads stand in for each other: two at once cost more than both by themselves, in the mean of all
                 ///< pairs
    Overstates,  ///< they need each other: two at once cost less
    Unclear,     ///< the mean interaction may be zero
    Withheld,    ///< not all pairs were measured, and those were chosen; or examples are too few for any verdict
};
template<>
struct EnumNames<SingleAblation>
{
    static constexpr std::array<std::string_view, 4> values{"understates", "overstates", "unclear", "withheld"};
    static constexpr const char *what = "verdict on single ablation";
};

/// Over all pairs measured.
struct MeanInteraction
{
    double interaction = 0;
    Interval interval;
    double p = 1;
    std::int64_t redundant = 0;  ///< pairs that stand in for each other, after Benjamini–Hochberg at 5 %
    std::int64_t synergetic = 0; ///< pairs that need each other, corrected as those
    SingleAblation single = SingleAblation::Unclear;
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
    std::vector<HeadInteraction> pairs;       ///< those measured: all, or the likeliest; the largest first
    std::vector<TripleInteraction> triples{}; ///< of the heads, if asked for; the largest first
    MeanInteraction mean{};
    InteractionClusters clusters{}; ///< empty in results of earlier versions
    std::int64_t examples = 0;
};

/// Throws Failure: clusters whose places there are not.
void checkInteractions(const InteractionsResult &result);

/// Takes back a verdict on single ablation that the pairs do not allow: they were chosen, or examples are too few.
/// Earlier versions gave one.
void withholdVerdict(InteractionsResult &result);

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

void describe(auto &visit, Of<TripleInteraction> auto &triple)
{
    visit.field("head", triple.head, "one of the three");
    visit.field("other", triple.other, "the second");
    visit.field("third", triple.third, "the third");
    visit.field("interaction", triple.interaction,
                "delta without all three, minus the deltas without each two, plus those without each one");
    visit.field("delta", triple.together, "score without all three minus that of the full model");
    visit.field("ci_low", triple.interval.low, "lower end of the interaction's 95 % interval, paired bootstrap");
    visit.field("ci_high", triple.interval.high, "upper end");
    visit.field("p", triple.p, "that it is zero: two-sided, of the same bootstrap");
    visit.field("p_bh", triple.discoveryP, "Benjamini–Hochberg over all triples");
}

void describe(auto &visit, Of<MeanInteraction> auto &mean)
{
    visit.field("interaction", mean.interaction, "mean over the pairs measured");
    visit.field("ci_low", mean.interval.low, "lower end of its 95 % interval, paired bootstrap over examples");
    visit.field("ci_high", mean.interval.high, "upper end");
    visit.field("p", mean.p, "that it is zero: two-sided, of the same bootstrap");
    visit.field("redundant", mean.redundant, "pairs that stand in for each other, with `p_bh` below 0.05");
    visit.field("synergetic", mean.synergetic, "pairs that need each other, with `p_bh` below 0.05");
    visit.field("single_ablation", mean.single,
                "`understates` what heads do: the interval lies where two at once cost more than both by themselves; "
                "`overstates`; `unclear`; `withheld` where not all pairs were measured (those that were are chosen for "
                "their likely interactions), and of fewer than 6 examples");
}

void describe(auto &visit, Of<InteractionClusters> auto &clusters)
{
    visit.field("heads", clusters.heads, "n of them, ascending, which places are of");
    visit.field("merges", clusters.merges, "n - 1 steps");
    visit.field("order", clusters.order, "of the heads as leaves of the dendrogram");
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
    visit.added("triples", result.triples, "of these heads, the largest interaction first; empty unless asked for");
    visit.added("mean", result.mean, "what the pairs say of single ablation");
    visit.added("clusters", result.clusters, "by average linkage: those that stand in for each other are near");
    visit.field("manifest", result.manifest, "where the result comes from");
    afterReading(visit, result, [](InteractionsResult &of) {
        checkInteractions(of);
        withholdVerdict(of);
    });
}

} // namespace headscope
