// T5ForConditionalGeneration, T5 1.1 and Flan-T5 too, and MT5ForConditionalGeneration: RMS norms in front
// of sub-layers, relative positions, no biases, scores that are not scaled.
#include "core/model/classifierconfig.h"
#include "core/model/families/seq2seq.h"

#include <cmath>

namespace headscope {
namespace t5family {

/// A class's own values for keys that config.json may lack.
struct Defaults
{
    const char *family = "t5";
    std::int64_t vocabulary = 32128;
    std::int64_t feedForward = 2048;
    std::int64_t layers = 6;
    std::int64_t heads = 8;
    const char *projection = "relu";
    bool tied = true;
};

/// "relu", "gated-gelu" …
FeedForwardSpec feedForwardOf(const Defaults &defaults, ConfigReader &keys)
{
    constexpr std::string_view kGated = "gated-";
    const std::string name = keys.text("feed_forward_proj", defaults.projection);
    FeedForwardSpec feedForward;
    feedForward.width = keys.integer({"d_ff"}, defaults.feedForward, 1, 1 << 20);
    feedForward.biases = false;
    const bool isGated = name.starts_with(kGated);
    // "gated-gelu" has always meant the approximation.
    const std::string activation = name == "gated-gelu" ? "gelu_new" : isGated ? name.substr(kGated.size()) : name;
    feedForward.gated = keys.flag("is_gated_act", isGated); // both are made of the name, unless config.json has them
    feedForward.activation = parseActivation(keys.text("dense_act_fn", activation), keys);
    return feedForward;
}

RelativeBuckets bucketsOf(Side side, ConfigReader &keys)
{
    RelativeBuckets relative;
    relative.buckets = keys.integer({"relative_attention_num_buckets"}, 32, 4, 1 << 16);
    relative.furthest = keys.integer({"relative_attention_max_distance"}, 128, 2, 1 << 20);
    relative.bothWays = side == Side::Encoder;
    if (relative.furthest <= relative.buckets / 2) // distances below that have buckets of their own
        keys.fail("\"relative_attention_max_distance\" is " + std::to_string(relative.furthest)
                  + ", expected more than half of \"relative_attention_num_buckets\" "
                  + std::to_string(relative.buckets) + ".");
    return relative;
}

LayerShape layersOf(Side side, const Defaults &defaults, ConfigReader &keys)
{
    LayerShape shape;
    shape.layers = keys.integer({"num_hidden_layers", "num_layers"}, defaults.layers, 1, 1000);
    if (side == Side::Decoder)
        shape.layers = keys.integer({"num_decoder_layers"}, shape.layers, 1, 1000);
    shape.attention.allHeads = keys.integer({"num_attention_heads", "num_heads"}, defaults.heads, 1, 10000);
    shape.attention.headWidth = keys.integer({"head_dim", "d_kv"}, 64, 1, 1 << 16);
    shape.attention.biases = {false, false, false, false};
    shape.attention.relative = bucketsOf(side, keys);
    shape.feedForward = feedForwardOf(defaults, keys);
    shape.readsMemory = side == Side::Decoder;
    return shape;
}

/// Whether outputs are scaled. Until transformers 5 that was so where the output matrix is that of the embeddings;
/// since then it has a key of its own, and "tie_word_embeddings" says nothing (mT5 has only ever been without).
bool scalesOutputs(const nlohmann::json &config, const Defaults &defaults, ConfigReader &keys)
{
    const auto tied = config.find("tie_word_embeddings");
    const bool isTied = isOfVersion5(config) || tied == config.end() || tied->is_null()
                          ? defaults.tied
                          : keys.flag("tie_word_embeddings", defaults.tied);
    return keys.flag("scale_decoder_outputs", isTied);
}

Result<TransformerSpec> makeNamedSpec(const nlohmann::json &file, const nlohmann::json &generationConfig,
                                      const Defaults &defaults)
{
    const nlohmann::json config
        = withDefaults(file, {{"pad_token_id", 0}, {"eos_token_id", 1}, {"decoder_start_token_id", 0}});
    ConfigReader keys(config);
    TransformerSpec spec;
    readDecoderHead(config, DecoderHead::Dense, spec, keys);
    spec.family = defaults.family;
    spec.width = keys.integer({"hidden_size", "d_model"}, 512, 1, 1 << 16);
    spec.norm = {NormKind::Rms, NormPlacement::Pre, keys.number("layer_norm_epsilon", 1e-6)};
    spec.finalNorm = true;
    spec.positions.table = PositionTable::None;
    spec.maxPositions = 1 << 20; // distances have buckets, however long a text is
    const bool scales = scalesOutputs(config, defaults, keys);
    spec.tiedOutput = scales || isOfVersion5(config); // where the file has a matrix of its own, that counts
    spec.outputScale = scales ? 1 / std::sqrt(static_cast<double>(spec.width)) : 1.0;
    const LayerShape encoder = layersOf(Side::Encoder, defaults, keys);
    const LayerShape decoder = layersOf(Side::Decoder, defaults, keys);
    const std::int64_t vocabulary = keys.integer({"vocab_size"}, defaults.vocabulary, 1, 1 << 26);
    spec.generation = readGenerationSettings(config, generationConfig,
                                             spec.classifier ? Generates::Nothing : Generates::FromStart, keys);
    if (!keys.error()) {
        spec.encoder = makeStack(Side::Encoder, encoder, vocabulary);
        spec.decoder = makeStack(Side::Decoder, decoder, vocabulary);
    }
    return finishedSpec(std::move(spec), config, keys);
}

Result<TransformerSpec> makeT5Spec(const nlohmann::json &config, const nlohmann::json &generationConfig)
{
    return makeNamedSpec(config, generationConfig, {});
}

Result<TransformerSpec> makeMT5Spec(const nlohmann::json &config, const nlohmann::json &generationConfig)
{
    return makeNamedSpec(config, generationConfig, {"mt5", 250112, 1024, 8, 6, "gated-gelu", false});
}

bool isGated(const TransformerSpec &spec)
{
    for (const SubLayer &sub : spec.encoder->subLayers) {
        if (const FeedForwardSpec *feedForward = sub.feedForward())
            return feedForward->gated;
    }
    return false;
}

/// "decoder.2.cross.query.weight" → "decoder.block.2.layer.1.EncDecAttention.q.weight"
std::string layerName(const std::string &slot, bool gated)
{
    static constexpr NamePart kParts[] = {
        {".self.norm.", ".layer.0.layer_norm."},
        {".cross.norm.", ".layer.1.layer_norm."},
        {".self.", ".layer.0.SelfAttention."},
        {".cross.", ".layer.1.EncDecAttention."},
        {"Attention.query.", "Attention.q."},
        {"Attention.key.", "Attention.k."},
        {"Attention.value.", "Attention.v."},
        {"Attention.out.", "Attention.o."},
        {".feed_forward.norm.", ".feed_forward.layer_norm."},
        {".feed_forward.gate.", ".feed_forward.DenseReluDense.wi_0."},
        {".feed_forward.out.", ".feed_forward.DenseReluDense.wo."},
    };
    const bool isEncoder = slot.starts_with("encoder.");
    const NamePart rest[] = {
        {".feed_forward.in.", gated ? ".feed_forward.DenseReluDense.wi_1." : ".feed_forward.DenseReluDense.wi."},
        {".feed_forward.", isEncoder ? ".layer.1." : ".layer.2."},
        {"coder.", "coder.block."},
    };
    return renamed(renamed(slot, kParts), rest);
}

/// Names in the class that generates, and in the one that classifies.
TensorRecipe inModel(const TransformerSpec &spec, std::vector<std::string> names)
{
    for (std::string &name : names) {
        if (spec.classifier)
            name.insert(0, "transformer.");
    }
    return {std::move(names)};
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &spec)
{
    if (slot.starts_with("classifier."))
        return {{seq2seq::classifierName(slot)}};
    if (slot == "encoder.embedding" && spec.sharedEmbedding)
        return inModel(spec, {"shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"});
    if (slot == "encoder.embedding" || slot == "decoder.embedding")
        return inModel(spec, {slot.substr(0, slot.find('.')) + ".embed_tokens.weight", "shared.weight"});
    if (slot == "output.weight")
        return {{"lm_head.weight"}};
    static constexpr NamePart kStack[] = {
        {"coder.norm.", "coder.final_layer_norm."},
        {"coder.relative_bias", "coder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"},
    };
    const std::string name = renamed(slot, kStack);
    return inModel(spec, {name != slot ? name : layerName(slot, isGated(spec))});
}

bool isIgnored(std::string_view name)
{
    // Old checkpoints have biases of positions in cross-attention, which nothing has ever read.
    return name.ends_with("embed_tokens.weight") || name == "lm_head.weight"
        || name.ends_with("EncDecAttention.relative_attention_bias.weight");
}

} // namespace t5family

extern const Family kT5Family, kMT5Family;
const Family kT5Family{"t5", "T5, Flan-T5 (to generate or to classify)", t5family::makeT5Spec, t5family::recipe,
                       t5family::isIgnored};
const Family kMT5Family{"mt5", "mT5 (to generate or to classify)", t5family::makeMT5Spec, t5family::recipe,
                        t5family::isIgnored};

} // namespace headscope
