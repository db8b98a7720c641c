#include "core/model/removeheads.h"

#include <torch/torch.h>

#include <algorithm>

namespace headscope {
namespace {

/// The rows of `places` in a matrix of heads one after the other.
torch::Tensor rowsOf(const std::vector<std::int64_t> &places, std::int64_t headWidth, const torch::Device &device)
{
    std::vector<std::int64_t> rows;
    for (std::int64_t place : places) {
        for (std::int64_t i = 0; i < headWidth; ++i)
            rows.push_back(place * headWidth + i);
    }
    return torch::tensor(rows, torch::kInt64).to(device);
}

/// b_O + Σ W_O^(h) μ_h over the removed heads. In double: one rounding at the end.
torch::Tensor compensatedBias(const Linear &out, const torch::Tensor &removedRows, const torch::Tensor &means)
{
    if (!means.defined() || removedRows.numel() == 0)
        return out.bias;
    const auto columns = out.weight.index_select(1, removedRows).to(torch::kFloat64);
    const auto mean = means.to(out.weight.device(), torch::kFloat64).reshape({-1}).index_select(0, removedRows);
    return (out.bias.to(torch::kFloat64) + torch::mv(columns, mean)).to(out.bias.scalar_type());
}

/// Every attention of a model: what is done to the ones of specs and of weights alike.
template<typename Visit>
void forEachAttention(const TransformerSpec &spec, Visit visit)
{
    const HeadLayout layout = spec.layout();
    for (const HeadLayout::Block &block : layout.blocks()) {
        for (std::size_t layer = 0; layer < block.layers.size(); ++layer)
            visit(block.kind, layer, block.layers[layer]);
    }
}

std::vector<int> &headsOf(TransformerSpec &spec, HeadKind kind, std::size_t layer)
{
    if (kind == HeadKind::Encoder)
        return spec.encoder.heads[layer];
    return kind == HeadKind::Cross ? spec.decoder->crossHeads[layer] : spec.decoder->heads[layer];
}

AttentionWeights &attentionOf(TransformerWeights &weights, HeadKind kind, std::size_t layer)
{
    if (kind == HeadKind::Encoder)
        return weights.encoder.layers[layer].self;
    LayerWeights &decoder = weights.decoder.layers[layer];
    return kind == HeadKind::Cross ? decoder.cross : decoder.self;
}

} // namespace

HeadCut headCut(const std::vector<int> &heads, HeadKind kind, int layer, const HeadMask &mask)
{
    HeadCut cut;
    for (std::size_t place = 0; place < heads.size(); ++place)
        (mask.isMasked({kind, layer, heads[place]}) ? cut.removed : cut.kept)
            .push_back(static_cast<std::int64_t>(place));
    return cut;
}

TransformerSpec specWithout(const TransformerSpec &spec, const HeadMask &mask)
{
    const HeadLayout layout = spec.layout();
    for (const HeadRef &head : mask) {
        if (!layout.contains(head))
            throw Failure(usageError("The model has no head " + toText(head) + " to remove."));
    }
    TransformerSpec smaller = spec;
    forEachAttention(spec, [&](HeadKind kind, std::size_t layer, const std::vector<int> &) {
        std::erase_if(headsOf(smaller, kind, layer),
                      [&](int head) { return mask.isMasked({kind, static_cast<int>(layer), head}); });
    });
    return smaller;
}

std::int64_t parameterCount(const TransformerSpec &spec)
{
    std::int64_t count = 0;
    for (const WeightSlot &slot : weightSlots(spec)) {
        std::int64_t entries = 1;
        for (const std::int64_t size : slot.shape)
            entries *= size;
        count += entries;
    }
    return count;
}

AttentionWeights removeHeads(const AttentionWeights &weights, const HeadCut &cut, std::int64_t headWidth,
                             const torch::Tensor &means)
{
    const torch::Device device = weights.out.weight.device();
    const auto rows = rowsOf(cut.kept, headWidth, device);
    AttentionWeights smaller = weights;
    for (Linear *linear : {&smaller.query, &smaller.key, &smaller.value}) {
        linear->weight = linear->weight.index_select(0, rows);
        linear->bias = linear->bias.index_select(0, rows);
        linear->half = torch::Tensor();
    }
    smaller.out.weight = weights.out.weight.index_select(1, rows);
    smaller.out.half = torch::Tensor();
    smaller.out.bias = compensatedBias(weights.out, rowsOf(cut.removed, headWidth, device), means);
    smaller.heads = std::ssize(cut.kept);
    return smaller;
}

AttentionWeights silenceHeads(const AttentionWeights &weights, const HeadCut &cut, std::int64_t headWidth,
                              const torch::Tensor &means)
{
    const auto rows = rowsOf(cut.removed, headWidth, weights.out.weight.device());
    AttentionWeights silenced = weights;
    silenced.out.weight = weights.out.weight.index_fill(1, rows, 0);
    silenced.out.half = torch::Tensor();
    silenced.out.bias = compensatedBias(weights.out, rows, means);
    return silenced;
}

Transformer withoutHeads(const Transformer &model, const HeadMask &mask, const MeanContexts &means)
{
    const torch::NoGradGuard noGrad;
    const TransformerSpec &spec = model.spec();
    TransformerSpec smaller = specWithout(spec, mask);
    TransformerWeights weights = model.weights();
    forEachAttention(spec, [&](HeadKind kind, std::size_t layer, const std::vector<int> &heads) {
        const int number = static_cast<int>(layer);
        const HeadCut cut = headCut(heads, kind, number, mask);
        if (cut.removed.empty())
            return;
        const StackSpec &stack = kind == HeadKind::Encoder ? spec.encoder : *spec.decoder;
        const auto mean = means.find(Recorder::place(kind, number, "context"));
        AttentionWeights &attention = attentionOf(weights, kind, layer);
        attention = removeHeads(attention, cut, stack.headWidth, mean == means.end() ? torch::Tensor() : mean->second);
    });
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
        return {"No cross-attention head is left: the source becomes invisible to the decoder, and every translation "
                "is the same."};
    return {"No cross-attention head is left in decoder layer" + std::string(count > 1 ? "s " : " ") + blind
            + " (counted from 0): the source becomes invisible there."};
}

} // namespace headscope
