// MptForCausalLM: a decoder whose scores get a number for the distance of key and query (ALiBi), norms without biases,
// and no biases anywhere.
#include "core/model/families/causal.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace headscope {
namespace mptfamily {

using namespace causalfamily;

/// Those of the next power of two, every second one first where there are fewer heads.
std::vector<float> slopesOf(std::int64_t heads, double most)
{
    const auto whole = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(heads)));
    std::vector<float> slopes;
    for (std::int64_t h = 0; h < heads; ++h) {
        const std::int64_t place = whole == heads ? h : h < whole / 2 ? 2 * h + 1 : 2 * (h - whole / 2);
        slopes.push_back(
            static_cast<float>(std::pow(2.0, -static_cast<double>(place + 1) * most / static_cast<double>(whole))));
    }
    return slopes;
}

/// Settings that this class computes in one way only, whatever else Mosaic's files can say.
void refuseOthers(const nlohmann::json &config, const nlohmann::json &attention, ConfigReader &keys)
{
    const auto check = [&](const nlohmann::json &object, const char *key, const nlohmann::json &usual) {
        const auto found = object.find(key);
        if (found != object.end() && *found != usual)
            keys.fail('"' + std::string(key) + "\" is " + found->dump().substr(0, 60)
                      + "; Headscope opens this family with " + usual.dump() + '.');
    };
    check(attention, "alibi", true);
    check(attention, "alibi_bias_max", 8);
    check(attention, "attn_type", "multihead_attention");
    check(attention, "prefix_lm", false);
    check(attention, "qk_ln", false);
    check(config, "expansion_ratio", 4);
    check(config, "no_bias", true);
    check(config, "logit_scale", nullptr);
}

/// The part of config.json on the attention.
nlohmann::json attentionConfig(const nlohmann::json &config, ConfigReader &keys)
{
    const auto given = config.find("attn_config");
    if (given != config.end() && given->is_object())
        return *given;
    if (given != config.end() && !given->is_null())
        keys.fail("\"attn_config\" is " + given->dump().substr(0, 60) + ", expected an object.");
    return nlohmann::json::object();
}

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    nlohmann::json config = withNames(file, {{"hidden_size", "d_model"},
                                             {"num_attention_heads", "n_heads"},
                                             {"num_hidden_layers", "n_layers"},
                                             {"max_position_embeddings", "max_seq_len"}});
    config.erase("intermediate_size");
    config = withGptNames(config, 2048);
    ConfigReader keys(config);
    const nlohmann::json own = attentionConfig(config, keys);
    refuseOthers(config, own, keys);
    Draft draft = read(config, generationConfig,
                       {.family = "mpt",
                        .vocabulary = 50368,
                        .width = 2048,
                        .layers = 24,
                        .heads = 16,
                        .activationKey = nullptr,
                        .activation = "gelu",
                        .epsilonKey = "layer_norm_epsilon",
                        .epsilon = 1e-5,
                        .tied = true,
                        .gated = false,
                        .turned = false},
                       keys);
    setPositions(draft, {PositionTable::None, 0, false}, keys);
    draft.spec.norm.biased = false;
    ConfigReader inside(own);
    AttentionSpec &attention = draft.shape.attention;
    attention.scale = inside.number("softmax_scale", attention.scale);
    attention.clip = inside.number("clip_qkv", 0);
    if (inside.error())
        keys.fail("\"attn_config\": " + inside.error()->message.substr(std::string_view("config.json: ").size()));
    if (attention.clip < 0)
        keys.fail("\"clip_qkv\" is negative.");
    attention.slopes = slopesOf(std::max<std::int64_t>(1, attention.allHeads), 8);
    return finished(std::move(draft), config, keys);
}

/// "decoder.2.self.out.weight" → "blocks.2.attn.out_proj.weight"
TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    static constexpr NamePart kParts[] = {
        {"decoder.embedding", "wte.weight"},
        {"decoder.norm.", "norm_f."},
        {".self.norm.", ".norm_1."},
        {".self.query.", ".attn.Wqkv."},
        {".self.key.", ".attn.Wqkv."},
        {".self.value.", ".attn.Wqkv."},
        {".self.out.", ".attn.out_proj."},
        {".feed_forward.norm.", ".norm_2."},
        {".feed_forward.in.", ".ffn.up_proj."},
        {".feed_forward.out.", ".ffn.down_proj."},
        {"decoder.", "blocks."},
    };
    const std::string name = renamed(slot, kParts);
    TensorRecipe recipe = decoderRecipe(slot, "transformer.", name);
    if (name.find(".Wqkv.") != std::string::npos)
        recipe.fused = fusedParts(slot, {"query", "key", "value"});
    return recipe;
}

bool isIgnored(std::string_view name)
{
    return name == "lm_head.weight";
}

} // namespace mptfamily

extern const Family kMptFamily;
const Family kMptFamily{"mpt", "MPT, as transformers computes it (to generate or to classify)", mptfamily::makeSpec,
                        mptfamily::recipe, mptfamily::isIgnored};

} // namespace headscope
