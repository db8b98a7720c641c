#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/base/ranges.h"
#include "core/results/relevanceresult.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// Options of relevance: plain values with the defaults that users see.
struct RelevanceSpec
{
    RunOptions run{};
    HeadMask mask{};
    RelevanceRule rule = RelevanceRule::AlphaBeta;
    bool absolute = false; ///< shares of Σ|R|; always so for rules other than alpha-beta unless `signedShares`
    bool signedShares = false;
    bool ownOutput = false;         ///< the prefix is the model's own (greedy) output even where there are references
    bool attentionConstant = false; ///< alpha-beta: no relevance flows through queries and keys
    bool sentences = false;         ///< keep every example's relevances and contributions
    std::optional<std::int64_t> example{}; ///< this row of the data set alone, with the contributions of its tokens
};

template<typename Visitor>
void describe(Visitor &visit, RelevanceSpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.choice("rule", spec.rule,
                 "alpha-beta: Voita et al.'s code; epsilon: Ding et al.; attnlrp: Achtibat et al.; cp-lrp: Ali et al.");
    visit.flag("own-output", spec.ownOutput,
               "Force the decoder to the model's own greedy output, not to the references (always done without "
               "references)");
    visit.flag("absolute", spec.absolute, "Divide each head's relevance by the layer's absolute relevances");
    visit.flag("signed", spec.signedShares, "Divide by the sum instead, even for rules with negative relevances");
    visit.flag("attention-constant", spec.attentionConstant,
               "alpha-beta: no relevance flows through queries and "
               "keys");
    visit.flag("sentences", spec.sentences, "Keep the relevances of every example, and every token's contribution");
    visit.integer("example", spec.example, IntegerRange{0},
                  "This example alone (counted from 0): what each of its tokens contributes to each output, as spelt. "
                  "--format csv: a line per step and token");
}

// parts of the work
inline constexpr Phase kPhaseRelevance{"relevance"};

template<>
struct AnalysisOf<RelevanceSpec>
{
    using Result = RelevanceResult;
    static constexpr std::array kPhases{kPhaseRelevance};
    static constexpr AnalysisInfo kInfo{
        .name = "relevance",
        .summary = "Trace the model's outputs back to its heads and its input: layer-wise relevance propagation",
        .footer
        = "The result: \"heads\" with relevance (the head's share of its layer, mean over steps) and stderr over\n"
          "examples; \"contributions\" of translation models by target position (from 1; 0 has no prefix but the\n"
          "start token): source (its share; the rest is the prefix's), source_entropy, prefix_entropy;\n"
          "\"conserved\" and \"largest_deviation\": the sum of relevances at the embeddings, which was 1 at the\n"
          "start. \"sentences\": heads, source and prefix (a row per step); of --example with the spelling of tokens.",
        .group = CommandGroup::Roles,
        .example = "relevance --model MODEL_DIR --source test.en --reference test.fr --rule attnlrp",
        .needsReferences = false,
        .keepsWork = true};
    static std::vector<std::string> remarks(const RelevanceResult &result); ///< where relevance got lost
    /// Throws Failure (usage) for options that do not fit together.
    static void check(const RelevanceSpec &spec);
    /// Whether shares are of absolute relevances, said outright.
    static RelevanceSpec canonical(RelevanceSpec spec);
    static RelevanceResult compute(const RelevanceSpec &spec, AnalysisInput &input, Manifest manifest,
                                   const JobControl &control, const Publish<RelevanceResult> &publish);
};

} // namespace headscope
