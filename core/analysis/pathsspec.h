#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/base/ranges.h"
#include "core/results/pathsresult.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// Along which ways heads carry an answer to each other.
struct PathsSpec
{
    RunOptions run{};
    HeadMask mask{};                 ///< heads off throughout
    std::string from{};              ///< senders, as a mask is written; empty: all heads
    std::string to{};                ///< receivers, as a mask is written, or "logits"; empty: all
    std::vector<PathInput> inputs{}; ///< empty: query, key, value and logits
    PatchMeasure measure = PatchMeasure::LogitDifference;
    PatchDirection direction = PatchDirection::Denoise;
    PathFeedForward feedForward = PathFeedForward::Recomputed;
    PathMethod method = PathMethod::Exact;
    std::int64_t verify = 0; ///< linear: so many paths are computed exactly
    std::int64_t resamples = 1000;
};

template<typename Visitor>
void describe(Visitor &visit, PathsSpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.text("from", spec.from, "HEADS", "Only paths from these heads: decoder.0.3,decoder.1.2; default: from all");
    visit.text("to", spec.to, "HEADS", "Only paths to these heads, or \"logits\"; default: to all");
    visit.choices("inputs", spec.inputs,
                  "Where paths end: query, key, value, all three together, logits; default: query, key, value and "
                  "logits, each by itself. Keys and values that heads share are of their group");
    visit.choice(
        "measure", spec.measure,
        "How an answer is scored: its logit minus that of the wrong answer, its probability, its loss (-ln p), "
        "or whether it is likelier than the wrong answer");
    visit.choice("direction", spec.direction,
                 "denoise: the corrupt text is run with the sender's context of the clean one; noise: the clean text "
                 "with that of the corrupt one");
    visit.choice("feed-forward", spec.feedForward,
                 "Feed-forward layers between sender and receiver: recomputed, so that they read the sender's change "
                 "too, or frozen as in the base run");
    visit.choice(
        "method", spec.method,
        "exact: every path by a run from its receiver on; linear: all of them by gradients (edge attribution)");
    visit.integer("verify", spec.verify, IntegerRange{0, kMostRepeats},
                  "For --method linear: so many of the strongest paths are computed exactly too");
    visit.integer(
        "resamples", spec.resamples, IntegerRange{0, kMostResamples},
        "Resamples of the bootstrap over pairs; 0 = no intervals. For p of paths that none of them contradicts, more "
        "are drawn");
}

// parts of the work
inline constexpr Phase kPhasePaths{"patching paths"};

template<>
struct AnalysisOf<PathsSpec>
{
    using Result = PathsResult;
    static constexpr std::array kPhases{kPhasePaths};
    static constexpr AnalysisInfo kInfo{
        .name = "paths",
        .summary = "Follow the direct paths from head to head: query, key, value and logits apart",
        .footer
        = "Path patching of all pairs of heads. The data: a table with the columns clean, corrupt, answer and\n"
          "wrong_answer, as for `patch`. The result: \"paths\", the strongest first, each with its sender (head), its\n"
          "receiver (to; none: the output), the receiver's input, delta and effect with intervals, attribution (what\n"
          "gradients estimate delta to be), p and p_bh over all paths. \"exact\" is false where delta is that estimate.\n"
          "--format csv: a line per path.",
        .group = CommandGroup::Needed,
        .example = "paths --model MODEL_DIR --data pairs.jsonl --method linear --verify 50",
        .needsReferences = false,
        .infers = true,
        .runsManyMasks = true};
    static std::vector<std::string> remarks(const PathsResult &result); ///< effects that are not defined
    /// Throws Failure (usage) of options that exclude each other.
    static void check(const PathsSpec &spec);
    static PathsResult compute(const PathsSpec &spec, AnalysisInput &input, Manifest manifest,
                               const JobControl &control, const Publish<PathsResult> &publish);
};

} // namespace headscope
