#pragma once

#include "core/base/headref.h"
#include "core/base/sentencetree.h"
#include "core/results/manifest.h"

#include <cstdint>
#include <string>
#include <vector>

/// Attention of all heads on one sentence.
namespace headscope {

struct TokenLabel
{
    std::string text; ///< as shown: "▁" kept, so that words can be joined
    std::int64_t id = 0;
    bool special = false; ///< start, end, padding, unknown, [CLS], [SEP]
    int word = -1;        ///< which word it belongs to, -1 for special tokens
    int segment = 0;      ///< 0 first text, 1 second text of a pair, -1 for special tokens
    int treeWord = -1;    ///< which word of the tree, where there is one and the token belongs to one of its words
};

/// Attention of one head: weights[query * keys + key], rows sum to 1.
struct AttentionMap
{
    HeadRef head;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::vector<float> weights;
    bool masked = false;
    /// ‖f(y)‖ of every key's transformed value vector W_O(W_V y + b_V): weights times these are what is added for a key
    /// (Kobayashi et al. 2020).
    std::vector<float> valueNorms{};
};

struct AttentionResult
{
    static constexpr const char *kKind = "attention";
    Manifest manifest;
    std::string source;
    std::string target;    ///< the output that the decoder was forced to, or the second text of a pair
    std::string predicted; ///< classification: label and probability, "positive 0.98"; of a language model what follows
    std::vector<TokenLabel> sourceTokens;
    /// Decoder *input* tokens (start token first): queries of cross and decoder maps, keys of decoder maps.
    std::vector<TokenLabel> targetTokens;
    std::vector<AttentionMap> maps; ///< ordered by head
    SentenceTree sourceTree{};      ///< of the source, where one was given
    bool cut = false;               ///< source or target did not fit into the model's positions: the end was left out
    bool emptyPair = false;         ///< the text was read as a pair whose second text is empty
};

} // namespace headscope
