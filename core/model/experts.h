#pragma once

#include "core/model/spec.h"
#include "core/model/weights.h"

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

/// Feed-forward layers, with experts or without (spec.h).
///
/// Letters: R rows, D width, F of an inner layer, K experts that are chosen.
namespace headscope {

/// Whether any layer has experts.
bool hasExperts(const TransformerSpec &spec);

/// Inner columns of a gated layer [..., F]: activation(gate) ∘ in, with the layer's limit.
torch::Tensor gatedColumns(const FeedForwardSpec &spec, const torch::Tensor &gate, const torch::Tensor &in);

/// x [..., D] → [..., D].
torch::Tensor throughFeedForward(const FeedForwardSpec &spec, const FeedForwardWeights &weights,
                                 const torch::Tensor &x);

/// The experts of every row by a router's scores [R, experts], best first, and what their outputs are multiplied by.
struct ExpertChoice
{
    torch::Tensor experts; ///< [R, K] int64
    torch::Tensor weights; ///< [R, K] of the type of the scores
};
ExpertChoice chosenExperts(const Experts &experts, const torch::Tensor &scores);

/// Rows sorted by the expert that they go to: those of expert e are `rows` from begin[e] to begin[e + 1] − 1.
struct RowsByExpert
{
    RowsByExpert(const ExpertChoice &choice, std::int64_t experts);

    torch::Tensor rows;              ///< [R·K] int64
    torch::Tensor back;              ///< [R·K] int64: where choice k of row r went, at r·K + k
    std::vector<std::int64_t> begin; ///< [experts + 1]
};

/// Outputs of a row's experts, weighted and added up, [R, D]. `through`: what an expert makes of rows [n, D].
torch::Tensor mixedExperts(const ExpertChoice &choice, std::int64_t experts, const torch::Tensor &x,
                           const std::function<torch::Tensor(std::int64_t expert, const torch::Tensor &rows)> &through);

/// Attention weights of scores [..., H, T, S]: their softmax, in which `sinks` [H] take part (undefined: none).
torch::Tensor attentionWeights(const torch::Tensor &scores, const torch::Tensor &sinks);

} // namespace headscope
