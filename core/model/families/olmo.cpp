// OlmoForCausalLM, Olmo2ForCausalLM, Olmo3ForCausalLM and OlmoeForCausalLM: decoders of Llama's shape. The first has
// layer norms without weights and may clip queries, keys and values; the others norm queries and keys over all heads,
// and the second and third what sub-layers add; the third has windows in most layers, the last experts.
#include "core/model/families/causal.h"

namespace headscope {
namespace olmofamily {

using namespace causalfamily;

nlohmann::json withTokens(const nlohmann::json &file)
{
    return withDefaults(file, {{"pad_token_id", 1}, {"eos_token_id", 50279}});
}

Draft draftOf(const nlohmann::json &config, const nlohmann::json &generationConfig, const char *family,
              ConfigReader &keys)
{
    Draft draft = read(
        config, generationConfig,
        {.family = family, .vocabulary = 50304, .epsilon = 1e-5, .rotary = {.layerType = "full_attention"}}, keys);
    setBiases(draft.shape.attention, keys.flag("attention_bias", false));
    return draft;
}

Result<TransformerSpec> makeOlmoSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withTokens(file);
    ConfigReader keys(config);
    Draft draft = draftOf(config, generationConfig, "olmo", keys);
    draft.spec.norm = {NormKind::Layer, NormPlacement::Pre, 1e-5, false, false}; // in the class, not in the file
    draft.shape.attention.clip = keys.number("clip_qkv", 0);
    if (draft.shape.attention.clip < 0)
        keys.fail("\"clip_qkv\" is negative.");
    return finished(std::move(draft), config, keys);
}

Draft olmo2DraftOf(const nlohmann::json &config, const nlohmann::json &generationConfig, const char *family,
                   ConfigReader &keys)
{
    Draft draft = draftOf(config, generationConfig, family, keys);
    draft.spec.norm.placement = NormPlacement::Output;
    draft.shape.attention.headNorm = HeadNorm{true, draft.spec.norm.epsilon};
    return draft;
}

Result<TransformerSpec> makeOlmo2Spec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withTokens(file);
    ConfigReader keys(config);
    return finished(olmo2DraftOf(config, generationConfig, "olmo2", keys), config, keys);
}

/// Layers with windows are turned plainly, whatever stretches the others, unless config.json says how.
Result<TransformerSpec> makeOlmo3Spec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withTokens(file);
    ConfigReader keys(config);
    Draft draft = olmo2DraftOf(config, generationConfig, "olmo3", keys);
    const auto sliding = slidingLayers(
        config, draft.shape.layers, [](std::int64_t layer) { return (layer + 1) % 4 != 0; }, keys);
    const auto reach = reachOf(slidingWindow(4096, keys), draft.spec.maxPositions);
    const RotarySpec local
        = rotaryconfig::local(config, draft.shape.attention.rotary->base, draft.shape.attention.headWidth, keys);
    return finished(std::move(draft), config, keys, [&](SubLayer &sub) {
        if (AttentionSpec *attention = slidingAttention(sub, sliding)) {
            attention->reach = reach;
            attention->rotary = local;
        }
    });
}

Result<TransformerSpec> makeOlmoeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config
        = withDefaults(file, {{"pad_token_id", 1}, {"bos_token_id", nullptr}, {"eos_token_id", 50279}});
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = "olmoe",
                        .vocabulary = 50304,
                        .width = 2048,
                        .layers = 16,
                        .heads = 16,
                        .feedForward = 2048,
                        .positions = 4096,
                        .epsilon = 1e-5},
                       keys);
    setBiases(draft.shape.attention, keys.flag("attention_bias", false));
    draft.shape.attention.headNorm = HeadNorm{true, draft.spec.norm.epsilon};
    if (const double clip = keys.number("clip_qkv", 0); clip != 0)
        keys.fail("\"clip_qkv\" is " + std::to_string(clip)
                  + "; Headscope opens this family without clipping behind its norms of queries and keys.");
    (void)readExperts(draft, {.count = 64, .chosen = 8, .normalized = "norm_topk_prob"}, keys);
    return finished(std::move(draft), config, keys);
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    static constexpr NamePart kParts[] = {
        {".self.output_norm.", ".post_attention_layernorm."},
        {".feed_forward.output_norm.", ".post_feedforward_layernorm."},
    };
    return llamaRecipe(slot, kParts);
}

} // namespace olmofamily

extern const Family kOlmoFamily, kOlmo2Family, kOlmo3Family, kOlmoeFamily;
const Family kOlmoFamily{"olmo", "OLMo 1 (to generate)", olmofamily::makeOlmoSpec, olmofamily::recipe,
                         causalfamily::isIgnored};
const Family kOlmo2Family{"olmo2", "OLMo 2 (to generate)", olmofamily::makeOlmo2Spec, olmofamily::recipe,
                          causalfamily::isIgnored};
const Family kOlmoeFamily{"olmoe", "OLMoE (to generate)", olmofamily::makeOlmoeSpec, causalfamily::qwenExpertRecipe,
                          causalfamily::isIgnored};
const Family kOlmo3Family{"olmo3", "OLMo 3 (to generate)", olmofamily::makeOlmo3Spec, olmofamily::recipe,
                          causalfamily::isIgnored};

} // namespace headscope
