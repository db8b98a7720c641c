#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/results/gradientsresult.h"
#include "core/task/runoptions.h"

namespace headscope {

/// How much the loss follows attention, by kinds of keys.
struct AttentionGradientsSpec
{
    RunOptions run{};
    HeadMask mask{}; ///< heads masked throughout: their attention decides nothing
};

template<typename Visitor>
void describe(Visitor &visit, AttentionGradientsSpec &spec)
{
    visit.mask("mask", spec.mask);
}

template<>
struct AnalysisOf<AttentionGradientsSpec>
{
    using Result = AttentionGradientsResult;
    static constexpr AnalysisInfo kInfo{
        .name = "gradients",
        .summary = "How much the loss follows attention to special tokens, punctuation, neighbours and all else",
        .footer
        = "Clark et al. 2019, section 3.2 and figure 3: a head that attends to a kind of keys which the loss does not\n"
          "follow may attend there because it has nothing to do. The result: \"heads\", each with \"keys\": of every\n"
          "class of keys (a key is of the first that holds: first, delimiter, punctuation, self, same, previous, next,\n"
          "other) attention, gradient (mean |dL/da| of one weight a) and product (a dL/da, summed over a token's keys).\n"
          "L is what importance takes: -ln p of the label, of all tokens of the reference or text; an encoder that\n"
          "guesses masked tokens has each masked by itself. --format csv: a line per head.",
        .group = CommandGroup::Roles,
        .example = "gradients --model MODEL_DIR --data dev.tsv"};
    static AttentionGradientsResult compute(const AttentionGradientsSpec &spec, AnalysisInput &input, Manifest manifest,
                                            const JobControl &control,
                                            const Publish<AttentionGradientsResult> &publish);
};

} // namespace headscope
