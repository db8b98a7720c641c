// Qwen2MoeForCausalLM and Qwen3MoeForCausalLM: Qwen with experts, beside which the former has a layer for all
// positions.
#include "core/model/families/causal.h"

#include <algorithm>

namespace headscope {
namespace qwenmoefamily {

using namespace causalfamily;

/// Layers without experts have one feed-forward layer, of the width `dense`.
void useLayer(SubLayer &sub, const std::vector<bool> &isDense, std::int64_t dense)
{
    auto *feedForward = std::get_if<FeedForwardSpec>(&sub.part);
    if (!feedForward || !isDense[static_cast<std::size_t>(sub.layer)])
        return;
    feedForward->experts.reset();
    feedForward->width = dense;
}

Result<TransformerSpec> makeQwen2Spec(const nlohmann::json &config, const nlohmann::json &generationConfig)
{
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = "qwen2_moe",
                        .vocabulary = 151936,
                        .width = 2048,
                        .layers = 24,
                        .heads = 16,
                        .keyHeads = 16,
                        .feedForward = 5632,
                        .positions = 1 << 15},
                       keys);
    const bool biases = keys.flag("qkv_bias", true);
    draft.shape.attention.biases = {biases, biases, biases, false};
    const std::int64_t dense = readExperts(draft,
                                           {.count = 60,
                                            .chosen = 4,
                                            .width = "moe_intermediate_size",
                                            .widthDefault = 1408,
                                            .normalized = "norm_topk_prob"},
                                           keys);
    draft.shape.feedForward.width = keys.integer({"shared_expert_intermediate_size"}, 5632, 1, 1 << 20);
    draft.shape.feedForward.experts->gatesShared = true;
    const auto isDense = denseLayers(config, draft.shape.layers, keys);
    const std::int64_t window = keys.flag("use_sliding_window", false) ? slidingWindow(4096, keys) : 0;
    const std::int64_t most = keys.integer({"max_window_layers"}, 28, 0, 1 << 20);
    const auto sliding = slidingLayers(
        config, draft.shape.layers,
        [&](std::int64_t layer) { return window > 0 && (layer + 1) % 2 != 0 && layer < most; }, keys);
    if (window == 0 && std::ranges::find(sliding, true) != sliding.end())
        keys.fail("\"layer_types\" has \"sliding_attention\", but \"use_sliding_window\" is not true.");
    const auto reach = reachOf(window, draft.spec.maxPositions);
    return finished(std::move(draft), config, keys, [&](SubLayer &sub) {
        useLayer(sub, isDense, dense);
        if (AttentionSpec *attention = slidingAttention(sub, sliding))
            attention->reach = reach;
    });
}

Result<TransformerSpec> makeQwen3Spec(const nlohmann::json &config, const nlohmann::json &generationConfig)
{
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = "qwen3_moe",
                        .vocabulary = 151936,
                        .width = 2048,
                        .layers = 24,
                        .keyHeads = 4,
                        .feedForward = 6144,
                        .positions = 1 << 15},
                       keys);
    setBiases(draft.shape.attention, keys.flag("attention_bias", false));
    draft.shape.attention.headNorm = HeadNorm{false, draft.spec.norm.epsilon};
    const std::int64_t dense = readExperts(draft,
                                           {.count = 128,
                                            .chosen = 8,
                                            .width = "moe_intermediate_size",
                                            .widthDefault = 768,
                                            .normalized = "norm_topk_prob"},
                                           keys);
    const auto isDense = denseLayers(config, draft.shape.layers, keys);
    if (keys.flag("use_sliding_window", false))
        draft.shape.attention.reach = reachOf(slidingWindow(4096, keys), draft.spec.maxPositions);
    return finished(std::move(draft), config, keys, [&](SubLayer &sub) { useLayer(sub, isDense, dense); });
}

} // namespace qwenmoefamily

extern const Family kQwen2MoeFamily, kQwen3MoeFamily;
const Family kQwen2MoeFamily{"qwen2_moe", "Qwen 1.5 and Qwen2 with experts (to generate or to classify)",
                             qwenmoefamily::makeQwen2Spec, causalfamily::qwenExpertRecipe, causalfamily::isIgnored};
const Family kQwen3MoeFamily{"qwen3_moe", "Qwen3 with experts (to generate or to classify)",
                             qwenmoefamily::makeQwen3Spec, causalfamily::qwenExpertRecipe, causalfamily::isIgnored};

} // namespace headscope
