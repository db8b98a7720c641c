#pragma once

#include "core/base/headref.h"
#include "core/base/interval.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"
#include "core/results/results.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// Heads that take over when one is removed (self-repair: McGrath et al. 2023; backup heads: Wang et al. 2022). All of
/// it is of the difference of the logits of an answer and a wrong answer, in direct contributions, which sum to it.
namespace headscope {

/// A mean over examples.
struct MeanChange
{
    double mean = 0;
    Interval interval; ///< 95 %, bootstrap over examples; NaN where there is one
};

struct HeadTakeover
{
    HeadRef head;
    bool after = false; ///< reads what the removed head writes; others change with the scales of norms only
    double whole = 0;   ///< what it adds by itself in the whole model, mean over examples
    double without = 0; ///< the same without the removed head
    double change
        = 0; ///< without − whole: above zero where it was the removed head that stood for the answer, it takes over
    Interval interval{};   ///< 95 %, of the change, bootstrap over examples; NaN where there is one
    double p = 1;          ///< that the change is zero: two-sided; NaN without resamples
    double discoveryP = 1; ///< Benjamini–Hochberg over all heads
};

/// One example, with the change of every head in the order of the result.
struct TakeoverExample
{
    std::int64_t row = 0; ///< of the data set
    std::string answer{}, wrongAnswer{};
    double whole = 0; ///< difference of the logits
    double without = 0;
    double own = 0; ///< what the removed head adds by itself
    double others = 0;
    double rest = 0;
    std::vector<double> changes{};
};

struct TakeoverResult
{
    static constexpr const char *kKind = "takeover";
    Manifest manifest;
    HeadRef head;                    ///< the one removed
    std::vector<HeadRef> together{}; ///< the other heads of its group, removed with it
    Replacement replacement = Replacement::Zero;
    std::int64_t draws = 1;
    bool ownAnswers = false; ///< the answer is what the model says, the wrong one what is next likely
    MeanChange whole;        ///< difference of the logits
    MeanChange without;      ///< the same without the head
    double own = 0;          ///< what the head adds by itself
    double instead = 0;      ///< what its replacement adds
    MeanChange others;       ///< sum of the changes of all other heads
    MeanChange rest;         ///< change of embeddings, feed-forward layers and biases
    /// (others + rest) by (own − instead): 0 nothing, 1 all of what is lost with the head is made good. NaN where
    /// nothing is lost.
    double repaired = std::numeric_limits<double>::quiet_NaN();
    Interval repairedInterval{};       ///< NaN too where more than a fortieth of the resamples is undefined
    double undefined = 0;              ///< the share of the resamples in which nothing is lost, or gained instead
    std::vector<HeadTakeover> heads{}; ///< all that can add something by themselves, but those removed
    std::vector<TakeoverExample> sentences{}; ///< if asked for
    std::int64_t examples = 0;
};

void describe(auto &visit, Of<MeanChange> auto &value)
{
    visit.field("mean", value.mean, "mean over examples");
    visit.field("ci_low", value.interval.low, "lower end of the 95 % interval, bootstrap over examples");
    visit.field("ci_high", value.interval.high, "upper end");
}

void describe(auto &visit, Of<HeadTakeover> auto &head)
{
    visit.field("head", head.head, "address");
    visit.field("after", head.after,
                "it reads what the removed head writes; the others change only as the scales of norms do");
    visit.field("whole", head.whole, "what it adds by itself to the difference of the logits, mean over examples");
    visit.field("without", head.without, "the same without the removed head");
    visit.field("change", head.change, "without minus whole");
    visit.field("ci_low", head.interval.low, "lower end of the change's 95 % interval, bootstrap over examples");
    visit.field("ci_high", head.interval.high, "upper end");
    visit.field("p", head.p, "that the change is zero: two-sided, of the same bootstrap");
    visit.field("p_bh", head.discoveryP, "Benjamini–Hochberg over all heads");
}

void describe(auto &visit, Of<TakeoverExample> auto &example)
{
    visit.field("index", example.row, "row of the data set, from 0");
    visit.field("answer", example.answer, "token or label");
    visit.field("wrong_answer", example.wrongAnswer, "what it is compared with");
    visit.field("whole", example.whole, "difference of the logits");
    visit.field("without", example.without, "the same without the removed head");
    visit.field("own", example.own, "what the removed head adds by itself");
    visit.field("others", example.others, "sum of the changes of all other heads");
    visit.field("rest", example.rest, "change of embeddings, feed-forward layers and biases");
    visit.field("changes", example.changes, "of each head, in the order of `heads`");
}

void describe(auto &visit, Of<TakeoverResult> auto &result)
{
    visit.field("head", result.head, "the one removed");
    visit.rare("together", result.together, "the other heads of its group, removed with it");
    visit.field("replace", result.replacement, "replacement of a removed head's context");
    visit.field("draws", result.draws, "resample: random examples whose contexts replaced each, in turn");
    visit.field("own_answers", result.ownAnswers,
                "the answer is what the model says, the wrong answer what is next likely");
    visit.field("examples", result.examples, "used");
    visit.field("whole", result.whole, "logit of the answer minus that of the wrong one");
    visit.field("without", result.without, "the same without the head");
    visit.field("own", result.own, "what the head adds to it by itself, mean over examples");
    visit.field("instead", result.instead, "what its replacement adds");
    visit.field("others", result.others, "sum of the changes of all other heads");
    visit.field("rest", result.rest, "change of embeddings, feed-forward layers and biases");
    visit.field("repaired", result.repaired,
                "(others + rest) by (own − instead): 0 nothing, 1 all of what is lost with the head is made good");
    visit.field("repaired_low", result.repairedInterval.low, "lower end of its 95 % interval, bootstrap over examples");
    visit.field("repaired_high", result.repairedInterval.high, "upper end");
    visit.added("undefined", result.undefined,
                "share of the resamples in which nothing is lost with the head, or something gained; more than 0.025 "
                "of them leave `repaired` without an interval");
    visit.field("heads", result.heads, "all others that can add something by themselves");
    visit.rare("sentences", result.sentences, "one for each example, if asked for");
    visit.field("manifest", result.manifest, "where the result comes from");
}

} // namespace headscope
