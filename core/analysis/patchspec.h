#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/base/headref.h"
#include "core/base/headunit.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/base/ranges.h"
#include "core/results/patchresult.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// Which heads carry an answer from the text to the output.
struct PatchSpec
{
    RunOptions run{};
    HeadMask mask{}; ///< heads off throughout
    HeadUnit by = HeadUnit::Head;
    PatchMeasure measure = PatchMeasure::LogitDifference;
    PatchDirection direction = PatchDirection::Denoise;
    PatchWhat what = PatchWhat::Context;
    bool positions = false; ///< every head at every position too
    PatchAlignment align = PatchAlignment::Start;
    std::string pathsTo{}; ///< a head's address or "output"; empty: by all ways
    bool circuits = false;
    std::int64_t resamples = 1000;
};

template<typename Visitor>
void describe(Visitor &visit, PatchSpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.choice("by", spec.by, "The unit that is patched at a time: a head, or all heads that share a key-value head");
    visit.choice(
        "measure", spec.measure,
        "How an answer is scored: its logit minus that of the wrong answer, its probability, its loss (-ln p), or "
        "whether it is likelier than the wrong answer");
    visit.choice("direction", spec.direction,
                 "denoise: the corrupt text is run with a head's context of the clean one; noise: the clean text with "
                 "that of the corrupt one");
    visit.choice("what", spec.what,
                 "Part of a head that is patched: its context (all that it makes of the text), or a part of that: its "
                 "queries, keys, values, or its pattern (the attention weights). Keys and values that heads share are "
                 "patched for all heads of the group");
    visit.flag("positions", spec.positions, "Patch every head at every position by itself, too");
    visit.choice("align", spec.align,
                 "How positions are counted where pairs have different lengths: from the start (0, 1, ...) or the end "
                 "(..., -2, -1)");
    visit.text("paths-to", spec.pathsTo, "HEAD|output",
               "Path patching: let a head's patched context reach only this head (its queries, keys and values) or the "
               "output, while all other heads keep the contexts of the base run");
    visit.flag("circuits", spec.circuits,
               "Measure circuits of growing size too: the heads with the largest effects keep their contexts, all "
               "others get those of the corrupt text");
    visit.integer("resamples", spec.resamples, IntegerRange{0, kMostResamples},
                  "Resamples of the bootstrap over pairs; 0 = no intervals");
}

// parts of the work
inline constexpr Phase kPhasePatching{"patching heads"};
inline constexpr Phase kPhaseCircuits{"measuring circuits"};

template<>
struct AnalysisOf<PatchSpec>
{
    using Result = PatchResult;
    static constexpr std::array kPhases{kPhasePatching, kPhaseCircuits};
    static constexpr AnalysisInfo kInfo{
        .name = "patch",
        .summary = "Put a head's context of one text into the run of another: which heads carry the answer",
        .footer
        = "Activation patching. The data: a table with the columns clean, corrupt, answer and wrong_answer. The result:\n"
          "\"heads\" and, with --positions, \"cells\", each with delta (patched minus base run), effect (delta by the\n"
          "difference of the clean and corrupt scores: 0 nothing, 1 all of it), their intervals, and attribution (what\n"
          "gradients estimate the delta of the logit difference to be, whatever --measure says); \"head_agreement\" says how well. direct_clean and direct_corrupt: what a head adds to\n"
          "the logit difference by itself. --circuits: \"circuits\" with faithfulness, cpr and cmd; `nodes` writes the heads as\n"
          "a file of the MIB benchmark. --format csv: a line per head and cell.",
        .group = CommandGroup::Needed,
        .example = "patch --model MODEL_DIR --data pairs.jsonl --positions",
        .needsReferences = false,
        .infers = true,
        .keepsWork = true,
        .runsManyMasks = true};
    static std::vector<std::string> remarks(const PatchResult &result); ///< effects that are not defined
    static PatchResult compute(const PatchSpec &spec, AnalysisInput &input, Manifest manifest,
                               const JobControl &control, const Publish<PatchResult> &publish);
};

} // namespace headscope
