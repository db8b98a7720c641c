// GPTJForCausalLM and CodeGenForCausalLM: decoders whose attention and feed-forward layers lie side by side behind one
// norm, without biases in attention, neighbouring columns of a part of each head turned, a bias of the output. CodeGen
// has queries, values and keys in one tensor, divided among four cores.
#include "core/model/families/causal.h"

namespace headscope {
namespace gptjfamily {

using namespace causalfamily;

constexpr std::int64_t kCores = 4;

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig, const char *family)
{
    const nlohmann::json config
        = withGptNames(withDefaults(file, {{"bos_token_id", 50256}, {"eos_token_id", 50256}}), 4096);
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = family,
                        .vocabulary = 50400,
                        .layers = 28,
                        .heads = 16,
                        .activationKey = "activation_function",
                        .activation = "gelu_new",
                        .epsilonKey = "layer_norm_epsilon",
                        .epsilon = 1e-5,
                        .gated = false,
                        .turned = false},
                       keys);
    setPositions(draft, {PositionTable::None, 0, false}, keys);
    draft.spec.outputBias = !draft.spec.classifier;
    draft.shape.feedForward.biases = true;
    AttentionSpec &attention = draft.shape.attention;
    RotarySpec rotary;
    rotary.neighbours = true;
    rotary.width = config.contains("rotary_dim") && config.at("rotary_dim").is_null()
                     ? 0
                     : keys.integer({"rotary_dim"}, 64, 1, 1 << 16);
    if (rotary.width < 2 || rotary.width % 2 != 0 || rotary.width > attention.headWidth)
        keys.fail("\"rotary_dim\" does not say how many columns of a head of width "
                  + std::to_string(attention.headWidth) + " are turned: an even number from 2 up to that.");
    attention.rotary = rotary;
    if (std::string_view(family) == "codegen" && attention.allHeads % kCores != 0)
        keys.fail("\"n_head\" " + std::to_string(attention.allHeads) + " is not a multiple of 4.");
    return finished(std::move(draft), config, keys,
                    [](SubLayer &sub) { sub.beside = sub.sharesNorm = sub.feedForward() != nullptr; });
}

Result<TransformerSpec> makeGptJSpec(const nlohmann::json &config, const nlohmann::json &generationConfig)
{
    return makeSpec(config, generationConfig, "gptj");
}

Result<TransformerSpec> makeCodeGenSpec(const nlohmann::json &config, const nlohmann::json &generationConfig)
{
    return makeSpec(config, generationConfig, "codegen");
}

/// "decoder.2.self.out.weight" → "h.2.attn.out_proj.weight"
TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    static constexpr NamePart kParts[] = {
        {".self.query.", ".attn.q_proj."}, {".self.key.", ".attn.k_proj."},      {".self.value.", ".attn.v_proj."},
        {".self.out.", ".attn.out_proj."}, {".feed_forward.in.", ".mlp.fc_in."}, {".feed_forward.out.", ".mlp.fc_out."},
    };
    return gpt2Recipe(slot, kParts);
}

TensorRecipe codeGenRecipe(const std::string &slot, const TransformerSpec &spec)
{
    TensorRecipe own = recipe(slot, spec);
    for (std::string &name : own.names) {
        for (const char *part : {".q_proj.", ".k_proj.", ".v_proj."}) {
            if (const auto at = name.find(part); at != std::string::npos) {
                name.replace(at, std::string_view(part).size(), ".qkv_proj.");
                own.fused = fusedParts(slot, {"query", "value", "key"});
                const AttentionSpec &attention = spec.attention(HeadKind::Decoder, layerOf(slot));
                own.stretches = attention.headCount() == attention.allHeads ? kCores : 1;
            }
        }
    }
    return own;
}

bool isIgnored(std::string_view name)
{
    return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias") || name.ends_with(".attn.causal_mask")
        || name.ends_with(".attn.embed_positions") || name == "lm_head.weight";
}

} // namespace gptjfamily

extern const Family kGptJFamily, kCodeGenFamily;
const Family kGptJFamily{"gptj", "GPT-J (to generate or to classify)", gptjfamily::makeGptJSpec, gptjfamily::recipe,
                         gptjfamily::isIgnored};
const Family kCodeGenFamily{"codegen", "CodeGen (to generate)", gptjfamily::makeCodeGenSpec, gptjfamily::codeGenRecipe,
                            gptjfamily::isIgnored};

} // namespace headscope
