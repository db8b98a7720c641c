#pragma once

#include "core/base/random.h"
#include "core/model/family.h"
#include "core/model/sharedconfig.h"
#include "core/model/transformer.h"

#include <ATen/Context.h>
#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// Small Transformers of every shape that a spec can say, without a family or a folder.
namespace headscope::testing {

struct NamedSpec
{
    std::string name;
    TransformerSpec spec;
};

namespace tinyspec {

inline TransformerSpec baseSpec()
{
    TransformerSpec spec;
    spec.family = "test";
    spec.width = 20;
    spec.maxPositions = 24;
    spec.generation.padId = 0;
    spec.generation.startId = 1;
    spec.generation.endIds = {2};
    spec.generation.maxLength = 14;
    return spec;
}

inline LayerShape shapeOf(std::int64_t layers, std::int64_t heads, std::int64_t headWidth)
{
    LayerShape shape;
    shape.layers = layers;
    shape.attention.allHeads = heads;
    shape.attention.headWidth = headWidth;
    shape.attention.scale = 1 / std::sqrt(static_cast<double>(headWidth));
    shape.feedForward = {28, Activation::Gelu};
    return shape;
}

constexpr std::int64_t kVocabulary = 41;

/// The attentions of a stack to itself, one after the other.
template<typename Change>
void changeAttentions(std::optional<StackSpec> &stack, Change &&change)
{
    for (SubLayer &sub : stack->subLayers) {
        auto *attention = std::get_if<AttentionSpec>(&sub.part);
        if (attention && !attention->readsMemory())
            change(*attention, sub.layer);
    }
}

inline void setEncoderDecoder(TransformerSpec &spec, LayerShape shape, LayerShape decoder)
{
    spec.encoder = makeStack(Side::Encoder, shape, kVocabulary);
    decoder.readsMemory = true;
    spec.decoder = makeStack(Side::Decoder, decoder, kVocabulary);
}

} // namespace tinyspec

/// Encoder-decoders: post-norm; pre-norm with final norms, embedding norms and learnt positions; RMS, gated, relative,
/// no biases, heads × width ≠ model width; ragged; shared projections, in some layers, ragged; norms around, normed and
/// clipped heads that see what is near; experts beside a layer for all positions, and sinks.
inline std::vector<NamedSpec> encoderDecoderSpecs()
{
    std::vector<NamedSpec> specs;
    TransformerSpec post = tinyspec::baseSpec();
    tinyspec::setEncoderDecoder(post, tinyspec::shapeOf(2, 4, 5), tinyspec::shapeOf(3, 2, 10));
    post.outputBias = true;
    specs.push_back({"post-norm", post});

    TransformerSpec pre = tinyspec::baseSpec();
    pre.norm = {NormKind::Layer, NormPlacement::Pre, 1e-5};
    pre.embeddingNorm = pre.finalNorm = true;
    pre.positions = {PositionTable::Learned, 2, false};
    pre.tiedOutput = false;
    tinyspec::setEncoderDecoder(pre, tinyspec::shapeOf(3, 1, 20), tinyspec::shapeOf(2, 4, 5));
    specs.push_back({"pre-norm, one head", pre});

    TransformerSpec rms = tinyspec::baseSpec();
    rms.norm = {NormKind::Rms, NormPlacement::Pre, 1e-6};
    rms.finalNorm = true;
    rms.positions = {PositionTable::None, 0, false};
    rms.outputScale = 0.25;
    LayerShape shape = tinyspec::shapeOf(2, 3, 6);
    shape.attention.scale = 1;
    shape.attention.relative = RelativeBuckets{8, 16, true};
    shape.attention.biases = {false, false, false, false};
    shape.feedForward = {24, Activation::GeluTanh, true, false};
    LayerShape decoder = shape;
    decoder.attention.relative->bothWays = false;
    tinyspec::setEncoderDecoder(rms, shape, decoder);
    specs.push_back({"RMS, gated, relative", rms});

    TransformerSpec ragged = post;
    ragged.norm.placement = NormPlacement::Pre;
    ragged.finalNorm = true;
    ragged.positions = {PositionTable::SinusoidalFairseq, 1, true};
    ragged.attention(HeadKind::Encoder, 0).heads = {1, 3};
    ragged.attention(HeadKind::Cross, 1).heads = {};
    ragged.attention(HeadKind::Decoder, 2).heads = {1};
    specs.push_back({"ragged", ragged});

    TransformerSpec shared = ragged;
    shareProjections(shared.attention(HeadKind::Encoder, 0), 7);
    shareProjections(shared.attention(HeadKind::Decoder, 0), 3);
    shareProjections(shared.attention(HeadKind::Cross, 0), 23);
    shareProjections(shared.attention(HeadKind::Cross, 1), 6);
    shareProjections(shared.attention(HeadKind::Decoder, 2), 6);
    specs.push_back({"shared projections, ragged", shared});

    TransformerSpec near = rms;
    near.norm.placement = NormPlacement::Around;
    near.logitCap = 4;
    shape.attention.relative.reset();
    shape.attention.headNorm = HeadNorm{};
    shape.attention.clip = 1.1;
    shape.attention.scoreCap = 2.5;
    shape.attention.reach = 2;
    tinyspec::setEncoderDecoder(near, shape, shape);
    near.attention(HeadKind::Decoder, 1).reach.reset();
    near.attention(HeadKind::Encoder, 0).heads = {0, 2};
    specs.push_back({"norms around, near and normed heads", near});

    TransformerSpec experts = rms;
    LayerShape mixed = tinyspec::shapeOf(2, 3, 6);
    mixed.attention.sinks = true;
    mixed.feedForward = {12, Activation::Gelu, false, true};
    mixed.feedForward.experts = Experts{3, 2, 10, true, false, false};
    tinyspec::setEncoderDecoder(experts, mixed, mixed);
    experts.attention(HeadKind::Cross, 1).heads = {0, 2};
    specs.push_back({"experts beside a layer, sinks", experts});
    return specs;
}

/// Decoders without encoder: learnt positions and layer norm; rotary, grouped, RMS, gated, untied; one key–value head;
/// ragged grouped; shared projections with grouped values and without content vectors; side by side, turned in part
/// (Pythia); norms around, caps, windows, bases by layer (Gemma); norms of outputs and of all heads together, ragged
/// (OLMo 2); norms without weights, clipped, one layer (OLMo); neighbours turned, heads normed by weights of their own,
/// layers without positions (Command R); slopes, a factor of sums, an output bias (BLOOM, Granite, Phi); tokens
/// projected (OPT-350m); experts in some layers (Qwen-MoE); sinks, windows, experts with limits and biases (gpt-oss).
inline std::vector<NamedSpec> causalSpecs()
{
    std::vector<NamedSpec> specs;
    TransformerSpec learned = tinyspec::baseSpec();
    learned.norm = {NormKind::Layer, NormPlacement::Pre, 1e-5};
    learned.finalNorm = true;
    learned.positions = {PositionTable::Learned, 0, false};
    learned.decoder = makeStack(Side::Decoder, tinyspec::shapeOf(3, 4, 5), tinyspec::kVocabulary);
    specs.push_back({"learned positions", learned});

    TransformerSpec rotary = learned;
    rotary.norm = {NormKind::Rms, NormPlacement::Pre, 1e-6};
    rotary.positions = {PositionTable::None, 0, false};
    rotary.tiedOutput = false;
    LayerShape shape = tinyspec::shapeOf(3, 4, 6);
    shape.attention.headsPerKey = 2;
    shape.attention.rotary = RotarySpec{100};
    shape.attention.biases = {true, true, true, false};
    shape.feedForward = {24, Activation::Silu, true, false};
    rotary.decoder = makeStack(Side::Decoder, shape, tinyspec::kVocabulary);
    specs.push_back({"rotary, grouped", rotary});

    TransformerSpec ragged = rotary;
    ragged.attention(HeadKind::Decoder, 0).heads = {1, 2};
    ragged.attention(HeadKind::Decoder, 1).heads = {3};
    ragged.attention(HeadKind::Decoder, 2).heads = {};
    specs.push_back({"rotary, grouped, ragged", ragged});

    TransformerSpec shared = learned;
    shape.attention.rotary.reset();
    shape.attention.biases.query = false;
    shared.decoder = makeStack(Side::Decoder, shape, tinyspec::kVocabulary);
    shareAllProjections(shared, 9);
    specs.push_back({"shared projections, grouped values", shared});

    TransformerSpec beside = learned;
    beside.positions = {PositionTable::None, 0, false};
    beside.tiedOutput = false;
    LayerShape besideShape = tinyspec::shapeOf(3, 4, 6);
    besideShape.attention.rotary = RotarySpec{50, 4, {}, 1.2};
    beside.decoder = makeStack(Side::Decoder, besideShape, tinyspec::kVocabulary);
    for (SubLayer &sub : beside.decoder->subLayers)
        sub.beside = sub.feedForward();
    specs.push_back({"side by side, turned in part", beside});

    TransformerSpec around = rotary;
    around.norm.placement = NormPlacement::Around;
    around.embeddingScale = 1.5;
    around.logitCap = 5;
    tinyspec::changeAttentions(around.decoder, [](AttentionSpec &attention, int layer) {
        attention.headNorm = HeadNorm{};
        attention.scoreCap = 2;
        attention.scale = 0.7;
        if (layer % 2 == 0) {
            attention.reach = 3;
            attention.rotary = RotarySpec{7};
        }
    });
    specs.push_back({"norms around, caps, windows", around});

    TransformerSpec output = ragged;
    output.norm.placement = NormPlacement::Output;
    tinyspec::changeAttentions(output.decoder, [](AttentionSpec &attention, int) {
        attention.headNorm = HeadNorm{true, 1e-3};
        attention.rotary = RotarySpec{100, 0, {1, 0.3F, 0.02F}, 1};
    });
    specs.push_back({"norms of outputs, heads normed together, ragged", output});

    TransformerSpec unweighted = beside;
    unweighted.norm = {NormKind::Layer, NormPlacement::Pre, 1e-5, false, false};
    unweighted.decoder = makeStack(Side::Decoder, besideShape, tinyspec::kVocabulary);
    tinyspec::changeAttentions(unweighted.decoder, [](AttentionSpec &attention, int) {
        attention.clip = 0.9;
        attention.reach = 0;
        attention.headsPerKey = 4;
    });
    unweighted.attention(HeadKind::Decoder, 1).reach = 4;
    specs.push_back({"norms without weights, clipped, near", unweighted});

    TransformerSpec command = beside;
    command.norm.biased = false;
    command.outputScale = 0.3;
    besideShape.attention.headsPerKey = 2;
    besideShape.attention.headNorm = HeadNorm{false, 1e-4, NormKind::Layer, false, true};
    besideShape.attention.rotary = RotarySpec{50, 4, {}, 1.1, true};
    command.decoder = makeStack(Side::Decoder, besideShape, tinyspec::kVocabulary);
    for (SubLayer &sub : command.decoder->subLayers)
        sub.beside = sub.sharesNorm = sub.feedForward();
    command.attention(HeadKind::Decoder, 1).rotary.reset();
    command.attention(HeadKind::Decoder, 2).rotary->width = 0;
    command.attention(HeadKind::Decoder, 2).headNorm = HeadNorm{false, 1e-4, NormKind::Layer, true, false};
    command.attention(HeadKind::Decoder, 0).heads = {0, 3};
    specs.push_back({"neighbours turned, heads normed by their own weights, layers without positions", command});

    TransformerSpec sloped = learned;
    sloped.positions = {PositionTable::None, 0, false};
    sloped.embeddingNorm = true;
    sloped.residualScale = 0.6;
    sloped.outputBias = true;
    LayerShape slopedShape = tinyspec::shapeOf(3, 4, 5);
    slopedShape.attention.slopes = {0.9F, 0.4F, 0.15F, 0.05F};
    slopedShape.feedForward.activation = Activation::ReluSquared;
    sloped.decoder = makeStack(Side::Decoder, slopedShape, tinyspec::kVocabulary);
    sloped.attention(HeadKind::Decoder, 1).heads = {1, 3};
    sloped.attention(HeadKind::Decoder, 2).heads = {};
    specs.push_back({"slopes, factor of sums, output bias", sloped});

    TransformerSpec projected = learned;
    projected.embeddingWidth = 12;
    projected.projectsTokens = true;
    specs.push_back({"tokens projected to the width and back", projected});

    TransformerSpec experts = rotary;
    for (SubLayer &sub : experts.decoder->subLayers) {
        if (auto *feedForward = std::get_if<FeedForwardSpec>(&sub.part); feedForward && sub.layer != 1) {
            feedForward->width = sub.layer == 0 ? 0 : 14;
            feedForward->experts = Experts{5, 2, 10, sub.layer == 0, false, true};
        }
    }
    experts.attention(HeadKind::Decoder, 2).heads = {};
    specs.push_back({"experts in some layers, one of them beside a layer with a gate", experts});

    TransformerSpec sinks = rotary;
    LayerShape sinksShape = shape;
    sinksShape.attention.sinks = true;
    sinksShape.attention.rotary = RotarySpec{100};
    sinksShape.attention.biases = {true, true, true, true};
    sinksShape.feedForward = {0, Activation::QuickGelu, true, true, 0.8};
    sinksShape.feedForward.experts = Experts{4, 3, 9, true, true, false};
    sinks.decoder = makeStack(Side::Decoder, sinksShape, tinyspec::kVocabulary);
    for (const int layer : {0, 2})
        sinks.attention(HeadKind::Decoder, layer).reach = 2;
    sinks.attention(HeadKind::Decoder, 1).heads = {0, 2, 3};
    specs.push_back({"sinks, windows, experts with limits", sinks});
    return specs;
}

/// Encoders that guess masked tokens: as BERT and as ELECTRA's generator; with padding that does not count; as
/// ModernBERT, with windows, no biases of norms, and a first layer without one; as DeBERTa, with distances by shared
/// and by own projections.
inline std::vector<NamedSpec> maskedSpecs()
{
    std::vector<NamedSpec> specs;
    TransformerSpec bert = tinyspec::baseSpec();
    bert.positions = {PositionTable::Learned, 0, false};
    bert.embeddingNorm = true;
    bert.tokenTypes = 2;
    bert.maskedLm = MaskedLmSpec{};
    bert.encoder = makeStack(Side::Encoder, tinyspec::shapeOf(3, 4, 5), tinyspec::kVocabulary);
    specs.push_back({"BERT", bert});
    TransformerSpec narrow = bert;
    narrow.embeddingWidth = 12;
    narrow.tokenTypes = 0;
    narrow.positions = {PositionTable::Learned, 1, true};
    narrow.maskedLm->tied = false;
    specs.push_back({"narrow embeddings", narrow});
    TransformerSpec shared = bert;
    shareAllProjections(shared, 11);
    specs.push_back({"shared projections", shared});
    TransformerSpec modern = bert;
    modern.tokenTypes = 0;
    modern.positions = {PositionTable::None, 0, false};
    modern.norm = {NormKind::Layer, NormPlacement::Pre, 1e-5, true, false};
    modern.finalNorm = true;
    modern.maskedLm->biased = false;
    LayerShape shape = tinyspec::shapeOf(3, 2, 6);
    shape.attention.rotary = RotarySpec{100};
    shape.attention.biases = {false, false, false, false};
    shape.feedForward = {24, Activation::Gelu, true, false};
    modern.encoder = makeStack(Side::Encoder, shape, tinyspec::kVocabulary);
    modern.encoder->subLayers.front().normsInput = false;
    for (const int layer : {1, 2}) {
        modern.attention(HeadKind::Encoder, layer).reach = 2;
        modern.attention(HeadKind::Encoder, layer).rotary = RotarySpec{10};
    }
    specs.push_back({"windows, unnormed first layer", modern});
    TransformerSpec deberta = bert;
    deberta.tokenTypes = 0;
    deberta.positions = {PositionTable::None, 0, false};
    tinyspec::changeAttentions(deberta.encoder, [](AttentionSpec &attention, int) {
        attention.disentangled = Disentangled{6, 11, true, true, true, true};
        attention.scale = 0.25;
    });
    specs.push_back({"disentangled", deberta});
    TransformerSpec apart = bert;
    tinyspec::changeAttentions(apart.encoder, [](AttentionSpec &attention, int layer) {
        attention.disentangled = Disentangled{5, 0, layer<2, layer> 0, false, false};
    });
    apart.attention(HeadKind::Encoder, 1).heads = {0, 2};
    specs.push_back({"disentangled, projections of their own, ragged", apart});
    return specs;
}

/// Random weights that make peaked attention and clear decisions.
inline std::map<std::string, torch::Tensor> randomTensors(const TransformerSpec &spec, std::uint64_t seed,
                                                          torch::ScalarType type = torch::kFloat32)
{
    torch::manual_seed(seed);
    std::map<std::string, torch::Tensor> tensors;
    for (const WeightSlot &slot : weightSlots(spec)) {
        auto values = torch::randn(slot.shape, torch::kFloat64);
        if (slot.name.find("norm.weight") != std::string::npos)
            values = 1 + 0.2 * values;
        else if (slot.name.ends_with("bias"))
            values = 0.2 * values;
        else
            values = values * (slot.name.ends_with("embedding") || slot.name == "output.weight" ? 0.6 : 0.35);
        tensors[slot.name] = values.to(type);
    }
    return tensors;
}

inline std::shared_ptr<const Transformer> randomModel(const TransformerSpec &spec, std::uint64_t seed,
                                                      const torch::TensorOptions &options = torch::kFloat32)
{
    auto tensors = randomTensors(spec, seed, c10::typeMetaToScalarType(options.dtype()));
    for (auto &[name, values] : tensors)
        values = values.to(options.device());
    return std::make_shared<const Transformer>(spec, TransformerWeights::assemble(spec, tensors));
}

} // namespace headscope::testing
