#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/specoptions.h"
#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/results/findresult.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace headscope {

/// Farthest offset that can be looked for.
inline constexpr std::int64_t kMostOffset = 1000;

/// Where a head attends to a token, a part of speech or an offset; with none of these, to any token.
struct FindSpec
{
    RunOptions run{};
    HeadMask mask{};             ///< heads masked while attention is computed
    std::string head{};          ///< address: "cross.1.3"
    std::string token{};         ///< a token, or a word that is several of them, as it is spelt
    std::string tag{};           ///< universal part of speech: "VERB"
    std::optional<int> offset{}; ///< key minus query; of cross-attention: from the diagonal
    std::int64_t places = 50;    ///< at most
    bool ownOutput = false;
};

template<typename Visitor>
void describe(Visitor &visit, FindSpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.text("head", spec.head, "HEAD", "The head: encoder.2.6, cross.1.3");
    visit.text("token", spec.token, "TEXT",
               "Attention to this token, or to this word where it is several tokens, special tokens included ([SEP])");
    visit.text("tag", spec.tag, "TAG",
               "Attention to words of this part of speech, such as VERB; needs trees (--conllu)");
    visit.integer("offset", spec.offset, IntegerRange{-kMostOffset, kMostOffset},
                  "Attention to the token this far from the one that attends: -1 is the previous one; of "
                  "cross-attention, from the diagonal");
    visit.integer("places", spec.places, IntegerRange{1, 100'000}, "Most sentences that are listed");
    visit.flag("own-output", spec.ownOutput,
               "Force the decoder to the model's own greedy output, not to the references (always done without "
               "references)");
}

// parts of the work
inline constexpr Phase kPhaseFinding{"searching attention"};

template<>
struct AnalysisOf<FindSpec>
{
    using Result = FindResult;
    static constexpr std::array kPhases{kPhaseFinding};
    static constexpr AnalysisInfo kInfo{
        .name = "find",
        .summary = "Find the sentences in which a head attends most to a token, a part of speech or an offset",
        .footer
        = "Needs --head, and at most one of --token, --tag and --offset; without them attention to any token counts.\n"
          "The result: \"places\", for each example that has such a place the one with the largest weight, in falling order:\n"
          "index (row of the data), weight, query and key (positions of the tokens), their spelling, text; \"matching\": how\n"
          "many examples these are; \"mean_weight\": the mean over them. Queries are never special tokens. --format csv: a\n"
          "line for each place.",
        .group = CommandGroup::Roles,
        .example = "find --model MODEL_DIR --conllu test.conllu --head encoder.2.6 --tag VERB --format csv",
        .needsReferences = false};
    /// Throws Failure (usage) without a head, and for more than one thing to look for.
    static void check(const FindSpec &spec);
    /// The trees, which are no part of the data set's hash.
    static std::string contents(const FindSpec &spec, const Dataset &dataset, const JobControl &control);
    /// The examples in which a head gives most weight to what is looked for, in one pass over the attention of the data
    /// set; tokens that attend are no special ones. What has been found so far is published. Throws Failure for a head
    /// that the model does not have, parts of speech without trees or of a text that has none, and a token without a
    /// tokenizer.
    static FindResult compute(const FindSpec &spec, AnalysisInput &input, Manifest manifest, const JobControl &control,
                              const Publish<FindResult> &publish);
};

} // namespace headscope
