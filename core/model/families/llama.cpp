// LlamaForCausalLM, MistralForCausalLM, Qwen2ForCausalLM and Qwen3ForCausalLM: decoders without memory, RMS norms,
// rotary positions, gated feed-forward layers; several heads may share their keys and values.
#include "core/model/families/causal.h"

#include <algorithm>

namespace headscope {
namespace llamafamily {

using namespace causalfamily;

Result<TransformerSpec> makeLlamaSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(file, {{"bos_token_id", 1}, {"eos_token_id", 2}});
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig, {}, keys);
    setBiases(draft.shape.attention, keys.flag("attention_bias", false));
    draft.shape.feedForward.biases = keys.flag("mlp_bias", false);
    return finished(std::move(draft), config, keys);
}

Result<TransformerSpec> makeWindowedSpec(const nlohmann::json &file, const nlohmann::json &generationConfig,
                                         const char *family)
{
    const nlohmann::json config
        = withDefaults(file, {{"bos_token_id", 1}, {"eos_token_id", 2}, {"sliding_window", 4096}});
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = family, .keyHeads = 8, .feedForward = 14336, .positions = 1 << 17}, keys);
    // With "layer_types" transformers opens the file as Ministral, whose windows are those of some layers.
    const std::int64_t window = slidingWindow(0, keys);
    const auto sliding = slidingLayers(
        config, draft.shape.layers, [&](std::int64_t) { return window > 0; }, keys);
    if (window == 0 && std::ranges::find(sliding, true) != sliding.end())
        keys.fail("\"layer_types\" has \"sliding_attention\", but there is no \"sliding_window\".");
    const auto reach = reachOf(window, draft.spec.maxPositions);
    return finished(std::move(draft), config, keys, [&](SubLayer &sub) {
        if (AttentionSpec *attention = slidingAttention(sub, sliding))
            attention->reach = reach;
    });
}

Result<TransformerSpec> makeMistralSpec(const nlohmann::json &config, const nlohmann::json &generationConfig)
{
    return makeWindowedSpec(config, generationConfig, "mistral");
}

Result<TransformerSpec> makeMinistralSpec(const nlohmann::json &config, const nlohmann::json &generationConfig)
{
    return makeWindowedSpec(config, generationConfig, "ministral");
}

/// Qwen's window is that of the layers from "max_window_layers" on, if it is used at all.
Result<TransformerSpec> finishedQwen(Draft draft, const nlohmann::json &config, ConfigReader &keys)
{
    const std::int64_t window = keys.flag("use_sliding_window", false) ? slidingWindow(4096, keys) : 0;
    const std::int64_t from = keys.integer({"max_window_layers"}, 28, 0, 1 << 20);
    const auto sliding = slidingLayers(
        config, draft.shape.layers, [&](std::int64_t layer) { return window > 0 && layer >= from; }, keys);
    if (window == 0 && std::find(sliding.begin(), sliding.end(), true) != sliding.end())
        keys.fail("\"layer_types\" has \"sliding_attention\", but \"use_sliding_window\" is not true.");
    const auto reach = reachOf(window, draft.spec.maxPositions);
    return finished(std::move(draft), config, keys, [&](SubLayer &sub) {
        if (AttentionSpec *attention = slidingAttention(sub, sliding))
            attention->reach = reach;
    });
}

Result<TransformerSpec> makeQwen2Spec(const nlohmann::json &config, const nlohmann::json &generationConfig)
{
    ConfigReader keys(config);
    Draft draft = read(
        config, generationConfig,
        {.family = "qwen2", .vocabulary = 151936, .keyHeads = 32, .feedForward = 22016, .positions = 1 << 15}, keys);
    draft.shape.attention.biases = {true, true, true, false};
    return finishedQwen(std::move(draft), config, keys);
}

Result<TransformerSpec> makeQwen3Spec(const nlohmann::json &config, const nlohmann::json &generationConfig)
{
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = "qwen3",
                        .vocabulary = 151936,
                        .keyHeads = 32,
                        .headWidth = 128,
                        .feedForward = 22016,
                        .positions = 1 << 15},
                       keys);
    setBiases(draft.shape.attention, keys.flag("attention_bias", false));
    draft.shape.attention.headNorm = HeadNorm{false, draft.spec.norm.epsilon};
    return finishedQwen(std::move(draft), config, keys);
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    return llamaRecipe(slot);
}

} // namespace llamafamily

extern const Family kLlamaFamily, kMistralFamily, kMinistralFamily, kQwen2Family, kQwen3Family;
const Family kLlamaFamily{"llama", "Llama 1 to 3.3, SmolLM and others of its shape (to generate or to classify)",
                          llamafamily::makeLlamaSpec, llamafamily::recipe, causalfamily::isIgnored};
const Family kMistralFamily{"mistral", "Mistral, with or without windows (to generate or to classify)",
                            llamafamily::makeMistralSpec, llamafamily::recipe, causalfamily::isIgnored};
const Family kMinistralFamily{"ministral", "Ministral, with windows in some layers (to generate or to classify)",
                              llamafamily::makeMinistralSpec, llamafamily::recipe, causalfamily::isIgnored};
const Family kQwen2Family{"qwen2", "Qwen 1.5 to 2.5, with or without windows (to generate or to classify)",
                          llamafamily::makeQwen2Spec, llamafamily::recipe, causalfamily::isIgnored};
const Family kQwen3Family{"qwen3", "Qwen 3, without experts (to generate or to classify)", llamafamily::makeQwen3Spec,
                          llamafamily::recipe, causalfamily::isIgnored};

} // namespace headscope
