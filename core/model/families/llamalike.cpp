// Decoders of Llama's shape that differ from it in a flag or two: Nemotron and Arcee (squares of ReLU in the place of
// gates), Ernie 4.5 and Helium (neighbouring columns turned), EXAONE 4 (norms of what sub-layers add, layers without
// positions), Seed-OSS (biases).
#include "core/model/families/causal.h"

#include <algorithm>
#include <iterator>
#include <variant>

namespace headscope {
namespace llamalikefamily {

using namespace causalfamily;

Result<TransformerSpec> makeNemotronSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(file, {{"bos_token_id", 2}, {"eos_token_id", 3}});
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = "nemotron",
                        .vocabulary = 256000,
                        .width = 6144,
                        .heads = 48,
                        .feedForward = 24576,
                        .positions = 4096,
                        .activation = "relu2",
                        .epsilonKey = "norm_eps",
                        .epsilon = 1e-5,
                        .gated = false,
                        .rotary = {.shareDefault = 0.5}},
                       keys);
    draft.spec.norm.kind = NormKind::Layer;
    setBiases(draft.shape.attention, keys.flag("attention_bias", false));
    draft.shape.feedForward.biases = keys.flag("mlp_bias", false);
    return finished(std::move(draft), config, keys);
}

TensorRecipe nemotronRecipe(const std::string &slot, const TransformerSpec &)
{
    TensorRecipe recipe = llamaRecipe(slot);
    recipe.lessOne = slot.ends_with("norm.weight");
    return recipe;
}

Result<TransformerSpec> makeArceeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(file, {{"bos_token_id", 128000}, {"eos_token_id", 128001}});
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = "arcee",
                        .width = 2560,
                        .feedForward = 18432,
                        .positions = 4096,
                        .activation = "relu2",
                        .epsilon = 1e-5,
                        .gated = false},
                       keys);
    setBiases(draft.shape.attention, keys.flag("attention_bias", false));
    draft.shape.feedForward.biases = keys.flag("mlp_bias", false);
    return finished(std::move(draft), config, keys);
}

Result<TransformerSpec> makeErnieSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(file, {{"pad_token_id", 0}, {"bos_token_id", 1}, {"eos_token_id", 2}});
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = "ernie4_5",
                        .vocabulary = 103424,
                        .width = 1024,
                        .layers = 18,
                        .heads = 16,
                        .keyHeads = 2,
                        .headWidth = 128,
                        .feedForward = 3072,
                        .positions = 131072,
                        .epsilon = 1e-5,
                        .tied = true,
                        .rotary = {.baseDefault = 500000, .neighbours = true}},
                       keys);
    const bool biases = keys.flag("use_bias", false);
    setBiases(draft.shape.attention, biases);
    draft.shape.feedForward.biases = biases;
    return finished(std::move(draft), config, keys);
}

Result<TransformerSpec> makeHeliumSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(file, {{"pad_token_id", 3}, {"bos_token_id", 1}, {"eos_token_id", 2}});
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = "helium",
                        .vocabulary = 48000,
                        .width = 2560,
                        .layers = 24,
                        .heads = 20,
                        .keyHeads = 20,
                        .headWidth = 128,
                        .feedForward = 7040,
                        .positions = 4096,
                        .epsilon = 1e-8,
                        .rotary = {.baseDefault = 100000, .neighbours = true}},
                       keys);
    const bool biases = keys.flag("attention_bias", false);
    draft.shape.attention.biases = {biases, biases, biases, false};
    draft.shape.feedForward.biases = keys.flag("mlp_bias", false);
    return finished(std::move(draft), config, keys);
}

