#include "core/model/removeheads.h"

#include "core/model/family.h"
#include "core/tensor/indextensor.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {
namespace {

/// The places of `wanted` among `all`, both ascending.
std::vector<std::int64_t> placesAmong(const std::vector<int> &all, const std::vector<int> &wanted)
{
    std::vector<std::int64_t> places;
    for (const int head : wanted)
        places.push_back(std::ranges::lower_bound(all, head) - all.begin());
    return places;
}

/// The rows of `places` in a matrix of heads one after the other.
torch::Tensor rowsOf(const std::vector<std::int64_t> &places, std::int64_t headWidth, const torch::Device &device)
{
    std::vector<std::int64_t> rows;
    for (std::int64_t place : places) {
        for (std::int64_t i = 0; i < headWidth; ++i)
            rows.push_back(place * headWidth + i);
    }
    return indexTensor(rows, device);
}

std::vector<std::int64_t> allRows(std::int64_t count)
{
    std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

/// The heads of `spec` that are not in `left`.
std::vector<int> goneFrom(const AttentionSpec &spec, const AttentionSpec &left)
{
    std::vector<int> gone;
    std::ranges::set_difference(spec.heads, left.heads, std::back_inserter(gone));
    return gone;
}

/// b_O + Σ W_O^(h) μ_h over the removed heads. In double: one rounding at the end, to the type of b_O if there is one.
torch::Tensor compensatedBias(const Linear &out, const torch::Tensor &removedRows, const torch::Tensor &means)
{
    if (!means.defined() || removedRows.numel() == 0)
        return out.bias;
    const auto columns = out.weight.index_select(1, removedRows).to(torch::kFloat64);
    const auto mean = means.to(out.weight.device(), torch::kFloat64).reshape({-1}).index_select(0, removedRows);
    const auto added = torch::mv(columns, mean);
    return out.bias.defined() ? (out.bias.to(torch::kFloat64) + added).to(out.bias.scalar_type()) : added;
}

Linear withRows(const Linear &linear, const torch::Tensor &rows)
{
    if (!linear.weight.defined())
        return {};
    return {linear.weight.index_select(0, rows),
            linear.bias.defined() ? linear.bias.index_select(0, rows) : linear.bias,
            {}};
}

Norm withRows(const Norm &norm, const std::vector<std::int64_t> &rows)
{
    const auto index = indexTensor(rows, norm.weight.device());
    return {norm.weight.index_select(0, index),
            norm.bias.defined() ? norm.bias.index_select(0, index) : torch::Tensor()};
}

bool normsTogether(const AttentionSpec &spec)
{
    return spec.headNorm && spec.headNorm->together;
}

/// Rows of the matrices that give scores, of the heads at `places`. Shared ones stay whole as long as there is a head,
/// and so do those whose norm is over all heads.
void keepScores(const AttentionSpec &spec, const std::vector<std::int64_t> &places,
                const std::vector<std::int64_t> &keyPlaces, const AttentionWeights &from, AttentionWeights &to)
{
    to.queryNorm = from.queryNorm;
    to.keyNorm = from.keyNorm;
    if (spec.headNorm && spec.headNorm->ownWeights) {
        to.queryNorm = withRows(from.queryNorm, places);
        to.keyNorm = withRows(from.keyNorm, keyPlaces);
    }
    if (normsTogether(spec)) {
        to.query = {from.query.weight, from.query.bias, {}};
        to.key = {from.key.weight, from.key.bias, {}};
        return;
    }
    const torch::Device device = from.out.weight.device();
    const auto rows = rowsOf(places, spec.headWidth, device);
    const auto keyRows = rowsOf(keyPlaces, spec.headWidth, device);
    if (!spec.sharesProjections()) {
        to.query = withRows(from.query, rows);
        to.key = withRows(from.key, keyRows);
        to.distanceQuery = withRows(from.distanceQuery, rows);
        to.distanceKey = withRows(from.distanceKey, keyRows);
        return;
    }
    const auto index = indexTensor(places, from.out.weight.device());
    const std::int64_t shared = places.empty() ? 0 : spec.sharedWidth;
    to.query = {from.query.weight.narrow(0, 0, shared), {}, {}};
    to.key = {from.key.weight.narrow(0, 0, shared), {}, {}};
    to.mixing = from.mixing.index_select(0, index);
    to.content = withRows(from.content, index);
}

bool isOfLayer(const std::string &slot)
{
    return std::ranges::any_of(std::array{".self.", ".cross.", ".feed_forward."},
                               [&](const char *part) { return slot.find(part) != std::string::npos; });
}

} // namespace

TransformerSpec specWithout(const TransformerSpec &spec, const HeadMask &mask)
{
    const HeadLayout layout = spec.layout();
    for (const HeadRef &head : mask) {
        if (!layout.contains(head))
            throw Failure(usageError("The model has no head " + toText(head) + " to remove."));
    }
    TransformerSpec smaller = spec;
    for (const HeadRef &head : mask)
        std::erase(smaller.attention(head.kind, head.layer).heads, head.head);
    return smaller;
}

std::int64_t parameterCount(const TransformerSpec &spec)
{
    const auto family = std::ranges::find(families(), std::string_view(spec.family), &Family::modelType);
    std::set<std::pair<std::string, std::int64_t>> stored;
    // One tensor of the checkpoint for several slots: a norm that attention and feed-forward layer share.
    const auto isStoredAlready = [&](const std::string &slot) {
        if (family == families().end())
            return false;
        const TensorRecipe recipe = family->recipe(slot, spec);
        return recipe.fused.empty() && !recipe.names.empty()
            && !stored.insert({recipe.names.front(), recipe.slice}).second;
    };
    std::int64_t count = 0;
    for (const WeightSlot &slot : weightSlots(spec)) {
        if (isStoredAlready(slot.name))
            continue;
        if (spec.sharedLayers > 1 && isOfLayer(slot.name) && layerOf(slot.name) % spec.sharedLayers != 0)
            continue; // counted with the first layer that has them
        std::int64_t entries = 1;
        for (const std::int64_t size : slot.shape)
            entries *= size;
        count += entries;
    }
    return count;
}

AttentionWeights removeHeads(const AttentionWeights &weights, const AttentionSpec &spec, const AttentionSpec &left,
                             const torch::Tensor &means)
{
    const torch::Device device = weights.out.weight.device();
    const std::vector<std::int64_t> places = placesAmong(spec.heads, left.heads);
    const auto rows = rowsOf(places, spec.headWidth, device);
    const auto keyPlaces = placesAmong(spec.keyHeads(), left.keyHeads());
    const auto keyRows = rowsOf(keyPlaces, spec.headWidth, device);
    const auto gone = rowsOf(placesAmong(spec.heads, goneFrom(spec, left)), spec.headWidth, device);
    AttentionWeights smaller;
    keepScores(spec, places, keyPlaces, weights, smaller);
    if (weights.sinks.defined())
        smaller.sinks = weights.sinks.index_select(0, indexTensor(places, device));
    smaller.value = withRows(weights.value, keyRows);
    smaller.out = {weights.out.weight.index_select(1, rows), compensatedBias(weights.out, gone, means), {}};
    return smaller;
}

AttentionWeights silenceHeads(const AttentionWeights &weights, const AttentionSpec &spec, const AttentionSpec &left,
                              const torch::Tensor &means)
{
    const auto gone
        = rowsOf(placesAmong(spec.heads, goneFrom(spec, left)), spec.headWidth, weights.out.weight.device());
    AttentionWeights silenced = weights;
    silenced.out = {weights.out.weight.index_fill(1, gone, 0), compensatedBias(weights.out, gone, means), {}};
    return silenced;
}

AttentionWeights inFullShape(const AttentionWeights &weights, const AttentionSpec &spec, const AttentionSpec &whole)
{
    const auto spread
        = [](const torch::Tensor &tensor, std::int64_t dimension, const torch::Tensor &index, std::int64_t size) {
              if (!tensor.defined())
                  return tensor;
              auto sizes = tensor.sizes().vec();
              sizes[static_cast<std::size_t>(dimension)] = size;
              return torch::zeros(sizes, tensor.options()).index_copy(dimension, index, tensor);
          };
    const std::vector<std::int64_t> places = placesAmong(whole.heads, spec.heads);
    const auto rows = rowsOf(places, spec.headWidth, torch::kCPU);
    const auto keyRows = rowsOf(placesAmong(whole.keyHeads(), spec.keyHeads()), spec.headWidth, torch::kCPU);
    const auto taller = [&](const Linear &linear, const torch::Tensor &index, std::int64_t size) {
        return Linear{spread(linear.weight, 0, index, size), spread(linear.bias, 0, index, size), {}};
    };
    AttentionWeights full;
    full.queryNorm = weights.queryNorm;
    full.keyNorm = weights.keyNorm;
    const auto headsIndex = indexTensor(places, torch::kCPU);
    if (spec.headNorm && spec.headNorm->ownWeights) {
        const auto keyIndex = indexTensor(placesAmong(whole.keyHeads(), spec.keyHeads()), torch::kCPU);
        const auto spreadNorm = [&](const Norm &norm, const torch::Tensor &index, std::int64_t size) {
            return Norm{spread(norm.weight, 0, index, size), spread(norm.bias, 0, index, size)};
        };
        full.queryNorm = spreadNorm(weights.queryNorm, headsIndex, whole.headCount());
        full.keyNorm = spreadNorm(weights.keyNorm, keyIndex, std::ssize(whole.keyHeads()));
    }
    full.sinks = spread(weights.sinks, 0, headsIndex, whole.headCount());
    full.value = taller(weights.value, keyRows, whole.valueWidth());
    full.out = {spread(weights.out.weight, 1, rows, whole.width()), weights.out.bias, {}};
    if (spec.sharesProjections()) {
        const auto index = indexTensor(places, torch::kCPU);
        const auto shared = indexTensor(allRows(weights.query.weight.size(0)), torch::kCPU);
        full.query = taller(weights.query, shared, whole.sharedWidth);
        full.key = taller(weights.key, shared, whole.sharedWidth);
        full.mixing = spread(weights.mixing, 0, index, whole.headCount());
        full.content = taller(weights.content, index, whole.headCount());
    } else if (normsTogether(spec)) {
        full.query = weights.query;
        full.key = weights.key;
    } else {
        full.query = taller(weights.query, rows, whole.width());
        full.key = taller(weights.key, keyRows, whole.keyWidth());
        full.distanceQuery = taller(weights.distanceQuery, rows, whole.width());
        full.distanceKey = taller(weights.distanceKey, keyRows, whole.keyWidth());
    }
    return full;
}

Transformer withoutHeads(const Transformer &model, const HeadMask &mask, const MeanContexts &means)
{
    const torch::NoGradGuard noGrad;
    const TransformerSpec &spec = model.spec();
    TransformerSpec smaller = specWithout(spec, mask);
    TransformerWeights weights = model.weights();
    const HeadLayout layout = spec.layout();
    for (const HeadLayout::Block &block : layout.blocks()) {
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            const AttentionSpec &before = spec.attention(block.kind, layer);
            AttentionSpec &left = smaller.attention(block.kind, layer);
            if (left.heads == before.heads)
                continue;
            const auto mean = means.find(Recorder::place(block.kind, layer, "context"));
            auto &part = weights.stack(sideOf(block.kind)).at(spec.placeOf(block.kind, layer)).part;
            AttentionWeights rest = removeHeads(std::get<AttentionWeights>(part), before, left,
                                                mean == means.end() ? torch::Tensor() : mean->second);
            left.biases.out = rest.out.bias.defined();
            if (left.biases.out)
                rest.out.bias = rest.out.bias.to(model.dtype());
            part = std::move(rest);
        }
    }
    return Transformer(std::move(smaller), std::move(weights));
}

std::vector<std::string> headWarnings(const HeadLayout &layout)
{
    const HeadLayout::Block *cross = layout.block(HeadKind::Cross);
    if (!cross)
        return {};
    std::string blind;
    std::size_t count = 0;
    for (std::size_t layer = 0; layer < cross->layers.size(); ++layer) {
        if (!cross->layers[layer].empty())
            continue;
        blind += (count > 0 ? ", " : "") + std::to_string(layer);
        ++count;
    }
    if (count == 0)
        return {};
    if (count == cross->layers.size())
        return {"No cross-attention head is left: the decoder cannot see the source, and every translation is "
                "the same."};
    return {"No cross-attention head is left in decoder layer" + std::string(count > 1 ? "s " : " ") + blind
            + " (counted from 0): the source becomes invisible there."};
}

} // namespace headscope
