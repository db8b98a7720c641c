#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/specoptions.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/results/detectresult.h"
#include "core/results/manifest.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>

namespace headscope {

/// Which heads do induction, look at the previous, the same or the first token, or copy, on repeated random tokens.
struct DetectSpec
{
    RunOptions run{};
    std::int64_t length = 50; ///< random tokens that are repeated, at most
    std::int64_t sequences = 32;
    double threshold = 0.3; ///< of mean attention
    double copyingThreshold = 0.75;
    std::int64_t resamples = 1000;
};

template<typename Visitor>
void describe(Visitor &visit, DetectSpec &spec)
{
    visit.integer("length", spec.length, IntegerRange{2, kLengthRange.most / 4},
                  "Random tokens that are repeated; fewer where the model has not as many positions or tokens");
    visit.integer("sequences", spec.sequences, IntegerRange{2, kMostRepeats},
                  "Generated sequences, which intervals and p are over");
    visit.real("threshold", spec.threshold, Range{0, 1},
               "Mean attention to a detector's key that a head must have more of to be labelled");
    visit.real("copying-threshold", spec.copyingThreshold, Range{0, 1},
               "Share of queries at which the attended token must gain, for the label copying");
    visit.integer("resamples", spec.resamples, IntegerRange{0, kMostResamples},
                  "Resamples of the bootstrap; 0 = no intervals");
}

// parts of the work
inline constexpr Phase kPhaseRepeatedTokens{"reading repeated tokens"};

template<>
struct AnalysisOf<DetectSpec>
{
    using Result = DetectResult;
    static constexpr std::array kPhases{kPhaseRepeatedTokens};
    static constexpr AnalysisInfo kInfo{
        .name = "detect",
        .summary = "Find induction, previous-token, duplicate-token, first-token and copying heads on random tokens",
        .footer
        = "No data set is needed: the sequences are random tokens, twice in succession, the same for all models with\n"
          "the same vocabulary. The result: \"heads\" with \"labels\" and \"detectors\": score with interval over\n"
          "sequences, p (one-sided t-test over sequences that the score is no more than --threshold) and p_adjusted\n"
          "(Holm over all heads and detectors); a label has p_adjusted of 0.05 at most. \"keys\" and \"weights\" are\n"
          "the evidence: where a labelled head looks in the first sequence (\"tokens\").\n"
          "--format csv: a line per head and detector.",
        .group = CommandGroup::Roles,
        .example = "detect --model MODEL_DIR --format csv",
        .needsData = false,
        .needsReferences = false,
        .infers = true};
    /// Attention and direct contributions of every head on repeated random tokens (Elhage et al. 2021, Olsson et al.
    /// 2022). Copying is measured of decoders that say tokens: what the head adds to the logits by itself, through the
    /// norms after it as they were in the run and before a cap of logits; queries whose largest weight is on a special
    /// token are left out. Refuses encoder-decoders. Nothing is published before the end.
    static DetectResult compute(const DetectSpec &spec, AnalysisInput &input, Manifest manifest,
                                const JobControl &control, const Publish<DetectResult> &publish);
};

} // namespace headscope
