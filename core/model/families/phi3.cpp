// Phi3ForCausalLM (Phi-3, Phi-3.5 mini, Phi-4): a decoder of Llama's shape whose queries, keys and values are one
// matrix, and so are the gates and inputs of feed-forward layers.
#include "core/model/families/causal.h"

namespace headscope {
namespace phi3family {

using namespace causalfamily;

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(file, {{"bos_token_id", 1},
                                                      {"eos_token_id", 32000},
                                                      {"pad_token_id", 32000},
                                                      {"original_max_position_embeddings", 4096}});
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = "phi3",
                        .vocabulary = 32064,
                        .width = 3072,
                        .feedForward = 8192,
                        .positions = 4096,
                        .epsilon = 1e-5,
                        .rotary = {.otherNames = true}},
                       keys);
    if (const std::int64_t window = slidingWindow(0, keys); window > 0)
        draft.shape.attention.reach = reachOf(window, draft.spec.maxPositions);
    return finished(std::move(draft), config, keys);
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    static constexpr NamePart kParts[] = {
        {".self.query.", ".self_attn.qkv_proj."},    {".self.key.", ".self_attn.qkv_proj."},
        {".self.value.", ".self_attn.qkv_proj."},    {".feed_forward.gate.", ".mlp.gate_up_proj."},
        {".feed_forward.in.", ".mlp.gate_up_proj."},
    };
    return withFusedGates(llamaRecipe(slot, kParts), slot);
}

} // namespace phi3family

extern const Family kPhi3Family;
const Family kPhi3Family{
    "phi3", "Phi-3, Phi-3.5 mini, Phi-4 (to generate or to classify), in texts up to original_max_position_embeddings",
    phi3family::makeSpec, phi3family::recipe, causalfamily::isIgnored};

} // namespace headscope
