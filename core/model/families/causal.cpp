#include "core/model/families/causal.h"

#include "core/model/classifierconfig.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <variant>

namespace headscope::causalfamily {
namespace {

AttentionSpec attentionOf(const nlohmann::json &config, const Defaults &defaults, TransformerSpec &spec,
                          ConfigReader &keys)
{
    AttentionSpec attention;
    const std::int64_t heads = keys.integer({"num_attention_heads"}, defaults.heads, 1, 10000);
    const std::int64_t headWidth
        = keys.integer({"head_dim"}, config.contains("head_dim") ? 0 : defaults.headWidth, 1, 1 << 16);
    if (headWidth == 0) {
        setHeads(attention, spec.width, heads, "hidden_size", "num_attention_heads", keys);
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
    attention.rotary = rotaryconfig::read(config, attention.headWidth, defaults.rotary, spec.maxPositions, keys);
    return attention;
}

} // namespace

Draft read(const nlohmann::json &config, const nlohmann::json &generationConfig, const Defaults &defaults,
           ConfigReader &keys)
{
    Draft draft;
    TransformerSpec &spec = draft.spec;
    readDecoderHead(config, DecoderHead::Linear, spec, keys);
    spec.family = defaults.family;
    spec.width = keys.integer({"hidden_size"}, defaults.width, 1, 1 << 16);
    spec.norm = {NormKind::Rms, NormPlacement::Pre, keys.number(defaults.epsilonKey, defaults.epsilon)};
    spec.finalNorm = true;
    spec.positions.table = PositionTable::None;
    spec.maxPositions = keys.integer({"max_position_embeddings"}, defaults.positions, 1, 1 << 30);
    spec.tiedOutput = keys.flag("tie_word_embeddings", defaults.tied);
    LayerShape &shape = draft.shape;
    shape.layers = keys.integer({"num_hidden_layers"}, defaults.layers, 1, 1000);
    shape.attention = attentionOf(config, defaults, spec, keys);
    setBiases(shape.attention, false);
    shape.feedForward.width = keys.integer({"intermediate_size"}, defaults.feedForward, 1, 1 << 20);
    shape.feedForward.activation = parseActivation(keys.text(defaults.activationKey, defaults.activation), keys);
    shape.feedForward.gated = defaults.gated;
    shape.feedForward.biases = false;
    draft.vocabulary = keys.integer({"vocab_size"}, defaults.vocabulary, 1, 1 << 26);
    spec.generation = readGenerationSettings(config, generationConfig,
                                             spec.classifier ? Generates::Nothing : Generates::FromPrompt, keys);
    return draft;
}

void setBiases(AttentionSpec &attention, bool biases)
{
    attention.biases = {biases, biases, biases, biases};
}

Result<TransformerSpec> finished(Draft draft, const nlohmann::json &config, ConfigReader &keys,
                                 const std::function<void(SubLayer &)> &change)
{
    if (!keys.error()) {
        draft.spec.decoder = makeStack(Side::Decoder, draft.shape, draft.vocabulary);
        for (std::size_t i = 0; change && i < draft.spec.decoder->subLayers.size(); ++i)
            change(draft.spec.decoder->subLayers[i]);
    }
    return finishedSpec(std::move(draft.spec), config, keys);
}

std::vector<bool> slidingLayers(const nlohmann::json &config, std::int64_t layers,
                                const std::function<bool(std::int64_t layer)> &otherwise, ConfigReader &keys)
{
    std::vector<bool> sliding;
    const auto types = config.find("layer_types");
    if (types == config.end() || types->is_null()) {
        for (std::int64_t layer = 0; layer < layers; ++layer)
            sliding.push_back(otherwise(layer));
        return sliding;
    }
    for (const auto &type : *types) {
        if (type != "full_attention" && type != "sliding_attention")
            keys.fail("\"layer_types\" has " + type.dump()
                      + "; Headscope knows \"full_attention\" and \"sliding_attention\".");
        sliding.push_back(type == "sliding_attention");
    }
    if (std::ssize(sliding) != layers)
        keys.fail("\"layer_types\" has " + std::to_string(sliding.size()) + " entries for " + std::to_string(layers)
                  + " layers (\"num_hidden_layers\").");
    sliding.resize(static_cast<std::size_t>(layers));
    return sliding;
}

std::int64_t slidingWindow(std::int64_t fallback, ConfigReader &keys)
{
    return keys.integer({"sliding_window"}, fallback, 1, 1 << 30);
}

std::optional<std::int64_t> reachOf(std::int64_t window, std::int64_t positions)
{
    return window < positions ? std::optional(window - 1) : std::nullopt;
}

AttentionSpec *slidingAttention(SubLayer &sub, const std::vector<bool> &sliding)
{
    return sliding[static_cast<std::size_t>(sub.layer)] ? std::get_if<AttentionSpec>(&sub.part) : nullptr;
}

std::string llamaName(const std::string &slot, std::span<const NamePart> own)
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
        {".self.query_norm.", ".self_attn.q_norm."},
        {".self.key_norm.", ".self_attn.k_norm."},
        {".feed_forward.norm.", ".post_attention_layernorm."},
        {".feed_forward.gate.", ".mlp.gate_proj."},
        {".feed_forward.in.", ".mlp.up_proj."},
        {".feed_forward.out.", ".mlp.down_proj."},
        {"decoder.", "layers."},
    };
    return renamed(renamed(slot, own), kParts);
}

TensorRecipe llamaRecipe(const std::string &slot, std::span<const NamePart> own)
{
    if (slot == "output.weight")
        return {{"lm_head.weight"}};
    if (slot == "classifier.out.weight")
        return {{"score.weight"}};
    const std::string name = llamaName(slot, own);
    return {{"model." + name, name}};
}

bool isIgnored(std::string_view name)
{
    return name.ends_with("rotary_emb.inv_freq") || name == "lm_head.weight";
}

} // namespace headscope::causalfamily
