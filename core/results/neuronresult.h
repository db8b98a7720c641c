#pragma once

#include "core/base/headref.h"
#include "core/results/attentionresult.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headscope {

/// How the attention of one head on one sentence is computed (Vig 2019, neuron view): logit[t, s] = scale ·
/// Σ_k query[t, k]·key[s, k] + bias[t, s], and weights are the softmax of a row.
struct NeuronResult
{
    Manifest manifest;
    HeadRef head;
    std::int64_t width = 0;          ///< of a query or key vector, d
    double scale = 1;                ///< 1/√d in most models
    std::vector<TokenLabel> queries; ///< T of them
    std::vector<TokenLabel> keys;    ///< S
    std::vector<float> query;        ///< [T, d], turned by rotary positions where the model has these
    std::vector<float> key;          ///< [S, d], turned as the query
    std::vector<float> bias;         ///< [T, S]: relative positions, and below kHidden what may not be seen
    std::vector<float> logits;       ///< [T, S]
    std::vector<float> weights;      ///< [T, S], rows sum to 1

    static constexpr float kHidden = -1e4F;

    /// Row `place` of one of the tables of vectors.
    const float *vectorOf(const std::vector<float> &table, std::int64_t place) const
    {
        return table.data() + place * width;
    }
    std::size_t at(std::int64_t q, std::int64_t k) const { return static_cast<std::size_t>(q * std::ssize(keys) + k); }
    bool isHidden(std::int64_t q, std::int64_t k) const { return bias[at(q, k)] < kHidden; }
    /// Σ_k query·key, neither scaled nor biased.
    double product(std::int64_t q, std::int64_t k) const;
};

void describe(auto &visit, Of<NeuronResult> auto &result)
{
    visit.field("head", result.head, "address");
    visit.field("width", result.width, "d, of a query or key vector");
    visit.field("scale", result.scale, "of their product");
    visit.field("query", result.query, "vectors of the queries, [T, d]");
    visit.field("key", result.key, "of the keys, [S, d]");
    visit.field("bias", result.bias, "what is added to products, [T, S]");
    visit.field("logits", result.logits, "scale times product plus bias");
    visit.field("weights", result.weights, "their softmax over the keys");
}

} // namespace headscope
