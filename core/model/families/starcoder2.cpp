// Starcoder2ForCausalLM: a decoder of Llama's shape with layer norms, biases and feed-forward layers without gates.
#include "core/model/families/causal.h"

namespace headscope {
namespace starcoder2family {

using namespace causalfamily;

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config
        = withDefaults(file, {{"bos_token_id", 50256}, {"eos_token_id", 50256}, {"sliding_window", nullptr}});
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = "starcoder2",
                        .vocabulary = 49152,
                        .width = 3072,
                        .layers = 30,
                        .heads = 24,
                        .keyHeads = 2,
                        .feedForward = 12288,
                        .positions = 4096,
                        .activation = "gelu_pytorch_tanh",
                        .epsilonKey = "norm_epsilon",
                        .epsilon = 1e-5,
                        .tied = true,
                        .gated = false},
                       keys);
    draft.spec.norm.kind = NormKind::Layer;
    const bool biases = keys.flag("use_bias", true);
    setBiases(draft.shape.attention, biases);
    draft.shape.feedForward.biases = biases;
    if (const std::int64_t window = slidingWindow(0, keys); window > 0)
        draft.shape.attention.reach = reachOf(window, draft.spec.maxPositions);
    return finished(std::move(draft), config, keys);
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    static constexpr NamePart kParts[] = {
        {".feed_forward.in.", ".mlp.c_fc."},
        {".feed_forward.out.", ".mlp.c_proj."},
    };
    return llamaRecipe(slot, kParts);
}

} // namespace starcoder2family

extern const Family kStarcoder2Family;
const Family kStarcoder2Family{"starcoder2", "StarCoder 2 (to generate or to classify)", starcoder2family::makeSpec,
                               starcoder2family::recipe, causalfamily::isIgnored};

} // namespace headscope
