#include "core/model/projections.h"

#include "core/model/transformer.h"
#include "core/tensor/indextensor.h"

#include <torch/types.h>

#include <vector>

namespace headscope {
namespace {

/// [H, H], row h: what the query of head h takes the content columns of a key by.
torch::Tensor contentChoice(const AttentionSpec &attention, const torch::TensorOptions &options)
{
    return torch::eye(attention.headCount(), options.dtype(torch::kFloat32)).to(options); // there is none of halves
}

torch::Tensor clipped(const AttentionSpec &attention, const torch::Tensor &projected)
{
    return attention.clip > 0 ? projected.clamp(-attention.clip, attention.clip) : projected;
}

/// [..., n·Dh] → [..., n'·Dh], normed, of the heads `left` alone where all were projected.
torch::Tensor normed(const AttentionSpec &attention, const Norm &norm, const torch::Tensor &projected,
                     const std::vector<int> &left)
{
    if (!attention.headNorm)
        return projected;
    const auto heads = [&](const torch::Tensor &columns) { return columns.unflatten(-1, {-1, attention.headWidth}); };
    const NormSpec spec = attention.headNorm->norm();
    if (!attention.headNorm->together)
        return normalizeHeads(heads(projected), norm, *attention.headNorm).flatten(-2);
    const auto all = heads(normalize(projected, norm, spec));
    if (all.size(-2) == static_cast<std::int64_t>(left.size()))
        return all.flatten(-2);
    return all.index_select(-2, indexTensor(std::vector<std::int64_t>(left.begin(), left.end()), all.device()))
        .flatten(-2);
}

} // namespace

torch::Tensor normalizeHeads(const torch::Tensor &heads, const Norm &norm, const HeadNorm &how)
{
    if (!how.ownWeights)
        return normalize(heads, norm, how.norm());
    const auto ones = torch::ones({heads.size(-1)}, heads.options());
    const auto standard = normalize(heads, {ones, {}}, how.norm()) * norm.weight;
    return norm.bias.defined() ? standard + norm.bias : standard;
}

torch::Tensor splitHeads(const torch::Tensor &projected, std::int64_t headWidth)
{
    return projected.view({projected.size(0), projected.size(1), -1, headWidth}).transpose(1, 2);
}

torch::Tensor preparedQueries(const AttentionSpec &attention, const AttentionWeights &weights,
                              const torch::Tensor &projected)
{
    return normed(attention, weights.queryNorm, clipped(attention, projected), attention.heads);
}

torch::Tensor preparedKeys(const AttentionSpec &attention, const AttentionWeights &weights,
                           const torch::Tensor &projected)
{
    const auto keys = clipped(attention, projected);
    return attention.headNorm ? normed(attention, weights.keyNorm, keys, attention.keyHeads()) : keys;
}

torch::Tensor preparedValues(const AttentionSpec &attention, const torch::Tensor &projected)
{
    return clipped(attention, projected);
}

torch::Tensor headQueries(const AttentionSpec &attention, const AttentionWeights &weights, const torch::Tensor &x)
{
    if (!attention.sharesProjections())
        return splitHeads(preparedQueries(attention, weights, weights.query(x)), attention.headWidth);
    const auto queries = weights.query(x).unsqueeze(1) * weights.mixing.unsqueeze(1); // [B, H, T, D̃_k]
    if (!weights.content.weight.defined())
        return queries;
    const auto choice = contentChoice(attention, queries.options()).unsqueeze(1);
    return torch::cat({queries, choice.expand({x.size(0), -1, x.size(1), -1})}, -1);
}

torch::Tensor headKeys(const AttentionSpec &attention, const AttentionWeights &weights, const torch::Tensor &y)
{
    const auto keys = preparedKeys(attention, weights, weights.key(y));
    return splitHeads(weights.content.weight.defined() ? torch::cat({keys, weights.content(y)}, -1) : keys,
                      attention.scoreWidth());
}

torch::Tensor headValues(const AttentionSpec &attention, const AttentionWeights &weights, const torch::Tensor &y)
{
    return splitHeads(preparedValues(attention, weights.value(y)), attention.headWidth);
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
        weight = torch::cat({weight, torch::zeros({heads, heads, shared.size(1)}, weight.options())}, 1);
        bias = torch::cat({torch::zeros_like(weights.mixing), contentChoice(attention, weights.mixing.options())}, 1)
                   .flatten();
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
