// Gemma2ForCausalLM and Gemma3ForCausalLM (text): decoders without memory with norms before and after every sub-layer,
// whose weights are stored less one, embeddings scaled by the root of the width, windows in most layers. Gemma 2 caps
// scores and logits; Gemma 3 norms queries and keys, and turns heads of windows by a base of their own.
#include "core/model/families/causal.h"

#include <cmath>

namespace headscope {
namespace gemmafamily {

using namespace causalfamily;

Draft draftOf(const nlohmann::json &config, const nlohmann::json &generationConfig, const Defaults &defaults,
              ConfigReader &keys)
{
    Draft draft = read(config, generationConfig, defaults, keys);
    draft.spec.norm.placement = NormPlacement::Around;
    draft.spec.embeddingScale = std::sqrt(static_cast<double>(draft.spec.width));
    draft.spec.logitCap = keys.number("final_logit_softcapping", 0);
    setBiases(draft.shape.attention, keys.flag("attention_bias", false));
    const double scalar = keys.number("query_pre_attn_scalar", 256);
    if (!(scalar > 0))
        keys.fail("\"query_pre_attn_scalar\" is " + std::to_string(scalar) + ", expected a positive number.");
    draft.shape.attention.scale = 1 / std::sqrt(scalar);
    if (keys.flag("use_bidirectional_attention", false))
        keys.fail("\"use_bidirectional_attention\" is true; Headscope opens this family as a decoder.");
    return draft;
}

Defaults defaultsOf(const char *family, std::int64_t vocabulary, std::int64_t positions, double base)
{
    return {.family = family,
            .vocabulary = vocabulary,
            .width = 2304,
            .layers = 26,
            .heads = 8,
            .keyHeads = 4,
            .headWidth = 256,
            .feedForward = 9216,
            .positions = positions,
            .activationKey = "hidden_activation",
            .activation = "gelu_pytorch_tanh",
            .tied = true,
            .rotary = {.baseDefault = base, .layerType = "full_attention"}};
}

nlohmann::json withTokens(const nlohmann::json &file)
{
    return withDefaults(file, {{"pad_token_id", 0}, {"eos_token_id", 1}, {"bos_token_id", 2}});
}

/// The first Gemma has the norms of Llama.
Result<TransformerSpec> makeGemmaSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withTokens(file);
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = "gemma",
                        .vocabulary = 256000,
                        .width = 3072,
                        .layers = 28,
                        .heads = 16,
                        .keyHeads = 16,
                        .headWidth = 256,
                        .feedForward = 24576,
                        .positions = 8192,
                        .activation = "gelu_pytorch_tanh",
                        .tied = true},
                       keys);
    draft.spec.embeddingScale = std::sqrt(static_cast<double>(draft.spec.width));
    setBiases(draft.shape.attention, keys.flag("attention_bias", false));
    if (keys.flag("use_bidirectional_attention", false))
        keys.fail("\"use_bidirectional_attention\" is true; Headscope opens this family as a decoder.");
    return finished(std::move(draft), config, keys);
}

TensorRecipe gemmaRecipe(const std::string &slot, const TransformerSpec &)
{
    TensorRecipe recipe = llamaRecipe(slot);
    recipe.lessOne = slot.ends_with("norm.weight");
    return recipe;
}

Result<TransformerSpec> makeGemma2Spec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config
        = withDefaults(withTokens(file), {{"final_logit_softcapping", 30.0}, {"attn_logit_softcapping", 50.0}});
    ConfigReader keys(config);
    Draft draft = draftOf(config, generationConfig, defaultsOf("gemma2", 256000, 8192, 10000), keys);
    draft.shape.attention.scoreCap = keys.number("attn_logit_softcapping", 0);
    const auto sliding = slidingLayers(
        config, draft.shape.layers, [](std::int64_t layer) { return (layer + 1) % 2 != 0; }, keys);
    const auto reach = reachOf(slidingWindow(4096, keys), draft.spec.maxPositions);
    return finished(std::move(draft), config, keys, [&](SubLayer &sub) {
        if (AttentionSpec *attention = slidingAttention(sub, sliding))
            attention->reach = reach;
    });
}

Result<TransformerSpec> makeGemma3Spec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withTokens(file);
    ConfigReader keys(config);
    Draft draft = draftOf(config, generationConfig, defaultsOf("gemma3_text", 262208, 1 << 17, 1e6), keys);
    if (config.contains("attn_logit_softcapping") && !config.at("attn_logit_softcapping").is_null())
        keys.fail("\"attn_logit_softcapping\" is " + config.at("attn_logit_softcapping").dump()
                  + "; Gemma 3 does not cap scores (null).");
    draft.shape.attention.headNorm = HeadNorm{false, draft.spec.norm.epsilon};
    const std::int64_t pattern = keys.integer({"sliding_window_pattern", "_sliding_window_pattern"}, 6, 1, 1 << 20);
    const auto sliding = slidingLayers(
        config, draft.shape.layers, [&](std::int64_t layer) { return (layer + 1) % pattern != 0; }, keys);
    const auto reach = reachOf(slidingWindow(4096, keys), draft.spec.maxPositions);
    const RotarySpec local = rotaryconfig::local(config, keys.number("rope_local_base_freq", 10000),
                                                 draft.shape.attention.headWidth, keys);
    return finished(std::move(draft), config, keys, [&](SubLayer &sub) {
        if (AttentionSpec *attention = slidingAttention(sub, sliding)) {
            attention->reach = reach;
            attention->rotary = local;
        }
    });
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    static constexpr NamePart kParts[] = {
        {".self.output_norm.", ".post_attention_layernorm."},
        {".feed_forward.norm.", ".pre_feedforward_layernorm."},
        {".feed_forward.output_norm.", ".post_feedforward_layernorm."},
    };
    TensorRecipe recipe = llamaRecipe(slot, kParts);
    recipe.lessOne = slot.ends_with("norm.weight");
    return recipe;
}

} // namespace gemmafamily

extern const Family kGemmaFamily, kGemma2Family, kGemma3Family;
const Family kGemmaFamily{"gemma", "Gemma 1 (to generate or to classify)", gemmafamily::makeGemmaSpec,
                          gemmafamily::gemmaRecipe, causalfamily::isIgnored};
const Family kGemma2Family{"gemma2", "Gemma 2 (text; to generate or to classify)", gemmafamily::makeGemma2Spec,
                           gemmafamily::recipe, causalfamily::isIgnored};
const Family kGemma3Family{
    "gemma3_text",
    "Gemma 3 without pictures (270m, 1b), to generate or to classify; of others their text model by itself",
    gemmafamily::makeGemma3Spec, gemmafamily::recipe, causalfamily::isIgnored};

} // namespace headscope
