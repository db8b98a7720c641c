// LlamaForCausalLM, MistralForCausalLM and Qwen2ForCausalLM: a decoder without memory, RMS norms, rotary positions,
// gated feed-forward layers; several heads may share their keys and values.
#include "core/model/family.h"

#include <cmath>

namespace headscope {
namespace llamafamily {

/// A class's own values for keys that config.json may lack.
struct Defaults
{
    const char *family = "llama";
    std::int64_t vocabulary = 32000;
    std::int64_t feedForward = 11008;
    std::int64_t keyHeads = 0; ///< 0: as many as heads
    std::int64_t positions = 2048;
};

/// Rotary positions, where nothing stretches or scales them: "rope_theta", or in transformers 5 an object around it.
RotarySpec rotaryOf(const nlohmann::json &config, ConfigReader &keys)
{
    RotarySpec rotary;
    rotary.base = keys.number("rope_theta", rotary.base);
    for (const char *key : {"rope_scaling", "rope_parameters"}) {
        const auto found = config.find(key);
        if (found == config.end() || found->is_null())
            continue;
        ConfigReader inner(*found);
        const std::string kind = inner.text("rope_type", inner.text("type", "default"));
        const double turned = inner.number("partial_rotary_factor", 1); // of every head
        rotary.base = inner.number("rope_theta", rotary.base);
        if (!found->is_object() || inner.error() || kind != "default" || turned != 1)
            keys.fail('"' + std::string(key) + "\" is " + found->dump().substr(0, 200)
                      + "; Headscope computes plain rotary positions only (null, or \"rope_type\": \"default\").");
    }
    if (!(rotary.base > 0) || !std::isfinite(rotary.base))
        keys.fail("\"rope_theta\" is " + std::to_string(rotary.base) + ", expected a positive number.");
    return rotary;
}

/// Fails if keys further away than a window are not seen, in texts that the model has positions for.
void refuseWindow(std::int64_t window, std::int64_t positions, ConfigReader &keys)
{
    if (window < positions)
        keys.fail("\"sliding_window\" is " + std::to_string(window) + " with " + std::to_string(positions)
                  + " positions; Headscope computes attention to all positions only (\"sliding_window\": null).");
}

AttentionSpec attentionOf(const nlohmann::json &config, std::int64_t width, const Defaults &defaults,
                          ConfigReader &keys)
{
    AttentionSpec attention;
    const std::int64_t heads = keys.integer({"num_attention_heads"}, 32, 1, 10000);
    const std::int64_t headWidth = keys.integer({"head_dim"}, 0, 1, 1 << 16);
    if (headWidth == 0) {
        setHeads(attention, width, heads, "hidden_size", "num_attention_heads", keys);
    } else {
        attention.allHeads = heads;
        attention.headWidth = headWidth;
        attention.scale = 1 / std::sqrt(static_cast<double>(headWidth));
    }
    const bool isDefault = defaults.keyHeads > 0 && !config.contains("num_key_value_heads"); // null is as many as heads
    const std::int64_t keyHeads
        = keys.integer({"num_key_value_heads"}, isDefault ? defaults.keyHeads : heads, 1, 10000);
    if (keyHeads < 1 || heads % keyHeads != 0)
        keys.fail("\"num_attention_heads\" " + std::to_string(heads) + " is not a multiple of \"num_key_value_heads\" "
                  + std::to_string(keyHeads) + ".");
    else
        attention.headsPerKey = heads / keyHeads;
    if (attention.headWidth % 2 != 0)
        keys.fail("heads of width " + std::to_string(attention.headWidth)
                  + " (\"head_dim\", or \"hidden_size\" divided by \"num_attention_heads\") cannot have rotary "
                    "positions, which rotate pairs.");
    attention.rotary = rotaryOf(config, keys);
    return attention;
}

/// Everything but what is each class's own. `biases`: of attention. Trouble is kept in `keys`, which reads `config`.
TransformerSpec specOf(const nlohmann::json &config, const nlohmann::json &generationConfig, const Defaults &defaults,
                       AttentionSpec::Biases biases, bool feedForwardBiases, ConfigReader &keys)
{
    refuseClassifiers(config, keys);
    TransformerSpec spec;
    spec.family = defaults.family;
    spec.width = keys.integer({"hidden_size"}, 4096, 1, 1 << 16);
    spec.norm = {NormKind::Rms, NormPlacement::Pre, keys.number("rms_norm_eps", 1e-6)};
    spec.finalNorm = true;
    spec.positions.table = PositionTable::None;
    spec.maxPositions = keys.integer({"max_position_embeddings"}, defaults.positions, 1, 1 << 30);
    spec.tiedOutput = keys.flag("tie_word_embeddings", false);
    LayerShape shape;
    shape.layers = keys.integer({"num_hidden_layers"}, 32, 1, 1000);
    shape.attention = attentionOf(config, spec.width, defaults, keys);
    shape.attention.biases = biases;
    shape.feedForward.width = keys.integer({"intermediate_size"}, defaults.feedForward, 1, 1 << 20);
    shape.feedForward.activation = parseActivation(keys.text("hidden_act", "silu"), keys);
    shape.feedForward.gated = true;
    shape.feedForward.biases = feedForwardBiases;
    const std::int64_t vocabulary = keys.integer({"vocab_size"}, defaults.vocabulary, 1, 1 << 26);
    spec.generation = readGenerationSettings(config, generationConfig, Generates::FromPrompt, keys);
    if (!keys.error())
        spec.decoder = makeStack(Side::Decoder, shape, vocabulary);
    return spec;
}

Result<TransformerSpec> makeLlamaSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(file, {{"bos_token_id", 1}, {"eos_token_id", 2}});
    ConfigReader keys(config);
    const bool biases = keys.flag("attention_bias", false);
    const bool feedForwardBiases = keys.flag("mlp_bias", false);
    return finishedSpec(specOf(config, generationConfig, {}, {biases, biases, biases, biases}, feedForwardBiases, keys),
                        config, keys);
}

Result<TransformerSpec> makeMistralSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config
        = withDefaults(file, {{"bos_token_id", 1}, {"eos_token_id", 2}, {"sliding_window", 4096}});
    ConfigReader keys(config);
    TransformerSpec spec = specOf(config, generationConfig, {"mistral", 32000, 14336, 8, 1 << 17},
                                  {false, false, false, false}, false, keys);
    refuseWindow(keys.integer({"sliding_window"}, spec.maxPositions, 1, 1 << 30), spec.maxPositions, keys);
    return finishedSpec(std::move(spec), config, keys);
}