/// Layers that see everything have no positions beside layers with windows.
Result<TransformerSpec> makeExaoneSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config
        = withDefaults(file, {{"bos_token_id", 0}, {"eos_token_id", 2}, {"sliding_window", 4096}});
    ConfigReader keys(config);
    Draft draft = read(
        config, generationConfig,
        {.family = "exaone4", .vocabulary = 102400, .keyHeads = 32, .feedForward = 16384, .epsilon = 1e-5}, keys);
    draft.spec.norm.placement = NormPlacement::Output;
    draft.shape.attention.headNorm = HeadNorm{false, draft.spec.norm.epsilon};
    const std::int64_t window = slidingWindow(0, keys);
    const bool isText = config.contains("sliding_window_pattern") && config.at("sliding_window_pattern").is_string();
    const std::int64_t pattern // "LLLG": as many as it has letters
        = isText ? std::max<std::int64_t>(1, std::ssize(keys.text("sliding_window_pattern", "")))
                 : keys.integer({"sliding_window_pattern"}, 4, 1, 1 << 20);
    const auto sliding = slidingLayers(
        config, draft.shape.layers, [&](std::int64_t layer) { return window > 0 && (layer + 1) % pattern != 0; }, keys);
    const auto reach = window > 0 ? reachOf(window, draft.spec.maxPositions) : std::nullopt;
    return finished(std::move(draft), config, keys, [&](SubLayer &sub) {
        if (AttentionSpec *attention = slidingAttention(sub, sliding))
            attention->reach = reach;
        else if (auto *whole = std::get_if<AttentionSpec>(&sub.part); whole && window > 0)
            whole->rotary.reset();
    });
}

TensorRecipe exaoneRecipe(const std::string &slot, const TransformerSpec &)
{
    static constexpr NamePart kParts[] = {
        {".self.output_norm.", ".post_attention_layernorm."},
        {".feed_forward.output_norm.", ".post_feedforward_layernorm."},
    };
    return llamaRecipe(slot, kParts);
}

Result<TransformerSpec> makeSeedSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(file, {{"pad_token_id", 1}, {"bos_token_id", 0}, {"eos_token_id", 2}});
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = "seed_oss",
                        .vocabulary = 155136,
                        .layers = 64,
                        .heads = 80,
                        .keyHeads = 8,
                        .headWidth = 128,
                        .feedForward = 27648,
                        .positions = 524288},
                       keys);
    const bool biases = keys.flag("attention_bias", true);
    draft.shape.attention.biases = {biases, biases, biases, keys.flag("attention_out_bias", false)};
    draft.shape.feedForward.biases = keys.flag("mlp_bias", false);
    return finished(std::move(draft), config, keys);
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    return llamaRecipe(slot);
}

} // namespace llamalikefamily

extern const Family kNemotronFamily, kArceeFamily, kErnieFamily, kHeliumFamily, kExaone4Family, kSeedOssFamily;
const Family kNemotronFamily{"nemotron", "Nemotron 4, Minitron (to generate or to classify)",
                             llamalikefamily::makeNemotronSpec, llamalikefamily::nemotronRecipe,
                             causalfamily::isIgnored};
const Family kArceeFamily{"arcee", "Arcee AFM (to generate or to classify)", llamalikefamily::makeArceeSpec,
                          llamalikefamily::recipe, causalfamily::isIgnored};
const Family kErnieFamily{"ernie4_5", "ERNIE 4.5 without experts (to generate)", llamalikefamily::makeErnieSpec,
                          llamalikefamily::recipe, causalfamily::isIgnored};
const Family kHeliumFamily{"helium", "Helium 1 (to generate or to classify)", llamalikefamily::makeHeliumSpec,
                           llamalikefamily::recipe, causalfamily::isIgnored};
const Family kExaone4Family{"exaone4", "EXAONE 4, some layers of which have no positions (to generate or to classify)",
                            llamalikefamily::makeExaoneSpec, llamalikefamily::exaoneRecipe, causalfamily::isIgnored};
const Family kSeedOssFamily{"seed_oss", "Seed-OSS (to generate or to classify)", llamalikefamily::makeSeedSpec,
                            llamalikefamily::recipe, causalfamily::isIgnored};

} // namespace headscope
