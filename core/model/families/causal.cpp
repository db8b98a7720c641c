#include "core/model/families/causal.h"

#include "core/base/parsednumber.h"
#include "core/io/ggufnames.h"
#include "core/model/classifierconfig.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
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
    if (defaults.turned)
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
    spec.norm = {NormKind::Rms, NormPlacement::Pre,
                 defaults.epsilonKey ? keys.number(defaults.epsilonKey, defaults.epsilon) : defaults.epsilon};
    spec.finalNorm = true;
    spec.positions.table = PositionTable::None;
    spec.maxPositions = keys.integer({"max_position_embeddings"}, defaults.positions, 1, 1 << 30);
    spec.tiedOutput = keys.flag("tie_word_embeddings", defaults.tied);
    LayerShape &shape = draft.shape;
    shape.layers = keys.integer({"num_hidden_layers"}, defaults.layers, 1, 1000);
    shape.attention = attentionOf(config, defaults, spec, keys);
    setBiases(shape.attention, false);
    shape.feedForward.width = keys.integer({"intermediate_size"}, defaults.feedForward, 1, 1 << 20);
    const std::string activation
        = defaults.activationKey ? keys.text(defaults.activationKey, defaults.activation) : defaults.activation;
    shape.feedForward.activation = parseActivation(activation, keys);
    shape.feedForward.gated = defaults.gated;
    shape.feedForward.biases = false;
    draft.vocabulary = keys.integer({"vocab_size"}, defaults.vocabulary, 1, 1 << 26);
    spec.generation = readGenerationSettings(config, generationConfig,
                                             spec.classifier ? Generates::Nothing : Generates::FromPrompt, keys);
    return draft;
}

nlohmann::json withNames(nlohmann::json config, std::initializer_list<std::pair<const char *, const char *>> names)
{
    for (const auto &[ours, theirs] : names) {
        if (!config.contains(ours) && config.contains(theirs))
            config[ours] = config.at(theirs);
    }
    return config;
}

nlohmann::json withGptNames(const nlohmann::json &config, std::int64_t width)
{
    nlohmann::json named = withNames(config, {{"hidden_size", "n_embd"},
                                              {"num_hidden_layers", "n_layer"},
                                              {"num_attention_heads", "n_head"},
                                              {"max_position_embeddings", "n_positions"},
                                              {"intermediate_size", "n_inner"}});
    if (!named.contains("intermediate_size") || named.at("intermediate_size").is_null()) {
        const auto own = named.find("hidden_size");
        const bool isSmall = own != named.end() && own->is_number_integer() && *own > 0 && *own <= 1 << 16;
        named["intermediate_size"] = 4 * (isSmall ? own->get<std::int64_t>() : width);
    }
    return named;
}

void setPositions(Draft &draft, const PositionSpec &positions, ConfigReader &keys)
{
    TransformerSpec &spec = draft.spec;
    spec.norm.kind = NormKind::Layer;
    spec.positions = positions;
    if (positions.table != PositionTable::None && spec.maxPositions > mostPositions(spec.width))
        keys.fail("\"max_position_embeddings\" is " + std::to_string(spec.maxPositions) + ", expected 1 to "
                  + std::to_string(mostPositions(spec.width)) + ".");
}

std::vector<float> alibiSlopes(std::int64_t heads)
{
    const std::int64_t whole = std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(1, heads)));
    const auto baseOf
        = [](std::int64_t count) { return static_cast<float>(std::pow(2.0, -8.0 / static_cast<double>(count))); };
    std::vector<float> slopes;
    for (std::int64_t i = 1; i <= whole; ++i)
        slopes.push_back(std::pow(baseOf(whole), static_cast<float>(i)));
    for (std::int64_t i = 1; std::ssize(slopes) < heads; i += 2) // between those of the next power of two
        slopes.push_back(std::pow(baseOf(2 * whole), static_cast<float>(i)));
    return slopes;
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

std::int64_t readExperts(Draft &draft, const ExpertKeys &names, ConfigReader &keys)
{
    FeedForwardSpec &feedForward = draft.shape.feedForward;
    const std::int64_t dense = feedForward.width;
    Experts experts;
    experts.count = keys.integer({"num_local_experts", "num_experts"}, names.count, 1, 1 << 12);
    experts.chosen = keys.integer({"num_experts_per_tok", "experts_per_token"}, names.chosen, 1,
                                  std::max<std::int64_t>(1, experts.count));
    experts.width = names.widthDefault > 0 ? keys.integer({names.width}, names.widthDefault, 1, 1 << 20) : dense;
    if (names.normalized)
        experts.normalized = keys.flag(names.normalized, false);
    if (experts.chosen > experts.count)
        keys.fail("\"num_experts_per_tok\" is missing, and its default " + std::to_string(experts.chosen)
                  + " is more than the " + std::to_string(experts.count) + " experts.");
    feedForward.width = 0;
    feedForward.experts = experts;
    return dense;
}

