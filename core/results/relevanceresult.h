#pragma once

#include "core/base/enumnames.h"
#include "core/base/headref.h"
#include "core/results/manifest.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Relevance of heads for the model's outputs (Voita et al. 2019, section 4 and appendix), and
/// contributions of source and prefix (Voita et al. 2021).
namespace headscope {

/// How relevance is divided among the inputs of an operation.
enum class RelevanceRule {
    AlphaBeta, ///< α = β = ½ over the Jacobian, as in Voita et al.'s released code ("B")
    Epsilon,   ///< Ding et al. 2017, as in the paper's appendix ("A")
    AttnLrp,   ///< Achtibat et al. 2024
    CpLrp,     ///< Ali et al. 2022: attention weights are constant
};
template<>
struct EnumNames<RelevanceRule>
{
    static constexpr std::array<std::string_view, 4> values{"alpha-beta", "epsilon", "attnlrp", "cp-lrp"};
    static constexpr const char *what = "rule";
};

struct HeadRelevance
{
    HeadRef head;
    double relevance = 0;     ///< share of its layer, mean over steps; the shares of a layer sum to 1
    double standardError = 0; ///< over examples
};

/// Relevances of one example.
struct ExampleRelevance
{
    std::int64_t index = 0; ///< row of the data set
    std::int64_t steps
        = 0; ///< targets that relevance was traced back from: the decoder's positions that count, 1 of a classifier
    std::vector<double> heads; ///< parallel to RelevanceResult::heads, mean over steps
    /// Per step, the shares of the source tokens and of the tokens of the prefix (start token first); they sum to 1.
    /// A classifier without a decoder has one step, and no prefix.
    std::vector<std::vector<double>> source;
    std::vector<std::vector<double>> prefix;
    // How they are spelt, where one example was asked for: what is read, and what is traced back at every step.
    std::vector<std::string> sourceTokens{};
    std::vector<std::string> prefixTokens{};
    std::vector<std::string> targets{};
};

/// At one position of a translation, of models that read a source.
struct ContributionPoint
{
    std::int64_t position = 0; ///< 0: the first token, which has no prefix but the start token
    std::int64_t examples = 0;
    double source = 0;        ///< share of the source (the rest is the prefix's), mean
    double sourceEntropy = 0; ///< nats, of the source tokens' shares divided by their sum
    double prefixEntropy = 0; ///< nats, of the prefix tokens' shares divided by their sum
};

struct RelevanceResult
{
    static constexpr const char *kKind = "relevance";
    Manifest manifest;
    RelevanceRule rule = RelevanceRule::AlphaBeta;
    /// Shares are of Σ|R| in the layer: the rule gives negative relevances too.
    bool absolute = false;
    std::string prefix; ///< "reference", "own output"; empty: there is no such choice
    std::vector<HeadRelevance> heads;
    std::vector<ContributionPoint> contributions; ///< of models with a source and a prefix
    std::int64_t examples = 0;
    std::int64_t steps = 0;
    /// Σ R at the embeddings against the relevance that was started with, which is 1: mean over the steps, and the
    /// largest deviation from 1.
    double conserved = 0;
    double largestDeviation = 0;
    std::vector<ExampleRelevance> sentences; ///< if asked for

    /// Whether it is of one example, with its tokens.
    bool isOfOneExample() const { return sentences.size() == 1 && !sentences.front().targets.empty(); }
};

} // namespace headscope
