#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/base/headref.h"
#include "core/base/headunit.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/base/ranges.h"
#include "core/results/shapleyresult.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <vector>

namespace headscope {

/// The part of each head in the score, over all orders in which heads can be put in.
struct ShapleySpec
{
    RunOptions run{};
    HeadMask mask{}; ///< heads off throughout
    HeadUnit by = HeadUnit::Head;
    std::vector<HeadKind> kinds{}; ///< whose heads have values; empty: all
    std::int64_t orders = 20;
    double truncate = 0;
    double precision = 0;
    double orderPrecision = 0; ///< half of the 95 % interval by orders alone
    std::int64_t resamples = 1000;
};

template<typename Visitor>
void describe(Visitor &visit, ShapleySpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.choice("by", spec.by, "The unit that has a value: a head, or all heads that share a key-value head");
    visit.choices("kinds", spec.kinds, "Whose heads have values; all others stay (default: all have)");
    visit.integer("orders", spec.orders, IntegerRange{2, kMostRepeats},
                  "Random orders of the heads, every second one the reverse of the one before. Where there are no more "
                  "sets of heads than they would measure, all sets are measured and the values are exact");
    visit.real("truncate", spec.truncate, Range{0, 1},
               "Stop removing heads in an order once the score is as near as this share of (all - none) to that "
               "without heads; the heads left share what is left alike. 0: never");
    visit.real("precision", spec.precision, Range{0, kLargestReal},
               "Draw no more orders once every value is known to ± X (half of its interval); 0: use all of --orders");
    visit.real("order-precision", spec.orderPrecision, Range{0, kLargestReal},
               "Draw no more orders once every value of these very examples is known to ± X (half of the 95 % "
               "interval by the orders drawn, Student's t); 0: use all of --orders");
    visit.integer("resamples", spec.resamples, IntegerRange{0, kMostResamples},
                  "Resamples of the bootstrap over examples and orders; 0 = no intervals");
}

// parts of the work
inline constexpr Phase kPhaseSets{"measuring sets of heads"};

template<>
struct AnalysisOf<ShapleySpec>
{
    using Result = ShapleyResult;
    static constexpr std::array kPhases{kPhaseSets};
    static constexpr AnalysisInfo kInfo{
        .name = "shapley",
        .summary = "Divide the score among the heads by their Shapley values, redundant heads included",
        .footer
        = "The result: \"heads\" with shapley (what a head adds to the score of those put in before it, mean over orders),\n"
          "ci_low, ci_high, p and p_bh. The values sum to all - none, the scores with and without all these heads,\n"
          "whatever the metric. `prune --order FILE` takes the JSON as an order.",
        .group = CommandGroup::Needed,
        .example = "shapley --model MODEL_DIR --data dev.tsv --orders 40 --truncate 0.02",
        .infers = true,
        .keepsWork = true,
        .goesByMetric = true,
        .runsManyMasks = true};
    static ShapleyResult compute(const ShapleySpec &spec, AnalysisInput &input, Manifest manifest,
                                 const JobControl &control, const Publish<ShapleyResult> &publish);
};

} // namespace headscope
