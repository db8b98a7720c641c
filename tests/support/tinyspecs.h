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
#include <string>
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

inline void setEncoderDecoder(TransformerSpec &spec, LayerShape shape, LayerShape decoder)
{
    spec.encoder = makeStack(Side::Encoder, shape, kVocabulary);
    decoder.readsMemory = true;
    spec.decoder = makeStack(Side::Decoder, decoder, kVocabulary);
}

} // namespace tinyspec

/// Encoder-decoders: post-norm; pre-norm with final norms, embedding norms and learnt positions; RMS, gated, relative,
/// no biases, heads × width ≠ model width; ragged; shared projections, in some layers, ragged.
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
    return specs;
}

/// Decoders without encoder: learnt positions and layer norm; rotary, grouped, RMS, gated, untied; one key–value head;
/// ragged grouped; shared projections with grouped values and without content vectors.
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
    return specs;
}

/// Encoders that guess masked tokens: as BERT and as ELECTRA's generator; with padding that does not count.
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
