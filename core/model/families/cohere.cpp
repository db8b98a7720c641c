// CohereForCausalLM and Cohere2ForCausalLM (Command R, Aya): decoders whose attention and feed-forward layers lie side
// by side behind one layer norm without biases, neighbouring columns turned, logits scaled. The second has windows in
// most layers, and no positions in the others.
#include "core/model/families/causal.h"

namespace headscope {
namespace coherefamily {

using namespace causalfamily;

nlohmann::json withTokens(const nlohmann::json &file)
{
    return withDefaults(file, {{"pad_token_id", 0}, {"bos_token_id", 5}, {"eos_token_id", 255001}});
}

Draft draftOf(const nlohmann::json &config, const nlohmann::json &generationConfig, const char *family,
              ConfigReader &keys)
{
    // A file without a base is read with another by transformers 5.
    const double base = std::string_view(family) == "cohere" && isOfVersion5(config) ? 500000 : 10000;
    Draft draft = read(config, generationConfig,
                       {.family = family,
                        .vocabulary = 256000,
                        .width = 8192,
                        .layers = 40,
                        .heads = 64,
                        .feedForward = 22528,
                        .positions = 8192,
                        .epsilonKey = "layer_norm_eps",
                        .epsilon = 1e-5,
                        .tied = true,
                        .rotary = {.baseDefault = base, .neighbours = true}},
                       keys);
    draft.spec.norm.kind = NormKind::Layer;
    draft.spec.norm.biased = false;
    draft.spec.outputScale = keys.number("logit_scale", 0.0625);
    setBiases(draft.shape.attention, keys.flag("attention_bias", false));
    return draft;
}

Result<TransformerSpec> makeCohereSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withTokens(file);
    ConfigReader keys(config);
    Draft draft = draftOf(config, generationConfig, "cohere", keys);
    if (keys.flag("use_qk_norm", false))
        draft.shape.attention.headNorm = HeadNorm{false, draft.spec.norm.epsilon, NormKind::Layer, false, true};
    return finished(std::move(draft), config, keys,
                    [](SubLayer &sub) { sub.beside = sub.sharesNorm = sub.feedForward() != nullptr; });
}

Result<TransformerSpec> makeCohere2Spec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(withTokens(file), {{"sliding_window", 4096}});
    ConfigReader keys(config);
    Draft draft = draftOf(config, generationConfig, "cohere2", keys);
    const std::int64_t pattern = keys.integer({"sliding_window_pattern", "_sliding_window_pattern"}, 4, 1, 1 << 20);
    const std::int64_t window = slidingWindow(0, keys);
    if (window == 0)
        keys.fail("\"sliding_window\" is null; Headscope opens this family with windows, which have the positions.");
    const auto sliding = slidingLayers(
        config, draft.shape.layers, [&](std::int64_t layer) { return (layer + 1) % pattern != 0; }, keys);
    const auto reach = reachOf(window, draft.spec.maxPositions);
    return finished(std::move(draft), config, keys, [&](SubLayer &sub) {
        sub.beside = sub.sharesNorm = sub.feedForward() != nullptr;
        if (AttentionSpec *attention = slidingAttention(sub, sliding))
            attention->reach = reach;
        else if (auto *whole = std::get_if<AttentionSpec>(&sub.part))
            whole->rotary.reset();
    });
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    return llamaRecipe(slot);
}

} // namespace coherefamily

extern const Family kCohereFamily, kCohere2Family;
const Family kCohereFamily{"cohere", "Command R, Aya 23 (to generate)", coherefamily::makeCohereSpec,
                           coherefamily::recipe, causalfamily::isIgnored};
const Family kCohere2Family{"cohere2", "Command R7B, Command A, some layers of which have no positions (to generate)",
                            coherefamily::makeCohere2Spec, coherefamily::recipe, causalfamily::isIgnored};

} // namespace headscope
