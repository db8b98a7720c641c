// GPTBigCodeForCausalLM (StarCoder, SantaCoder): GPT-2's shape, all heads of which may share one key and one value.
#include "core/model/families/causal.h"

#include <cmath>

namespace headscope {
namespace gptbigcodefamily {

using namespace causalfamily;

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    nlohmann::json config = withGptNames(withDefaults(file, {{"bos_token_id", 50256}, {"eos_token_id", 50256}}), 768);
    const bool isShared = ConfigReader(config).flag("multi_query", true);
    config.erase("num_key_value_heads");
    if (isShared)
        config["num_key_value_heads"] = 1;
    ConfigReader keys(config);
    (void)keys.flag("multi_query", true); // an error, where it is no flag
    if (keys.flag("add_cross_attention", false))
        keys.fail("\"add_cross_attention\" is true; Headscope opens this family without an encoder.");
    Draft draft = read(config, generationConfig,
                       {.family = "gpt_bigcode",
                        .vocabulary = 50257,
                        .width = 768,
                        .layers = 12,
                        .heads = 12,
                        .positions = 1024,
                        .activationKey = "activation_function",
                        .activation = "gelu_pytorch_tanh",
                        .epsilonKey = "layer_norm_epsilon",
                        .epsilon = 1e-5,
                        .tied = true,
                        .gated = false,
                        .turned = false},
                       keys);
    setPositions(draft, {PositionTable::Learned, 0, false}, keys);
    setBiases(draft.shape.attention, true);
    draft.shape.feedForward.biases = true;
    if (!keys.flag("scale_attn_weights", true))
        draft.shape.attention.scale = 1;
    return finished(std::move(draft), config, keys);
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &spec)
{
    TensorRecipe recipe = gpt2Recipe(slot);
    if (recipe.names.back().find(".c_attn.") != std::string::npos) {
        recipe.fused = fusedParts(slot, {"query", "key", "value"});
        const AttentionSpec &attention = spec.attention(HeadKind::Decoder, layerOf(slot));
        if (attention.headsPerKey == 1) // head by head
            recipe.stretches = attention.headCount();
    }
    return recipe;
}

bool isIgnored(std::string_view name)
{
    return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias") || name == "lm_head.weight";
}

} // namespace gptbigcodefamily

extern const Family kGptBigCodeFamily;
const Family kGptBigCodeFamily{"gpt_bigcode", "GPT-BigCode: StarCoder, SantaCoder (to generate or to classify)",
                               gptbigcodefamily::makeSpec, gptbigcodefamily::recipe, gptbigcodefamily::isIgnored};

} // namespace headscope
