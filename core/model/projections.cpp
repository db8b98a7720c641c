#include "core/model/projections.h"

#include <torch/types.h>

namespace headscope {
namespace {

/// [H, H], row h: what the query of head h takes the content columns of a key by.
torch::Tensor contentChoice(const AttentionSpec &attention, const torch::TensorOptions &options)
{
    return torch::eye(attention.headCount(), options);
}

} // namespace

torch::Tensor splitHeads(const torch::Tensor &projected, std::int64_t headWidth)
{
    return projected.view({projected.size(0), projected.size(1), -1, headWidth}).transpose(1, 2);
}

torch::Tensor headQueries(const AttentionSpec &attention, const AttentionWeights &weights, const torch::Tensor &x)
{
    if (!attention.sharesProjections())
        return splitHeads(weights.query(x), attention.headWidth);
    const auto queries = weights.query(x).unsqueeze(1) * weights.mixing.unsqueeze(1); // [B, H, T, D̃_k]
    if (!weights.content.weight.defined())
        return queries;
    const auto choice = contentChoice(attention, queries.options()).unsqueeze(1);
    return torch::cat({queries, choice.expand({x.size(0), -1, x.size(1), -1})}, -1);
}

torch::Tensor headKeys(const AttentionSpec &attention, const AttentionWeights &weights, const torch::Tensor &y)
{
    const auto keys = weights.key(y);
    return splitHeads(weights.content.weight.defined() ? torch::cat({keys, weights.content(y)}, -1) : keys,
                      attention.scoreWidth());
}

Linear queryMap(const AttentionSpec &attention, const AttentionWeights &weights)
{
    if (!attention.sharesProjections() || attention.heads.empty())
        return weights.query;
    const torch::Tensor &shared = weights.query.weight;
    const std::int64_t heads = attention.headCount();
    auto weight = weights.mixing.unsqueeze(2) * shared.unsqueeze(0); // [H, D̃_k, D]
    torch::Tensor bias;
    if (weights.content.weight.defined()) {
        weight = torch::cat({weight, torch::zeros({heads, heads, shared.size(1)}, shared.options())}, 1);
        bias = torch::cat({torch::zeros_like(weights.mixing), contentChoice(attention, shared.options())}, 1).flatten();
    }
    return {weight.reshape({attention.queryWidth(), shared.size(1)}), bias, {}};
}

Linear keyMap(const AttentionSpec &attention, const AttentionWeights &weights)
{
    if (!attention.sharesProjections() || !weights.content.weight.defined())
        return weights.key;
    return {torch::cat({weights.key.weight, weights.content.weight}), {}, {}};
}

} // namespace headscope
