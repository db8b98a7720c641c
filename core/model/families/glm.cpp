// GlmForCausalLM and Glm4ForCausalLM (GLM-4): decoders of Llama's shape, of whose heads a part is turned by
// neighbouring columns; the second also norms what sub-layers add.
#include "core/model/families/causal.h"

namespace headscope {
namespace glmfamily {

using namespace causalfamily;

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig, const char *family,
                                 NormPlacement norms)
{
    const nlohmann::json config = withDefaults(
        file, {{"pad_token_id", 151329}, {"eos_token_id", {151329, 151336, 151338}}, {"bos_token_id", nullptr}});
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = family,
                        .vocabulary = 151552,
                        .layers = 40,
                        .keyHeads = 2,
                        .headWidth = 128,
                        .feedForward = 13696,
                        .positions = 131072,
                        .epsilon = 1.5625e-7,
                        .rotary = {.shareDefault = 0.5, .neighbours = true}},
                       keys);
    draft.spec.norm.placement = norms;
    const bool biases = keys.flag("attention_bias", true);
    draft.shape.attention.biases = {biases, biases, biases, false};
    return finished(std::move(draft), config, keys);
}

Result<TransformerSpec> makeGlmSpec(const nlohmann::json &config, const nlohmann::json &generationConfig)
{
    return makeSpec(config, generationConfig, "glm", NormPlacement::Pre);
}

Result<TransformerSpec> makeGlm4Spec(const nlohmann::json &config, const nlohmann::json &generationConfig)
{
    return makeSpec(config, generationConfig, "glm4", NormPlacement::Around);
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    static constexpr NamePart kParts[] = {
        {".self.output_norm.", ".post_self_attn_layernorm."},
        {".feed_forward.output_norm.", ".post_mlp_layernorm."},
        {".feed_forward.gate.", ".mlp.gate_up_proj."},
        {".feed_forward.in.", ".mlp.gate_up_proj."},
    };
    return withFusedGates(llamaRecipe(slot, kParts), slot);
}

} // namespace glmfamily

extern const Family kGlmFamily, kGlm4Family;
const Family kGlmFamily{"glm", "GLM-4 9B as of 2024 (to generate or to classify)", glmfamily::makeGlmSpec,
                        glmfamily::recipe, causalfamily::isIgnored};
const Family kGlm4Family{"glm4", "GLM-4 0414, Z1 (to generate or to classify)", glmfamily::makeGlm4Spec,
                         glmfamily::recipe, causalfamily::isIgnored};

} // namespace headscope
