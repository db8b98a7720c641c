#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/base/ranges.h"
#include "core/results/gatingresult.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <vector>

namespace headscope {

/// Which heads help a task, disturb it, or do not matter, by gates on a model whose weights stay as they are.
struct GatingSpec
{
    RunOptions run{};
    std::vector<HeadKind> kinds{}; ///< whose heads have gates; empty = all
    std::int64_t seeds = 5;
    std::int64_t steps = 100; ///< without a pull, then as many with each
    double lambda = 0.001;
    double learningRate = 0.1;
    std::int64_t batchExamples = 32;
    bool hard = false; ///< Hard Concrete gates
};

template<typename Visitor>
void describe(Visitor &visit, GatingSpec &spec)
{
    visit.choices("kinds", spec.kinds, "Whose heads have gates (default: all)");
    visit.integer("seeds", spec.seeds, IntegerRange{1, 1000}, "Fits from other beginnings, from --seed on");
    visit.integer("steps", spec.steps, IntegerRange{1, kMostRepeats},
                  "Updates without a pull, and then as many with each of the two");
    visit.real(
        "lambda", spec.lambda, Range{1e-9, 1e6},
        "Strength of the pull: loss per target token + lambda times the sum of the gates' logits (to 0), or minus it (to 1)");
    visit.real("learning-rate", spec.learningRate, Range{1e-9, 100}, "Learning rate of Adam, on the gates' logits");
    visit.integer("batch-examples", spec.batchExamples, IntegerRange{1}, "Examples of an update");
    visit.flag(
        "hard", spec.hard,
        "Hard Concrete gates, as in `l0`, with the expected number of open heads as the pull, instead of soft ones; "
        "G is then the probability of being open");
}

// parts of the work
inline constexpr Phase kPhaseGates{"fitting gates"};

template<>
struct AnalysisOf<GatingSpec>
{
    using Result = GatingResult;
    static constexpr std::array kPhases{kPhaseGates};
    static constexpr AnalysisInfo kInfo{
        .name = "gating",
        .summary = "Fit gates that are pulled to 1 and to 0: which heads help the task, which interfere (Nam 2025)",
        .footer
        = "Causal head gating: a gate between 0 and 1 for every head, fitted to the loss while all weights stay as they are,\n"
          "first without a pull, from there pulled to 1 (G+) and to 0 (G-), for several seeds. The result: \"heads\" with role\n"
          "(facilitating: stays open although pulled to 0; interfering: closes although pulled to 1; irrelevant), the three\n"
          "scores G-, 1 - G+ and G+ (1 - G-), and agreement over seeds; \"seeds\" with every fit and its losses.\n"
          "--format csv: a line per head.",
        .group = CommandGroup::Needed,
        .example = "gating --model MODEL_DIR --data dev.tsv --seeds 5 --format csv",
        .keepsWork = true};
    static GatingResult compute(const GatingSpec &spec, AnalysisInput &input, Manifest manifest,
                                const JobControl &control, const Publish<GatingResult> &publish);
};

} // namespace headscope
