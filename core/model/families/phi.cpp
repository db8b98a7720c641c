// PhiForCausalLM (Phi-1, Phi-1.5, Phi-2): a decoder whose attention and feed-forward layers lie side by side behind one
// norm, with biases everywhere, also of the output, and half of each head turned.
#include "core/model/families/causal.h"

namespace headscope {
namespace phifamily {

using namespace causalfamily;

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(file, {{"bos_token_id", 1}, {"eos_token_id", 2}});
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = "phi",
                        .vocabulary = 51200,
                        .width = 2048,
                        .layers = 24,
                        .feedForward = 8192,
                        .activation = "gelu_new",
                        .epsilonKey = "layer_norm_eps",
                        .epsilon = 1e-5,
                        .gated = false,
                        .rotary = {.shareDefault = 0.5}},
                       keys);
    draft.spec.norm.kind = NormKind::Layer;
    draft.spec.outputBias = true;
    setBiases(draft.shape.attention, true);
    draft.shape.feedForward.biases = true;
    if (keys.flag("qk_layernorm", false))
        keys.fail("\"qk_layernorm\" is true; Headscope opens this family without norms of queries and keys.");
    return finished(std::move(draft), config, keys,
                    [](SubLayer &sub) { sub.beside = sub.sharesNorm = sub.feedForward() != nullptr; });
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    static constexpr NamePart kParts[] = {
        {"decoder.norm.", "final_layernorm."},
        {".self.out.", ".self_attn.dense."},
        {".feed_forward.in.", ".mlp.fc1."},
        {".feed_forward.out.", ".mlp.fc2."},
    };
    return llamaRecipe(slot, kParts);
}

} // namespace phifamily

extern const Family kPhiFamily;
const Family kPhiFamily{"phi", "Phi-1, Phi-1.5, Phi-2, without norms of queries and keys (to generate or to classify)",
                        phifamily::makeSpec, phifamily::recipe, causalfamily::isIgnored};

} // namespace headscope
