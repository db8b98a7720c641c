// GptOssForCausalLM: experts with biases, whose columns of gate and input lie alternately, a learnt score of every head
// that takes part in its softmax, windows in every second layer. Experts may be stored in MXFP4.
#include "core/model/families/causal.h"

namespace headscope {
namespace gptossfamily {

using namespace causalfamily;

void readFeedForward(Draft &draft, ConfigReader &keys)
{
    (void)readExperts(draft, {.count = 128, .chosen = 4}, keys);
    FeedForwardSpec &feedForward = draft.shape.feedForward;
    feedForward.biases = true;
    feedForward.experts->biasedRouter = true;
    feedForward.activation = Activation::QuickGelu; // the class never asks "hidden_act"
    feedForward.limit = keys.number("swiglu_limit", 7);
    if (!(feedForward.limit > 0))
        keys.fail("\"swiglu_limit\" is " + std::to_string(feedForward.limit) + ", expected a positive number.");
    if (const double alpha = keys.number("swiglu_alpha", 1.702); alpha != 1.702)
        keys.fail("\"swiglu_alpha\" is " + std::to_string(alpha) + "; Headscope opens this family with 1.702.");
}

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json yarn{{"rope_type", "yarn"}, {"factor", 32.0},    {"beta_fast", 32.0},
                              {"beta_slow", 1.0},    {"truncate", false}, {"original_max_position_embeddings", 4096}};
    nlohmann::json config = withDefaults(file, {{"sliding_window", 128}});
    if (!config.contains("rope_parameters") && !config.contains("rope_scaling"))
        config["rope_scaling"] = yarn;
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = "gpt_oss",
                        .vocabulary = 201088,
                        .width = 2880,
                        .layers = 36,
                        .heads = 64,
                        .keyHeads = 8,
                        .headWidth = 64,
                        .feedForward = 2880,
                        .positions = 131072,
                        .epsilon = 1e-5,
                        .rotary = {.baseDefault = 150000}},
                       keys);
    setBiases(draft.shape.attention, keys.flag("attention_bias", true));
    draft.shape.attention.sinks = true;
    readFeedForward(draft, keys);
    const auto sliding = slidingLayers(
        config, draft.shape.layers, [](std::int64_t layer) { return (layer + 1) % 2 != 0; }, keys);
    const std::int64_t window = slidingWindow(0, keys);
    const auto reach = window > 0 ? reachOf(window, draft.spec.maxPositions) : std::nullopt;
    return finished(std::move(draft), config, keys, [&](SubLayer &sub) {
        if (AttentionSpec *attention = slidingAttention(sub, sliding))
            attention->reach = reach;
    });
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &spec)
{
    static constexpr NamePart kParts[]
        = {{".self.sinks", ".self_attn.sinks"}, {".feed_forward.router.", ".mlp.router."}};
    const auto expert = expertOf(slot);
    if (!expert)
        return llamaRecipe(slot, kParts);
    const bool isOut = slot.find(".out.") != std::string::npos;
    const std::string name = "layers." + std::to_string(layerOf(slot)) + ".mlp.experts."
                           + (isOut ? "down_proj" : "gate_up_proj") + (slot.ends_with(".bias") ? "_bias" : "");
    TensorRecipe recipe{{"model." + name, name}};
    recipe.transposed = true;
    if (!isOut) {
        recipe.fused = fusedParts(slot, {"gate", "in"});
        for (const SubLayer &sub : spec.decoder->subLayers) {
            if (sub.layer == layerOf(slot) && sub.feedForward())
                recipe.stretches = sub.feedForward()->experts->width; // one column of each after the other
        }
    }
    recipe.slices = expertsIn(spec, layerOf(slot));
    recipe.slice = *expert;
    return recipe;
}

} // namespace gptossfamily

extern const Family kGptOssFamily;
const Family kGptOssFamily{"gpt_oss", "gpt-oss, experts in MXFP4 or not (to generate or to classify)",
                           gptossfamily::makeSpec, gptossfamily::recipe, causalfamily::isIgnored};

} // namespace headscope
