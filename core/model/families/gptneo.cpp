// GPTNeoForCausalLM: GPT-2's shape with queries, keys and values apart, scores that are not scaled, and layers that see
// what is near in turn with those that see everything.
#include "core/model/families/causal.h"

#include <variant>

namespace headscope {
namespace gptneofamily {

using namespace causalfamily;

/// Which layers are "local", by "attention_layers", or by "attention_types": [[["global", "local"], 12]].
std::vector<bool> localLayers(const nlohmann::json &config, std::int64_t layers, ConfigReader &keys)
{
    std::vector<bool> local;
    const auto addAll = [&](const nlohmann::json &kinds) {
        for (const auto &kind : kinds.is_array() ? kinds : nlohmann::json::array()) {
            if (kind != "global" && kind != "local")
                keys.fail("\"attention_types\" has " + kind.dump().substr(0, 60) + ", expected global or local.");
            local.push_back(kind == "local");
        }
    };
    const auto types = config.find("attention_types");
    if (types == config.end() || !types->is_array()) {
        addAll(config.value("attention_layers", nlohmann::json()));
    } else {
        for (const auto &type : *types) {
            const bool isPair = type.is_array() && type.size() == 2 && type[1].is_number_integer();
            for (std::int64_t i = 0; isPair && i < type[1].get<std::int64_t>() && std::ssize(local) <= layers; ++i)
                addAll(type[0]);
        }
    }
    if (std::ssize(local) != layers)
        keys.fail("\"attention_types\" does not say of each of the " + std::to_string(layers)
                  + " layers (\"num_layers\") whether it is global or local.");
    local.resize(static_cast<std::size_t>(layers));
    return local;
}

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json inTurn = nlohmann::json::parse(R"([[["global", "local"], 12]])");
    const nlohmann::json tokens
        = withDefaults(file, {{"bos_token_id", 50256}, {"eos_token_id", 50256}, {"attention_types", inTurn}});
    const nlohmann::json config = withGptNames(
        withNames(tokens, {{"num_hidden_layers", "num_layers"}, {"num_attention_heads", "num_heads"}}), 2048);
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = "gpt_neo",
                        .vocabulary = 50257,
                        .width = 2048,
                        .layers = 24,
                        .heads = 16,
                        .activationKey = "activation_function",
                        .activation = "gelu_new",
                        .epsilonKey = "layer_norm_epsilon",
                        .epsilon = 1e-5,
                        .tied = true,
                        .gated = false,
                        .turned = false},
                       keys);
    setPositions(draft, {PositionTable::Learned, 0, false}, keys);
    draft.shape.feedForward.biases = true;
    draft.shape.attention.biases.out = true;
    draft.shape.attention.scale = 1;
    const auto local = localLayers(config, draft.shape.layers, keys);
    const auto reach = reachOf(keys.integer({"window_size"}, 256, 1, 1 << 30), draft.spec.maxPositions);
    return finished(std::move(draft), config, keys, [&](SubLayer &sub) {
        if (AttentionSpec *attention = slidingAttention(sub, local))
            attention->reach = reach;
    });
}

/// "decoder.2.self.out.weight" → "h.2.attn.attention.out_proj.weight"
TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    static constexpr NamePart kParts[] = {
        {".self.query.", ".attn.attention.q_proj."},
        {".self.key.", ".attn.attention.k_proj."},
        {".self.value.", ".attn.attention.v_proj."},
        {".self.out.", ".attn.attention.out_proj."},
    };
    return gpt2Recipe(slot, kParts);
}

bool isIgnored(std::string_view name)
{
    return name.ends_with(".attention.bias") || name.ends_with(".attention.masked_bias") || name == "lm_head.weight";
}

} // namespace gptneofamily

extern const Family kGptNeoFamily;
const Family kGptNeoFamily{"gpt_neo", "GPT-Neo (to generate or to classify)", gptneofamily::makeSpec,
                           gptneofamily::recipe, gptneofamily::isIgnored};

} // namespace headscope
