#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/base/headref.h"
#include "core/base/headunit.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/base/ranges.h"
#include "core/results/interactionsresult.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// Which pairs of heads stand in for each other, or need each other.
struct InteractionsSpec
{
    RunOptions run{};
    HeadMask mask{};     ///< heads off throughout
    std::string among{}; ///< only pairs of these heads, as a mask is written; empty: of all
    HeadUnit by = HeadUnit::Head;
    std::vector<HeadKind> kinds{};
    std::int64_t most = 5000;
    std::int64_t resamples = 1000;
    bool triples = false; ///< also of all triples: of kMostTripleHeads heads at most
};
inline constexpr std::int64_t kMostTripleHeads = 12;

template<typename Visitor>
void describe(Visitor &visit, InteractionsSpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.text("among", spec.among, "HEADS", "Only pairs of these heads: encoder.0.3,encoder.1.2; default: of all");
    visit.choice("by", spec.by, "The unit that is removed at a time: a head, or all heads that share a key-value head");
    visit.choices("kinds", spec.kinds, "Whose heads are looked at (default: all)");
    visit.integer("most", spec.most, IntegerRange{1, kMostRepeats},
                  "Pairs measured at most: where there are more, those whose losses have the largest mixed derivatives "
                  "by gradients (of the block Fisher matrix)");
    visit.integer("resamples", spec.resamples, IntegerRange{0, kMostResamples},
                  "Resamples of the paired bootstrap; 0 = no intervals");
    visit.flag("triples", spec.triples, "Also measure all triples of the heads, which --among limits to 12 at most");
}

// parts of the work
inline constexpr Phase kPhasePairs{"removing pairs of heads"};

template<>
struct AnalysisOf<InteractionsSpec>
{
    using Result = InteractionsResult;
    static constexpr std::array kPhases{kPhasePairs};
    static constexpr AnalysisInfo kInfo{
        .name = "interactions",
        .summary = "Measure pairs of heads: which stand in for each other, which need each other",
        .footer
        = "The result: \"pairs\" with interaction (delta without both minus the deltas without each), its interval, p and\n"
          "p_bh, the largest first. Of a score that is better when higher, below zero the two heads stand in for each\n"
          "other: single ablation understates them. --among limits it to some heads, such as encoder.0.3,encoder.1.2, and\n"
          "--triples adds \"triples\": what three heads do together that no two of them account for.",
        .group = CommandGroup::Needed,
        .example = "interactions --model MODEL_DIR --data dev.tsv --most 500",
        .infers = true,
        .keepsWork = true,
        .goesByMetric = true,
        .runsManyMasks = true};
    static InteractionsResult compute(const InteractionsSpec &spec, AnalysisInput &input, Manifest manifest,
                                      const JobControl &control, const Publish<InteractionsResult> &publish);
};

} // namespace headscope
