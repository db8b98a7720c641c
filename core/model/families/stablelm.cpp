// StableLmForCausalLM: a decoder of Llama's shape with layer norms, a part of each head turned, and perhaps attention
// and feed-forward side by side behind one norm.
#include "core/model/families/causal.h"

namespace headscope {
namespace stablelmfamily {

using namespace causalfamily;

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(file, {{"bos_token_id", 0}, {"eos_token_id", 0}});
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = "stablelm",
                        .vocabulary = 50304,
                        .width = 2560,
                        .keyHeads = 32,
                        .feedForward = 6912,
                        .positions = 4096,
                        .epsilonKey = "layer_norm_eps",
                        .epsilon = 1e-5,
                        .rotary = {.shareDefault = 0.25}},
                       keys);
    draft.spec.norm.kind = NormKind::Layer;
    const bool biases = keys.flag("use_qkv_bias", false);
    draft.shape.attention.biases = {biases, biases, biases, false};
    if (keys.flag("qk_layernorm", false))
        keys.fail("\"qk_layernorm\" is true; Headscope opens this family without norms of queries and keys.");
    const bool beside = keys.flag("use_parallel_residual", false);
    return finished(std::move(draft), config, keys,
                    [&](SubLayer &sub) { sub.beside = sub.sharesNorm = beside && sub.feedForward(); });
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    return llamaRecipe(slot);
}

} // namespace stablelmfamily

extern const Family kStableLmFamily;
const Family kStableLmFamily{"stablelm",
                             "StableLM 2 and 3B, without norms of queries and keys (to generate or to classify)",
                             stablelmfamily::makeSpec, stablelmfamily::recipe, causalfamily::isIgnored};

} // namespace headscope
