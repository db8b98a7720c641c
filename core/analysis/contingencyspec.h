#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/results/contingencyresult.h"
#include "core/task/runoptions.h"

#include <array>

namespace headscope {

/// Which examples a head decides: McNemar's table of every head by itself.
struct ContingencySpec
{
    RunOptions run{};
    HeadMask mask{};       ///< heads already masked throughout
    bool examples = false; ///< name the examples that are lost and gained
};

template<typename Visitor>
void describe(Visitor &visit, ContingencySpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.flag("examples", spec.examples,
               "Name the examples that are lost and gained without each head, by their rows");
}

// parts of the work
inline constexpr Phase kPhaseComparing{"comparing examples"};

template<>
struct AnalysisOf<ContingencySpec>
{
    using Result = ContingencyResult;
    static constexpr std::array kPhases{kPhaseComparing};
    static constexpr AnalysisInfo kInfo{
        .name = "mcnemar",
        .summary = "Count the examples that each head decides: right only with it, right only without it",
        .footer = "For classifiers and minimal pairs, whose examples are right or wrong. The result: \"heads\" with\n"
                  "both_right, lost (right only with the head), gained (right only without), both_wrong, and the p of\n"
                  "McNemar's exact test.",
        .group = CommandGroup::Needed,
        .example = "mcnemar --model MODEL_DIR --data dev.tsv --examples",
        .goesByMetric = true,
        .runsManyMasks = true};
    /// McNemar's table of every head (McNemar 1947): examples by whether the model has them right with and
    /// without the head. Looks at the outputs of the finished sweep over the heads, where that has run on these data,
    /// else runs it. Refuses a metric that does not say right or wrong. Nothing is published before the end.
    static ContingencyResult compute(const ContingencySpec &spec, AnalysisInput &input, Manifest manifest,
                                     const JobControl &control, const Publish<ContingencyResult> &publish);
};

} // namespace headscope
