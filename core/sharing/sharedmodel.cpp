#include "core/sharing/sharedmodel.h"

#include "core/formats/atomicfile.h"
#include "core/model/modelfolder.h"
#include "core/model/sharedconfig.h"
#include "core/tensor/guarded.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace headscope {
namespace {

/// c_h = key_hᵀ b_h for the query bias b_h of every head, [H, D]; of heads that share already, what they have.
torch::Tensor contentVectors(const AttentionSpec &attention, const AttentionWeights &weights, const HeadMaps &maps)
{
    if (attention.sharesProjections())
        return weights.content.weight.to(torch::kCPU, torch::kFloat64);
    const auto bias = weights.query.bias.to(torch::kCPU, torch::kFloat64).view({maps.heads(), 1, maps.headWidth()});
    return torch::matmul(bias, maps.key).squeeze(1);
}

AttentionWeights sharedWeights(const AttentionSpec &attention, const AttentionWeights &weights, const HeadMaps &maps,
                               const CpFactors &factors, double scale, const torch::TensorOptions &options)
{
    const auto like = [&](const torch::Tensor &exact) { return exact.to(options).contiguous(); };
    AttentionWeights shared;
    shared.query.weight = like(factors.query);
    shared.key.weight = like(factors.key);
    shared.value = weights.value;
    shared.out = weights.out;
    shared.mixing = like(factors.mixing * scale);
    if (attention.biases.query)
        shared.content.weight = like(contentVectors(attention, weights, maps) * scale);
    return shared;
}

/// Tensors by slot of attentions that share, beside those of everything else, which stay as they were.
std::map<std::string, torch::Tensor> tensorsOf(const LoadedModel &model, const Transformer &shared)
{
    auto before = model.tensors().valueOrThrow();
    std::map<std::string, torch::Tensor> tensors;
    for (const WeightSlot &slot : weightSlots(shared.spec())) {
        if (const auto found = before.find(slot.name); found != before.end())
            tensors[slot.name] = found->second;
    }
    for (const auto &[kind, layer] : attentionsWithHeads(shared.layout())) {
        if (!shared.spec().attention(kind, layer).sharesProjections())
            continue;
        const AttentionWeights &weights = shared.attention(kind, layer);
        const std::string name = Recorder::place(kind, layer, "");
        tensors[name + "query.weight"] = weights.query.weight;
        tensors[name + "key.weight"] = weights.key.weight;
        tensors[name + "mixing"] = weights.mixing;
        if (weights.content.weight.defined())
            tensors[name + "content.weight"] = weights.content.weight;
    }
    return tensors;
}

} // namespace

std::vector<std::pair<HeadKind, int>> attentionsWithHeads(const HeadLayout &layout, const std::vector<HeadKind> &kinds)
{
    std::vector<std::pair<HeadKind, int>> found;
    for (const HeadLayout::Block &block : layout.blocks()) {
        if (!kinds.empty() && std::ranges::find(kinds, block.kind) == kinds.end())
            continue;
        for (std::size_t layer = 0; layer < block.layers.size(); ++layer) {
            if (!block.layers[layer].empty())
                found.emplace_back(block.kind, static_cast<int>(layer));
        }
    }
    return found;
}

