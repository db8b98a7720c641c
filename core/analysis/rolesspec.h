#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/base/keywindow.h"
#include "core/base/phase.h"
#include "core/base/ranges.h"
#include "core/results/results.h"
#include "core/results/rolesresult.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace headscope {

/// Options of the roles of heads: plain values with the defaults that users see.
struct RolesSpec
{
    RunOptions run{};
    HeadMask mask{};
    AttentionMeasure measure = AttentionMeasure::Weights;
    SpecialTokens specialTokens
        = SpecialTokens::NoQueriesNoKeys; ///< of confidence; argmaxes are always among real tokens
    bool renormalize = false;             ///< of confidence: the remaining weights of a row sum to 1
    bool ownOutput = false;    ///< the decoder is forced to the model's own (greedy) output even if there are
                               ///< references
    std::string corpus{};      ///< text whose tokens are counted to know which are rare
    std::string frequencies{}; ///< or a file of words and counts
    std::string alignments{};  ///< one line a sentence pair: "0-0 1?2", source-target words, ? or p: possible ones
    std::int64_t evidence = 5; ///< sentences kept for and against
    std::optional<std::int64_t> sinks{}; ///< first keys; none: kUsualSinks
    std::optional<std::int64_t>
        window{};                ///< others nearer to the query than this are not distant; none: kUsualNeighbours
    double sieveThreshold = 1.5; ///< that roles with one score (RoleDetectorScore) are tested against
};

/// The keys that are first keys, and those that are not distant.
inline KeyWindow windowOf(const RolesSpec &spec)
{
    return {spec.sinks.value_or(kUsualSinks), spec.window.value_or(kUsualNeighbours)};
}

template<typename Visitor>
void describe(Visitor &visit, RolesSpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.choice(
        "measure", spec.measure,
        "Attention weights; norms of what is added for a key, as they are (confidence; the rest takes their shares); or "
        "norm-shares, the norms by their sum over the keys");
    visit.choice("special-tokens", spec.specialTokens,
                 "Confidence: leave special tokens out as queries and keys, only as one of them, or count them");
    visit.flag("renormalize", spec.renormalize, "Confidence: what is left beside them sums to 1");
    visit.flag("own-output", spec.ownOutput, "Force the decoder to the model's own output, not to the references");
    visit.text(
        "corpus", spec.corpus, "FILE",
        "Text whose tokens are counted to know rare ones: the training text; default: the order of the vocabulary");
    visit.text("frequencies", spec.frequencies, "FILE", "Words and how often they occur instead, one a line");
    visit.text("alignments", spec.alignments, "FILE",
               "Word alignments for the error rates of cross-attention: lines of 0-0 1?2 (source-target, ? possible)");
    visit.real(
        "sieve-threshold", spec.sieveThreshold, Range{0, kLargestReal},
        "Syntactic, local, block and delimiter roles as Pande et al. (2021) test them: how many times as much attention as if "
        "all keys got the same a head must give, for p");
    visit.integer("sinks", spec.sinks, IntegerRange{0, kLengthRange.most},
                  "Keys from the beginning that a sink head looks at; default: 4");
    visit.integer("window", spec.window, IntegerRange{1, kLengthRange.most},
                  "Other keys at this distance from the query or more are distant, as `ablate --replace window` hides "
                  "them; default: 64");
    visit.integer("evidence", spec.evidence, IntegerRange{0, 1000}, "Sentences for and against every label");
}

// parts of the work
inline constexpr Phase kPhaseRoles{"roles"};

template<>
struct AnalysisOf<RolesSpec>
{
    using Result = RolesResult;
    static constexpr std::array kPhases{kPhaseRoles};
    static constexpr AnalysisInfo kInfo{
        .name = "roles",
        .summary = "Find out what heads attend to: offsets, syntax, rare words, patterns",
        .group = CommandGroup::Roles,
        .example = "roles --model MODEL_DIR --conllu test.conllu --best-heads --format csv",
        .needsHeads = false,
        .needsReferences = false,
        .keepsWork = true};
    static std::string contents(const RolesSpec &spec, const Dataset &dataset, const JobControl &control);
    static RolesResult compute(const RolesSpec &spec, AnalysisInput &input, Manifest manifest,
                               const JobControl &control, const Publish<RolesResult> &publish);
};

} // namespace headscope
