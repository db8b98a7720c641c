// GPTNeoXForCausalLM (Pythia): a decoder without memory whose attention and feed-forward layers may lie side by side,
// rotary positions on a part of each head, queries, keys and values of every head one after the other in one matrix.
#include "core/model/families/causal.h"

namespace headscope {
namespace gptneoxfamily {

using namespace causalfamily;

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(file, {{"bos_token_id", 0}, {"eos_token_id", 2}});
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = "gpt_neox",
                        .vocabulary = 50432,
                        .width = 6144,
                        .layers = 44,
                        .heads = 64,
                        .feedForward = 24576,
                        .activation = "gelu",
                        .epsilonKey = "layer_norm_eps",
                        .epsilon = 1e-5,
                        .gated = false,
                        .rotary = {.base = "rotary_emb_base", .share = "rotary_pct", .shareDefault = 0.25}},
                       keys);
    draft.spec.norm.kind = NormKind::Layer;
    setBiases(draft.shape.attention, keys.flag("attention_bias", true));
    draft.shape.feedForward.biases = true;
    const bool beside = keys.flag("use_parallel_residual", true);
    return finished(std::move(draft), config, keys, [&](SubLayer &sub) { sub.beside = beside && sub.feedForward(); });
}

/// "decoder.2.self.out.weight" → "layers.2.attention.dense.weight"
std::string bareName(const std::string &slot)
{
    static constexpr NamePart kParts[] = {
        {"decoder.embedding", "embed_in.weight"},
        {"decoder.norm.", "final_layer_norm."},
        {".self.norm.", ".input_layernorm."},
        {".self.query.", ".attention.query_key_value."},
        {".self.key.", ".attention.query_key_value."},
        {".self.value.", ".attention.query_key_value."},
        {".self.out.", ".attention.dense."},
        {".feed_forward.norm.", ".post_attention_layernorm."},
        {".feed_forward.in.", ".mlp.dense_h_to_4h."},
        {".feed_forward.out.", ".mlp.dense_4h_to_h."},
        {"decoder.", "layers."},
    };
    return renamed(slot, kParts);
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &spec)
{
    const std::string name = bareName(slot);
    TensorRecipe recipe = decoderRecipe(slot, "gpt_neox.", name, "embed_out");
    if (name.find(".query_key_value.") != std::string::npos) {
        recipe.fused = fusedParts(slot, {"query", "key", "value"});
        recipe.stretches = spec.attention(HeadKind::Decoder, layerOf(slot)).headCount();
    }
    return recipe;
}

/// Masks and frequencies that old versions saved: "layers.0.attention.bias" is no bias of attention.
bool isIgnored(std::string_view name)
{
    return name.ends_with(".attention.bias") || name.ends_with(".attention.masked_bias")
        || name.ends_with("rotary_emb.inv_freq") || name == "embed_out.weight";
}

} // namespace gptneoxfamily

extern const Family kGptNeoxFamily;
const Family kGptNeoxFamily{"gpt_neox", "GPT-NeoX, Pythia (to generate or to classify)", gptneoxfamily::makeSpec,
                            gptneoxfamily::recipe, gptneoxfamily::isIgnored};

} // namespace headscope
