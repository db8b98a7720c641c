#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/base/headref.h"
#include "core/base/headunit.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/base/ranges.h"
#include "core/results/takeoverresult.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// Which heads take over when one is removed.
struct TakeoverSpec
{
    RunOptions run{};
    HeadMask mask{};    ///< heads off throughout
    std::string head{}; ///< address of the head that is removed
    HeadUnit by = HeadUnit::Head;
    Replacement replacement = Replacement::Zero;
    std::int64_t draws = 1; ///< resample: number of random examples that replace each example in turn
    bool sentences = false;
    std::int64_t resamples = 1000;
};

template<typename Visitor>
void describe(Visitor &visit, TakeoverSpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.text("head", spec.head, "HEAD", "The head that is removed: decoder.9.6");
    visit.choice("by", spec.by, "The unit that is removed: the head, or all heads that share its key-value head");
    visit.choice("replace", spec.replacement,
                 "Replacement of the removed head's context: nothing; its mean over the data set; that of another "
                 "example, as a control");
    visit.integer("draws", spec.draws, IntegerRange{1, 1000},
                  "For --replace resample: number of random examples whose contexts replace each example's; results "
                  "average over them");
    visit.flag("sentences", spec.sentences, "Keep the changes of every example, too");
    visit.integer("resamples", spec.resamples, IntegerRange{0, kMostResamples},
                  "Resamples of the bootstrap over examples; 0 = no intervals");
}

// parts of the work
inline constexpr Phase kPhaseContributions{"direct contributions without the head"};

template<>
struct AnalysisOf<TakeoverSpec>
{
    using Result = TakeoverResult;
    static constexpr std::array kPhases{kPhaseContributions};
    static constexpr AnalysisInfo kInfo{
        .name = "takeover",
        .summary = "Remove a head, and see which other heads take over what it added to the answer",
        .footer
        = "Needs --head. The data: a table with the columns clean, corrupt, answer and wrong_answer, as for `patch` (of the\n"
          "clean texts), or any texts of a classifier or of a causal language model, whose answer is then what the model says,\n"
          "and the wrong one what is next likely. The result: what the head adds by itself to the difference of their logits\n"
          "(own), what that becomes without it (whole, without), and what the others add instead (others, rest); repaired is\n"
          "their share of what was lost. \"heads\" with change, interval, p and p_bh. --format csv: a line per head.",
        .group = CommandGroup::Needed,
        .example = "takeover --model MODEL_DIR --data pairs.jsonl --head decoder.9.6",
        .needsReferences = false,
        .infers = true};
    static std::vector<std::string> remarks(const TakeoverResult &result); ///< a head that adds nothing
    /// Throws Failure (usage) without a head.
    static void check(const TakeoverSpec &spec);
    static TakeoverResult compute(const TakeoverSpec &spec, AnalysisInput &input, Manifest manifest,
                                  const JobControl &control, const Publish<TakeoverResult> &publish);
};

} // namespace headscope
