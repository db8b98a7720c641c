#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/specoptions.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/results/headtokensresult.h"
#include "core/results/manifest.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace headscope {

/// Which tokens the weights of heads read, write and match.
struct HeadTokensSpec
{
    RunOptions run{};
    std::string token{};
    std::optional<std::int64_t> tokenId{};
    std::int64_t directions = 3;
    std::int64_t top = 10;
    std::string heads{};
};

template<typename Visitor>
void describe(Visitor &visit, HeadTokensSpec &spec)
{
    constexpr std::int64_t kMostDirections = 1024, kMostTokens = 1000, kMostRows = std::int64_t{1} << 40;
    visit.text(
        "token", spec.token, "TEXT",
        "Tokens of this text: which tokens heads write for them, and which keys match them as queries; most words begin with a "
        "blank");
    visit.integer("token-id", spec.tokenId, IntegerRange{0, kMostRows},
                  "The same of a row of the table of embeddings, counted from 0");
    visit.integer("directions", spec.directions, IntegerRange{0, kMostDirections},
                  "Singular directions of OV and QK of every head, the largest first");
    visit.integer("top", spec.top, IntegerRange{1, kMostTokens}, "Tokens at each end");
    visit.text("heads", spec.heads, "HEADS", "Only these heads: decoder.0.3,decoder.1.2; default: all");
}

// parts of the work
inline constexpr Phase kPhaseHeadTokens{"looking at tokens"};

template<>
struct AnalysisOf<HeadTokensSpec>
{
    using Result = HeadTokensResult;
    static constexpr std::array kPhases{kPhaseHeadTokens};
    static constexpr AnalysisInfo kInfo{
        .name = "tokens",
        .summary = "Find the tokens that the weights of heads read, write and match, without any data",
        .footer
        = "Elhage et al. 2021, Millidge and Black 2022. No data set is needed. The result: \"heads\" with \"ov\" and \"qk\":\n"
          "the largest singular directions with the tokens at both ends (\"from\": what it reads, or queries; \"to\": what\n"
          "it writes, or keys). With --token or --token-id also \"writes\", the logits that the head raises and lowers where\n"
          "it attends to the token, and \"matches\", the keys that the token looks for as a query. Values are less the\n"
          "mean over all tokens; weights of norms are folded in as by `weights`, and biases and positions left out; with\n"
          "rotary positions QK is that of distance 0 (\"rotary\"). --format csv: a line per head, end and token.",
        .group = CommandGroup::Roles,
        .example = "tokens --model MODEL_DIR --token \" Paris\" --directions 0",
        .needsData = false,
        .needsReferences = false};
    /// Throws Failure (usage): neither tokens nor directions are asked for, or a text and an id.
    static void check(const HeadTokensSpec &spec);
    /// Maps as headCircuits() says them. Products over the vocabulary are made block by block. Throws Failure for
    /// tokens and heads that the model has not. Nothing is published before the end.
    static HeadTokensResult compute(const HeadTokensSpec &spec, AnalysisInput &input, Manifest manifest,
                                    const JobControl &control, const Publish<HeadTokensResult> &publish);
};

} // namespace headscope
