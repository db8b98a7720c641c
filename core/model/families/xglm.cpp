// XGLMForCausalLM: the decoder of BART's relatives by itself, norms before sub-layers, computed positions.
#include "core/model/families/causal.h"

#include <cmath>

namespace headscope {
namespace xglmfamily {

using namespace causalfamily;

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config
        = withNames(withDefaults(file, {{"pad_token_id", 1}, {"bos_token_id", 0}, {"eos_token_id", 2}}),
                    {{"hidden_size", "d_model"},
                     {"num_attention_heads", "attention_heads"},
                     {"num_hidden_layers", "num_layers"},
                     {"intermediate_size", "ffn_dim"}});
    ConfigReader keys(config);
    if (keys.flag("add_cross_attention", false))
        keys.fail("\"add_cross_attention\" is true; Headscope opens this family without an encoder.");
    if (const std::int64_t padding = keys.integer({"pad_token_id"}, 1, 0, 1 << 26); padding > 1)
        keys.fail("\"pad_token_id\" is " + std::to_string(padding)
                  + ", which takes a position away; Headscope opens this family with 1.");
    Draft draft = read(config, generationConfig,
                       {.family = "xglm",
                        .vocabulary = 256008,
                        .width = 1024,
                        .layers = 24,
                        .heads = 16,
                        .feedForward = 4096,
                        .activationKey = "activation_function",
                        .activation = "gelu",
                        .epsilonKey = nullptr,
                        .epsilon = 1e-5,
                        .tied = true,
                        .gated = false,
                        .turned = false},
                       keys);
    setPositions(draft, {PositionTable::SinusoidalFairseq, 2, false}, keys);
    setBiases(draft.shape.attention, true);
    draft.shape.feedForward.biases = true;
    if (keys.flag("scale_embedding", true))
        draft.spec.embeddingScale = std::sqrt(static_cast<double>(draft.spec.width));
    return finished(std::move(draft), config, keys);
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    static constexpr NamePart kParts[] = {
        {"decoder.norm.", "layer_norm."},       {".self.norm.", ".self_attn_layer_norm."},
        {".self.out.", ".self_attn.out_proj."}, {".feed_forward.norm.", ".final_layer_norm."},
        {".feed_forward.in.", ".fc1."},         {".feed_forward.out.", ".fc2."},
    };
    return llamaRecipe(slot, kParts);
}

bool isIgnored(std::string_view name)
{
    return name == "lm_head.weight" || name.ends_with("embed_positions.weights");
}

} // namespace xglmfamily

extern const Family kXglmFamily;
const Family kXglmFamily{"xglm", "XGLM (to generate)", xglmfamily::makeSpec, xglmfamily::recipe, xglmfamily::isIgnored};

} // namespace headscope
