// Marian and OPUS-MT in Hugging Face's layout (MarianMTModel; FORMATS 3.3).
#include "core/model/family.h"
#include "core/model/prunedheads.h"

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

Result<TransformerSpec> makeSpec(const nlohmann::json &config, const nlohmann::json &generationConfig)
{
    ConfigReader keys(config);
    TransformerSpec spec;
    spec.family = "marian";
    spec.width = keys.integer({"d_model", "hidden_size"}, 1024, 1, 1 << 16);
    spec.norm = {NormKind::Layer, NormPlacement::Post, 1e-5};
    spec.embeddingScale = keys.flag("scale_embedding", false) ? std::sqrt(static_cast<double>(spec.width)) : 1.0;
    spec.positions = {PositionTable::SinusoidalHalves, 0, false};
    spec.maxPositions = keys.integer({"max_position_embeddings"}, 1024, 1, (1 << 26) / std::max<std::int64_t>(1, spec.width));
    spec.outputBias = true;
    spec.sharedEmbedding = keys.flag("share_encoder_decoder_embeddings", true);
    spec.tiedOutput = keys.flag("tie_word_embeddings", true);

    const Activation activation = parseActivation(keys.text("activation_function", "gelu"), keys);
    const auto layers = [&](const char *layersKey, const char *headsKey, const char *widthKey) {
        LayerShape shape;
        shape.layers = keys.integer({layersKey, "num_hidden_layers"}, 12, 1, 1000);
        const std::int64_t heads = keys.integer({headsKey, "num_attention_heads"}, 16, 1, 10000);
        shape.feedForward = {keys.integer({widthKey}, 4096, 1, 1 << 20), activation};
        setHeads(shape.attention, spec.width, heads, "d_model", headsKey, keys);
        return shape;
    };
    const LayerShape encoder = layers("encoder_layers", "encoder_attention_heads", "encoder_ffn_dim");
    LayerShape decoder = layers("decoder_layers", "decoder_attention_heads", "decoder_ffn_dim");
    decoder.readsMemory = true;
    const std::int64_t source = keys.integer({"vocab_size"}, 58101, 1, 1 << 26);
    const std::int64_t target = keys.integer({"decoder_vocab_size"}, source, 1, 1 << 26);
    if (!keys.error()) {
        spec.encoder = makeStack(Side::Encoder, encoder, source);
        spec.decoder = makeStack(Side::Decoder, decoder, spec.sharedEmbedding ? source : target);
        readPrunedHeads(config, spec, keys);
    }
    spec.generation = readGenerationSettings(config, generationConfig, keys);
    spec.generation.bannedLogits = {spec.generation.padId}; // MarianMTModel does so beside bad_words_ids
    if (keys.error())
        return *keys.error();
    return spec;
}

/// "encoder.2.self.query.weight" → "model.encoder.layers.2.self_attn.q_proj.weight"
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
    return "model." + name.substr(0, dot) + ".layers" + name.substr(dot);
}

TensorRecipe recipe(const std::string &slot)
{
    if (slot == "encoder.embedding")
        return {{"model.shared.weight", "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight",
                 "lm_head.weight"}};
    if (slot == "decoder.embedding")
        return {{"model.decoder.embed_tokens.weight", "lm_head.weight"}};
    if (slot == "output.weight")
        return {{"lm_head.weight"}};
    if (slot == "output.bias")
        return {{"final_logits_bias"}};
    return {{layerName(slot)}};
}

bool isIgnored(std::string_view name)
{
    return name.ends_with("embed_positions.weight") || name.ends_with("embed_tokens.weight")
           || name == "lm_head.weight" || name == "model.shared.weight";
}

/// Vocabularies as trainMarianTokenizer writes them: </s> first, <pad> last.
nlohmann::ordered_json newConfig(const NewModel &model)
{
    const ModelSizes &sizes = model.sizes;
    const std::int64_t pad = model.vocabulary - 1;
    return {{"architectures", {"MarianMTModel"}},
            {"model_type", "marian"},
            {"vocab_size", model.vocabulary},
            {"decoder_vocab_size", model.vocabulary},
            {"d_model", sizes.width},
            {"encoder_layers", sizes.encoderLayers},
            {"decoder_layers", sizes.decoderLayers},
            {"num_hidden_layers", sizes.encoderLayers},
            {"encoder_attention_heads", sizes.encoderHeads},
            {"decoder_attention_heads", sizes.decoderHeads},
            {"encoder_ffn_dim", sizes.feedForward},
            {"decoder_ffn_dim", sizes.feedForward},
            {"activation_function", sizes.activation},
            {"dropout", model.dropout},
            {"attention_dropout", 0.0},
            {"activation_dropout", 0.0},
            {"max_position_embeddings", sizes.maxPositions},
            {"max_length", std::min<std::int64_t>(128, sizes.maxPositions)},
            {"num_beams", model.beams},
            {"scale_embedding", true},
            {"static_position_embeddings", true},
            {"normalize_before", false},
            {"normalize_embedding", false},
            {"add_final_layer_norm", false},
            {"share_encoder_decoder_embeddings", true},
            {"tie_word_embeddings", true},
            {"is_encoder_decoder", true},
            {"pad_token_id", pad},
            {"eos_token_id", 0},
            {"bos_token_id", 0},
            {"forced_eos_token_id", 0},
            {"decoder_start_token_id", pad},
            {"bad_words_ids", nlohmann::ordered_json::array({nlohmann::ordered_json::array({pad})})},
            {"torch_dtype", "float32"}};
}

} // namespace

extern const Family kMarianFamily;
const Family kMarianFamily{"marian", makeSpec, recipe, isIgnored, newConfig};

} // namespace headscope
