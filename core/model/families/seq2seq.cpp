#include "core/model/families/seq2seq.h"

#include "core/model/classifierconfig.h"

#include <cmath>

namespace headscope::seq2seq {
namespace {

/// Layers of one side, all of whose keys begin with its name.
LayerShape layersOf(Side side, const TransformerSpec &spec, const Traits &traits, ConfigReader &keys)
{
    const std::string name = sideName(side);
    const std::string headsKey = name + "_attention_heads";
    LayerShape shape;
    const std::string layersKey = name + "_layers";
    const bool isEncoder = side == Side::Encoder; // other names are the encoder's
    shape.layers = keys.integer({layersKey.c_str(), isEncoder ? "num_hidden_layers" : layersKey.c_str()}, 12, 1, 1000);
    const std::int64_t heads
        = keys.integer({isEncoder ? "num_attention_heads" : headsKey.c_str(), headsKey.c_str()}, 16, 1, 10000);
    shape.feedForward.width = keys.integer({(name + "_ffn_dim").c_str()}, 4096, 1, 1 << 20);
    shape.feedForward.activation = parseActivation(keys.text("activation_function", traits.activation), keys);
    setHeads(shape.attention, spec.width, heads, "d_model", headsKey.c_str(), keys);
    shape.readsMemory = side == Side::Decoder;
    return shape;
}

/// "encoder.2.self.query.weight" → "encoder.layers.2.self_attn.q_proj.weight"
std::string layerName(const std::string &slot)
{
    static constexpr NamePart kParts[] = {
        {".self.norm.", ".self_attn_layer_norm."},
        {".cross.norm.", ".encoder_attn_layer_norm."},
        {".feed_forward.norm.", ".final_layer_norm."},
        {".feed_forward.in.", ".fc1."},
        {".feed_forward.out.", ".fc2."},
        {".self.", ".self_attn."},
        {".cross.", ".encoder_attn."},
        {".query.", ".q_proj."},
        {".key.", ".k_proj."},
        {".value.", ".v_proj."},
        {"_attn.out.", "_attn.out_proj."},
    };
    const std::string name = renamed(slot, kParts);
    const auto dot = name.find('.');
    return name.substr(0, dot) + ".layers" + name.substr(dot);
}

/// "encoder.norm.weight" → "encoder.layer_norm.weight"; empty for tensors of layers.
std::string stackName(const std::string &slot)
{
    static constexpr NamePart kParts[] = {
        {"coder.positions", "coder.embed_positions.weight"},
        {"coder.embedding_norm.", "coder.layernorm_embedding."},
        {"coder.norm.", "coder.layer_norm."},
    };
    const std::string name = renamed(slot, kParts);
    return name == slot ? std::string() : name;
}

/// Names of a tensor in the bare class.
std::vector<std::string> bareNames(const std::string &slot, const TransformerSpec &spec)
{
    if (slot == "encoder.embedding" && spec.sharedEmbedding)
        return {"shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"};
    if (slot == "encoder.embedding" || slot == "decoder.embedding")
        return {slot.substr(0, slot.find('.')) + ".embed_tokens.weight", "shared.weight"};
    const std::string name = stackName(slot);
    return {name.empty() ? layerName(slot) : name};
}

} // namespace

std::string classifierName(const std::string &slot)
{
    static constexpr NamePart kParts[] = {
        {"classifier.dense.", "classification_head.dense."},
        {"classifier.out.", "classification_head.out_proj."},
    };
    return renamed(slot, kParts);
}

TransformerSpec makeSpec(const nlohmann::json &config, const nlohmann::json &generationConfig, const Traits &traits,
                         ConfigReader &keys)
{
    TransformerSpec spec;
    readDecoderHead(config, traits.classifies ? DecoderHead::Dense : DecoderHead::None, spec, keys);
    spec.family = traits.family;
    spec.width = keys.integer({"hidden_size", "d_model"}, 1024, 1, 1 << 16);
    spec.norm = {NormKind::Layer, traits.placement, 1e-5}; // in the class, not in the file
    spec.embeddingNorm = traits.embeddingNorm;
    spec.finalNorm = traits.finalNorm;
    spec.embeddingScale
        = keys.flag("scale_embedding", traits.scaleEmbedding) ? std::sqrt(static_cast<double>(spec.width)) : 1.0;
    spec.positions = traits.positions;
    spec.maxPositions = keys.integer({"max_position_embeddings"}, 1024, 1, mostPositions(spec.width));
    spec.outputBias = traits.outputBias;
    spec.tiedOutput = keys.flag("tie_word_embeddings", true);
    const LayerShape encoder = layersOf(Side::Encoder, spec, traits, keys);
    const LayerShape decoder = layersOf(Side::Decoder, spec, traits, keys);
    const std::int64_t vocabulary = keys.integer({"vocab_size"}, traits.vocabulary, 1, 1 << 26);
    spec.generation = readGenerationSettings(config, generationConfig,
                                             spec.classifier ? Generates::Nothing : Generates::FromStart, keys);
    if (keys.error())
        return spec;
    spec.encoder = makeStack(Side::Encoder, encoder, vocabulary);
    spec.decoder = makeStack(Side::Decoder, decoder, vocabulary);
    return spec;
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &spec)
{
    if (slot == "output.weight")
        return {{"lm_head.weight"}};
    if (slot == "output.bias")
        return {{"final_logits_bias"}};
    if (slot.starts_with("classifier."))
        return {{classifierName(slot)}};
    TensorRecipe recipe;
    const std::vector<std::string> bare = bareNames(slot, spec);
    for (const std::string &name : bare)
        recipe.names.push_back("model." + name);
    if (spec.tiedOutput && slot == (spec.sharedEmbedding ? "encoder.embedding" : "decoder.embedding"))
        recipe.names.push_back("lm_head.weight");
    recipe.names.insert(recipe.names.end(), bare.begin(), bare.end());
    return recipe;
}

bool isIgnored(std::string_view name)
{
    return name.ends_with("embed_positions.weight") || name.ends_with("embed_positions.weights")
        || name.ends_with("embed_tokens.weight") || name == "lm_head.weight" || name.ends_with("shared.weight")
        || name.ends_with("coder.version");
}

} // namespace headscope::seq2seq
