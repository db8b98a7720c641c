// GPT2LMHeadModel: a decoder without memory, queries, keys and values in one transposed matrix.
#include "core/model/classifierconfig.h"
#include "core/model/families/causal.h"

#include <cmath>

namespace headscope {
namespace gpt2family {

/// Scores of later layers may be made smaller.
void setScales(StackSpec &stack, bool byWidth, bool byLayer)
{
    for (SubLayer &sub : stack.subLayers) {
        auto *attention = std::get_if<AttentionSpec>(&sub.part);
        if (!attention)
            continue;
        attention->scale = byWidth ? 1 / std::sqrt(static_cast<double>(attention->headWidth)) : 1.0;
        if (byLayer)
            attention->scale /= sub.layer + 1;
    }
}

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(file, {{"bos_token_id", 50256}, {"eos_token_id", 50256}});
    ConfigReader keys(config);
    if (keys.flag("add_cross_attention", false))
        keys.fail("\"add_cross_attention\" is true; Headscope opens this family without an encoder.");
    TransformerSpec spec;
    readDecoderHead(config, DecoderHead::Linear, spec, keys);
    spec.family = "gpt2";
    spec.width = keys.integer({"hidden_size", "n_embd"}, 768, 1, 1 << 16);
    spec.norm = {NormKind::Layer, NormPlacement::Pre, keys.number("layer_norm_epsilon", 1e-5)};
    spec.finalNorm = true;
    spec.positions = {PositionTable::Learned, 0, false};
    spec.maxPositions = keys.integer({"max_position_embeddings", "n_positions"}, 1024, 1, mostPositions(spec.width));
    spec.tiedOutput = keys.flag("tie_word_embeddings", true);
    LayerShape shape;
    shape.layers = keys.integer({"num_hidden_layers", "n_layer"}, 12, 1, 1000);
    const std::int64_t heads = keys.integer({"num_attention_heads", "n_head"}, 12, 1, 10000);
    setHeads(shape.attention, spec.width, heads, "n_embd", "n_head", keys);
    shape.feedForward.width = keys.integer({"n_inner"}, 4 * spec.width, 1, 1 << 20);
    shape.feedForward.activation = parseActivation(keys.text("activation_function", "gelu_new"), keys);
    const std::int64_t vocabulary = keys.integer({"vocab_size"}, 50257, 1, 1 << 26);
    const bool byWidth = keys.flag("scale_attn_weights", true);
    const bool byLayer = keys.flag("scale_attn_by_inverse_layer_idx", false);
    spec.generation = readGenerationSettings(config, generationConfig,
                                             spec.classifier ? Generates::Nothing : Generates::FromPrompt, keys);
    if (!keys.error()) {
        spec.decoder = makeStack(Side::Decoder, shape, vocabulary);
        setScales(*spec.decoder, byWidth, byLayer);
    }
    return finishedSpec(std::move(spec), config, keys);
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    TensorRecipe recipe = causalfamily::gpt2Recipe(slot);
    recipe.transposed = recipe.names.back().starts_with("h."); // its norms and biases have one dimension
    if (recipe.names.back().find(".c_attn.") != std::string::npos)
        recipe.fused = fusedParts(slot, {"query", "key", "value"});
    return recipe;
}

/// Masks that old versions saved: "h.0.attn.bias" beside the weights of "h.0.attn.c_attn.bias".
bool isIgnored(std::string_view name)
{
    return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias") || name == "lm_head.weight";
}

} // namespace gpt2family

extern const Family kGpt2Family;
const Family kGpt2Family{"gpt2",
                         "GPT-2 and its relatives (to generate or to classify), without an encoder",
                         gpt2family::makeSpec,
                         gpt2family::recipe,
                         gpt2family::isIgnored,
                         nullptr,
                         PrunedLoading::Transformers};

} // namespace headscope
