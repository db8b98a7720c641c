#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/base/ranges.h"
#include "core/results/speedresult.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace headscope {

/// Options for measuring a model's speed (the guide's numbers.md, Speed).
struct SpeedSpec
{
    RunOptions run{};               ///< decoding and seed; importance, where `mask` is not given
    std::optional<HeadMask> mask{}; ///< the heads to go; none: the least important ones, as many as `fraction` says
    double fraction = 0.5;          ///< of all heads, rounded down
    std::vector<std::int64_t> batchSizes{1, 4, 16, 64};
    std::vector<LengthPolicy> lengths{LengthPolicy::Bucketed, LengthPolicy::AsIs};
    std::int64_t examples = 256; ///< drawn at random by the seed, kept in the order of the data; 0 = all
    int repeats = 5;
    int warmUp = 10; ///< batches of every contender before each measurement
};

template<typename Visitor>
void describe(Visitor &visit, SpeedSpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.real("fraction", spec.fraction, Range{0, 1},
               "Without --mask: share of heads removed, the least important first");
    visit.integers("batch-sizes", spec.batchSizes, IntegerRange{1}, "Examples in a batch");
    visit.choices(
        "lengths", spec.lengths,
        "How batches are made: of similar length (bucketed), in the data's order (as-is), all padded to the longest "
        "(fixed)");
    visit.integer("examples", spec.examples, IntegerRange{0}, "Measured in each repeat, drawn by the seed; 0 = all");
    visit.integer("repeats", spec.repeats, IntegerRange{1, kMostRepeats}, "How often everything is measured");
    visit.integer("warm-up", spec.warmUp, IntegerRange{0, kMostRepeats},
                  "Unmeasured batches of each model before every "
                  "measurement");
}

// parts of the work
inline constexpr Phase kPhaseSpeed{"measuring speed"};

template<>
struct AnalysisOf<SpeedSpec>
{
    using Result = SpeedResult;
    static constexpr std::array kPhases{kPhaseSpeed};
    static constexpr AnalysisInfo kInfo{.name = "speed",
                                        .summary
                                        = "Measure the speed of the full model, of the masked model and of the model "
                                          "with heads removed",
                                        .group = CommandGroup::Needed,
                                        .example = "speed --model MODEL_DIR --data dev.tsv --fraction 0.5"};
    static bool isRemembered(const SpeedSpec &) { return false; }             // measured anew every time
    static bool needsReferences(const SpeedSpec &spec) { return !spec.mask; } // importance does
    /// A mask leaves nothing to the fraction.
    static SpeedSpec canonical(SpeedSpec spec)
    {
        if (spec.mask)
            spec.fraction = SpeedSpec().fraction;
        return spec;
    }
    static SpeedResult compute(const SpeedSpec &spec, AnalysisInput &input, Manifest manifest,
                               const JobControl &control, const Publish<SpeedResult> &publish);
};

} // namespace headscope