SharedModel withSharedProjections(const Transformer &model, const SharedProjections &how, const Execution &execution,
                                  const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    TransformerSpec spec = model.spec();
    TransformerWeights weights = model.weights();
    const auto chosen = attentionsWithHeads(model.layout(), how.kinds);
    for (const auto &[kind, layer] : chosen)
        shareProjections(spec.attention(kind, layer), how.cp.rank);
    SharedModel result;
    result.attentions.resize(chosen.size());
    execution.parallelFor(std::ssize(chosen), [&](std::int64_t i) {
        const auto [kind, layer] = chosen[static_cast<std::size_t>(i)];
        const auto start = std::chrono::steady_clock::now();
        const AttentionSpec &attention = model.spec().attention(kind, layer);
        const AttentionWeights &own = model.attention(kind, layer);
        const HeadMaps maps = headMaps(attention, own);
        CpDecomposition found;
        if (how.by == Factorization::Cp) {
            found = decompose(maps, how.cp, control);
        } else {
            control.checkpoint();
            found.factors = truncatedHeads(maps, how.cp.rank);
            found.error = relativeError(maps, found.factors);
        }
        const double scale = how.publishedScale
                               ? std::sqrt(static_cast<double>(attention.headCount() * attention.headWidth)
                                           / static_cast<double>(how.cp.rank))
                               : 1;
        const int place = spec.placeOf(kind, layer);
        weights.stack(sideOf(kind)).at(place).part
            = sharedWeights(attention, own, maps, found.factors, scale, model.options());
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        result.attentions[static_cast<std::size_t>(i)] = {kind, layer, found.error, found.iterations, seconds.count()};
    });
    result.model = std::make_shared<const Transformer>(std::move(spec), std::move(weights));
    return result;
}

Result<Done> saveShared(const LoadedModel &model, const std::filesystem::path &source, const Transformer &shared,
                        const std::filesystem::path &target, const JobControl &control)
{
    return guarded([&]() -> Done {
        const std::filesystem::path folder = newModelFolder(target).valueOrThrow();
        const auto tensors = tensorsOf(model, shared);
        const torch::ScalarType dtype = tensors.begin()->second.scalar_type();
        const auto fill = [&](const std::filesystem::path &partial) -> Result<Done> {
            control.checkpoint();
            (void)copyModelFiles(source, partial).valueOrThrow();
            auto config = withSharedProjections(readOrderedConfig(source).valueOrThrow(), shared.spec());
            (void)writeFileAtomically(partial / "config.json", config.dump(2) + "\n").valueOrThrow();
            return writeModelWeights(partial, *model.family, shared.spec(), tensors, dtype);
        };
        (void)makeFolderAtomically(folder, fill).valueOrThrow();
        return {};
    });
}

std::int64_t scoreParameters(const AttentionSpec &attention, std::int64_t width)
{
    if (!attention.sharesProjections())
        return (attention.queryWidth() + attention.keyWidth()) * width
             + (attention.biases.query ? attention.queryWidth() : 0)
             + (attention.biases.key ? attention.keyWidth() : 0);
    const std::int64_t content = attention.biases.query ? attention.headCount() * width : 0;
    return (2 * width + attention.headCount()) * attention.sharedWidth + content;
}

double scoreProducts(const AttentionSpec &attention, std::int64_t width, double length)
{
    const auto heads = static_cast<double>(attention.headCount());
    const auto d = static_cast<double>(width);
    if (!attention.sharesProjections()) {
        const auto queries = static_cast<double>(attention.queryWidth());
        return length * d * (queries + static_cast<double>(attention.keyWidth())) + length * length * queries;
    }
    const auto shared = static_cast<double>(attention.sharedWidth);
    const double content = attention.biases.query ? length * heads * d : 0;
    return 2 * length * d * shared + length * heads * shared + content + length * length * heads * shared;
}

double breakEvenLength(const AttentionSpec &own, const AttentionSpec &shared, std::int64_t width)
{
    // Both are a·n + b·n²: with one and two positions their coefficients are known.
    const auto coefficients = [width](const AttentionSpec &attention) {
        const double one = scoreProducts(attention, width, 1);
        const double square = (scoreProducts(attention, width, 2) - 2 * one) / 2;
        return std::pair(one - square, square);
    };
    const auto [ownLinear, ownSquare] = coefficients(own);
    const auto [sharedLinear, sharedSquare] = coefficients(shared);
    if (sharedLinear >= ownLinear)
        return 0;
    if (sharedSquare <= ownSquare)
        return std::numeric_limits<double>::infinity();
    return (ownLinear - sharedLinear) / (sharedSquare - ownSquare);
}

} // namespace headscope
