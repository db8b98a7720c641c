#pragma once

#include "core/results/attentionresult.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace headscope {

/// A made-up 13 × 16 translation with maps of three heads per kind and layer count: rows sum to 1.
inline AttentionResult madeUpAttention(int layers = 4, int heads = 8)
{
    const auto token = [](const char *text, int word, bool special = false) {
        return TokenLabel{text, 0, special, word};
    };
    AttentionResult result;
    result.source = "A brown dog is running through the snow-covered field.";
    result.target = "Un chien brun court dans le champ enneigé.";
    result.sourceTokens
        = {token("▁A", 0),    token("▁brown", 1),   token("▁dog", 2),   token("▁is", 3),   token("▁runn", 4),
           token("ing", 4),   token("▁through", 5), token("▁the", 6),   token("▁snow", 7), token("-", 7),
           token("cover", 7), token("ed", 7),       token("▁field", 8), token(".", 8),     token("</s>", -1, true)};
    result.targetTokens = {token("<pad>", -1, true), token("▁Un", 0),   token("▁chien", 1), token("▁brun", 2),
                           token("▁court", 3),       token("▁dans", 4), token("▁le", 5),    token("▁champ", 6),
                           token("▁en", 7),          token("nei", 7),   token("gé", 7),     token(".", 7)};
    for (HeadKind kind : kAllHeadKinds) {
        const std::size_t queries = kind == HeadKind::Encoder ? result.sourceTokens.size() : result.targetTokens.size();
        const std::size_t keys = kind == HeadKind::Decoder ? result.targetTokens.size() : result.sourceTokens.size();
        for (int layer = 0; layer < layers; ++layer) {
            for (int head = 0; head < heads; ++head) {
                AttentionMap map{{kind, layer, head}, std::int64_t(queries), std::int64_t(keys), {}, false};
                for (std::size_t q = 0; q < queries; ++q) {
                    std::vector<double> row(keys);
                    double sum = 0;
                    for (std::size_t k = 0; k < keys; ++k) {
                        const double aim = double(q) * double(keys) / double(queries) - (head % 3);
                        row[k] = std::exp(-std::pow(double(k) - aim, 2) / (0.3 + 0.5 * head))
                               + (k + 1 == keys ? 0.1 * layer : 0) + 0.01;
                        if (kind == HeadKind::Decoder && k > q)
                            row[k] = 0;
                        sum += row[k];
                    }
                    for (double weight : row)
                        map.weights.push_back(float(weight / sum));
                }
                result.maps.push_back(std::move(map));
            }
        }
    }
    return result;
}

/// The same with a dependency tree of the source, and norms of what weights let through.
inline AttentionResult madeUpAttentionWithTree()
{
    AttentionResult result = madeUpAttention();
    const auto word = [](const char *form, const char *tag, int head, const char *relation) {
        return TreeWord{form, tag, head, relation, 0, 0};
    };
    result.sourceTree = {
        word("A", "DET", 2, "det"),          word("brown", "ADJ", 2, "amod"),      word("dog", "NOUN", 4, "nsubj"),
        word("is", "AUX", 4, "aux"),         word("running", "VERB", -1, "root"),  word("through", "ADP", 11, "case"),
        word("the", "DET", 11, "det"),       word("snow", "NOUN", 10, "compound"), word("-", "PUNCT", 10, "punct"),
        word("covered", "VERB", 11, "amod"), word("field", "NOUN", 4, "obl"),      word(".", "PUNCT", 4, "punct")};
    // "covered" is word 9; what hangs on it and on "field", word 10:
    for (const int of : {7, 8})
        result.sourceTree[std::size_t(of)].head = 9;
    for (const int of : {5, 6, 9})
        result.sourceTree[std::size_t(of)].head = 10;
    const int words[] = {0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 9, 10, 11, -1};
    for (std::size_t i = 0; i < result.sourceTokens.size(); ++i)
        result.sourceTokens[i].treeWord = words[i];
    for (AttentionMap &map : result.maps) {
        for (std::int64_t key = 0; key < map.keys; ++key)
            map.valueNorms.push_back(key + 1 == map.keys ? 0.1F : 1 + 0.05F * float(key));
    }
    return result;
}

} // namespace headscope