Result<TransformerSpec> makeQwen2Spec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(file, {{"sliding_window", 4096}});
    ConfigReader keys(config);
    TransformerSpec spec = specOf(config, generationConfig, {"qwen2", 151936, 22016, 32, 1 << 15},
                                  {true, true, true, false}, false, keys);
    if (keys.flag("use_sliding_window", false))
        refuseWindow(keys.integer({"sliding_window"}, spec.maxPositions, 1, 1 << 30), spec.maxPositions, keys);
    return finishedSpec(std::move(spec), config, keys);
}

/// "decoder.2.self.query.weight" → "layers.2.self_attn.q_proj.weight"
std::string bareName(const std::string &slot)
{
    if (slot == "decoder.embedding")
        return "embed_tokens.weight";
    static constexpr NamePart kParts[] = {
        {"decoder.norm.", "norm."},
        {".self.norm.", ".input_layernorm."},
        {".self.query.", ".self_attn.q_proj."},
        {".self.key.", ".self_attn.k_proj."},
        {".self.value.", ".self_attn.v_proj."},
        {".self.out.", ".self_attn.o_proj."},
        {".feed_forward.norm.", ".post_attention_layernorm."},
        {".feed_forward.gate.", ".mlp.gate_proj."},
        {".feed_forward.in.", ".mlp.up_proj."},
        {".feed_forward.out.", ".mlp.down_proj."},
        {"decoder.", "layers."},
    };
    return renamed(slot, kParts);
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    if (slot == "output.weight")
        return {{"lm_head.weight"}};
    const std::string name = bareName(slot);
    return {{"model." + name, name}};
}

/// Frequencies of rotary positions that old versions saved, and the output matrix of a tied model.
bool isIgnored(std::string_view name)
{
    return name.ends_with("rotary_emb.inv_freq") || name == "lm_head.weight";
}

} // namespace llamafamily

extern const Family kLlamaFamily, kMistralFamily, kQwen2Family;
const Family kLlamaFamily{"llama", llamafamily::makeLlamaSpec, llamafamily::recipe, llamafamily::isIgnored};
const Family kMistralFamily{"mistral", llamafamily::makeMistralSpec, llamafamily::recipe, llamafamily::isIgnored};
const Family kQwen2Family{"qwen2", llamafamily::makeQwen2Spec, llamafamily::recipe, llamafamily::isIgnored};

} // namespace headscope