std::vector<bool> denseLayers(const nlohmann::json &config, std::int64_t layers, ConfigReader &keys)
{
    const std::int64_t step = keys.integer({"decoder_sparse_step"}, 1, 1, 1 << 20);
    std::vector<bool> dense;
    for (std::int64_t layer = 0; layer < layers; ++layer)
        dense.push_back((layer + 1) % step != 0);
    const auto given = config.find("mlp_only_layers");
    if (given == config.end() || given->is_null())
        return dense;
    if (!given->is_array())
        keys.fail("\"mlp_only_layers\" is " + given->dump().substr(0, 60) + ", expected a list of layers.");
    for (const auto &layer : given->is_array() ? *given : nlohmann::json::array()) {
        const bool isNumber = layer.is_number_integer();
        if (!isNumber)
            keys.fail("\"mlp_only_layers\" has " + layer.dump().substr(0, 60) + ", expected a layer's number.");
        const std::int64_t number = isNumber ? layer.get<std::int64_t>() : -1;
        if (number >= 0 && number < layers)
            dense[static_cast<std::size_t>(number)] = true;
    }
    return dense;
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
    return decoderRecipe(slot, "model.", llamaName(slot, own));
}

TensorRecipe gpt2Recipe(const std::string &slot, std::span<const NamePart> own)
{
    static constexpr NamePart kParts[] = {
        {"decoder.embedding", "wte.weight"}, {"decoder.positions", "wpe.weight"},    {"decoder.norm.", "ln_f."},
        {".self.norm.", ".ln_1."},           {".self.query.", ".attn.c_attn."},      {".self.key.", ".attn.c_attn."},
        {".self.value.", ".attn.c_attn."},   {".self.out.", ".attn.c_proj."},        {".feed_forward.norm.", ".ln_2."},
        {".feed_forward.in.", ".mlp.c_fc."}, {".feed_forward.out.", ".mlp.c_proj."}, {"decoder.", "h."},
    };
    return decoderRecipe(slot, "transformer.", renamed(renamed(slot, own), kParts));
}

std::optional<std::int64_t> expertOf(const std::string &slot)
{
    constexpr std::string_view kPart = ".feed_forward.expert.";
    const std::size_t at = slot.find(kPart);
    if (at == std::string::npos)
        return std::nullopt;
    const std::size_t begin = at + kPart.size();
    const auto number = parsedNumber<std::size_t>(slot.substr(begin, slot.find('.', begin) - begin));
    return number ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
}

std::int64_t expertsIn(const TransformerSpec &spec, int layer)
{
    for (const SubLayer &sub : spec.decoder->subLayers) {
        if (sub.layer == layer && sub.feedForward() && sub.feedForward()->experts)
            return sub.feedForward()->experts->count;
    }
    return 0;
}

TensorRecipe qwenExpertRecipe(const std::string &slot, const TransformerSpec &spec)
{
    static constexpr NamePart kOfExpert[] = {{".feed_forward.expert.", ".mlp.experts."},
                                             {".in.", ".up_proj."},
                                             {".gate.", ".gate_proj."},
                                             {".out.", ".down_proj."}};
    static constexpr NamePart kShared[] = {{".feed_forward.gate.", ".mlp.shared_expert.gate_proj."},
                                           {".feed_forward.in.", ".mlp.shared_expert.up_proj."},
                                           {".feed_forward.out.", ".mlp.shared_expert.down_proj."},
                                           {".feed_forward.router.", ".mlp.gate."},
                                           {".feed_forward.shared_gate.", ".mlp.shared_expert_gate."}};
    if (expertOf(slot))
        return llamaRecipe(slot, kOfExpert);
    const bool isInLayer = slot.find(".feed_forward.") != std::string::npos;
    return isInLayer && expertsIn(spec, layerOf(slot)) > 0 ? llamaRecipe(slot, kShared) : llamaRecipe(slot);
}

TensorRecipe withFusedGates(TensorRecipe recipe, const std::string &slot)
{
    if (recipe.names.front().find("qkv_proj") != std::string::npos)
        recipe.fused = fusedParts(slot, {"query", "key", "value"});
    else if (recipe.names.front().find("gate_up_proj") != std::string::npos)
        recipe.fused = fusedParts(slot, {"gate", "in"});
    return recipe;
}

bool isIgnored(std::string_view name)
{
    return name.ends_with("rotary_emb.inv_freq") || name == "lm_head.weight" || name == kGgufRopeFactors;
}

} // namespace headscope::causalfamily
