// GraniteForCausalLM and GraniteMoeForCausalLM: decoders of Llama's shape with factors of embeddings, scores, what
// sub-layers add, and logits; the second with experts that lie stacked in one tensor.
#include "core/model/families/causal.h"

#include <cmath>

namespace headscope {
namespace granitefamily {

using namespace causalfamily;

/// A factor, or a divisor, that config.json may set.
double factor(const char *key, ConfigReader &keys)
{
    const double value = keys.number(key, 1);
    if (!std::isfinite(value) || value == 0)
        keys.fail('"' + std::string(key) + "\" is " + std::to_string(value) + ", expected a number other than 0.");
    return value;
}

Draft draftOf(const nlohmann::json &config, const nlohmann::json &generationConfig, const char *family,
              ConfigReader &keys)
{
    Draft draft = read(config, generationConfig, {.family = family}, keys);
    setBiases(draft.shape.attention, keys.flag("attention_bias", false));
    draft.spec.embeddingScale = factor("embedding_multiplier", keys);
    draft.spec.residualScale = factor("residual_multiplier", keys);
    draft.spec.outputScale = 1 / factor("logits_scaling", keys);
    draft.shape.attention.scale = factor("attention_multiplier", keys);
    return draft;
}

nlohmann::json withTokens(const nlohmann::json &file)
{
    return withDefaults(file, {{"bos_token_id", 1}, {"eos_token_id", 2}});
}

Result<TransformerSpec> makeGraniteSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withTokens(file);
    ConfigReader keys(config);
    Draft draft = draftOf(config, generationConfig, "granite", keys);
    draft.shape.feedForward.biases = keys.flag("mlp_bias", false);
    return finished(std::move(draft), config, keys);
}

Result<TransformerSpec> makeGraniteMoeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withTokens(file);
    ConfigReader keys(config);
    Draft draft = draftOf(config, generationConfig, "granitemoe", keys);
    (void)readExperts(draft, {}, keys);
    return finished(std::move(draft), config, keys);
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    return llamaRecipe(slot);
}

TensorRecipe expertRecipe(const std::string &slot, const TransformerSpec &spec)
{
    static constexpr NamePart kParts[] = {{".feed_forward.router.", ".block_sparse_moe.router.layer."}};
    const auto expert = expertOf(slot);
    if (!expert)
        return llamaRecipe(slot, kParts);
    const bool isOut = slot.ends_with(".out.weight");
    const std::string name = "layers." + std::to_string(layerOf(slot)) + ".block_sparse_moe."
                           + (isOut ? "output_linear.weight" : "input_linear.weight");
    TensorRecipe recipe{{"model." + name, name}};
    if (!isOut)
        recipe.fused = fusedParts(slot, {"gate", "in"});
    recipe.slices = expertsIn(spec, layerOf(slot));
    recipe.slice = *expert;
    return recipe;
}

} // namespace granitefamily

extern const Family kGraniteFamily, kGraniteMoeFamily;
const Family kGraniteFamily{"granite", "Granite 3 and 4 without experts (to generate)", granitefamily::makeGraniteSpec,
                            granitefamily::recipe, causalfamily::isIgnored};
const Family kGraniteMoeFamily{"granitemoe", "Granite 3 with experts (to generate)", granitefamily::makeGraniteMoeSpec,
                               granitefamily::expertRecipe, causalfamily::isIgnored};

} // namespace headscope
