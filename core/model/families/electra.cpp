// ELECTRA: embeddings may be narrower than the model.
#include "core/model/families/encoder.h"

namespace headscope {
namespace electrafamily {

Result<TransformerSpec> makeSpec(const nlohmann::json &config, const nlohmann::json &)
{
    ConfigReader keys(config);
    encoderfamily::Defaults defaults;
    defaults.widthDefault = 256;
    defaults.headsDefault = 4;
    defaults.feedForwardDefault = 1024;
    // The exact GELU in both heads, whatever hidden_act says.
    defaults.classifierActivation = Activation::Gelu;
    defaults.maskedLmActivation = Activation::Gelu;
    TransformerSpec spec = encoderfamily::makeSpec(config, "electra", defaults, keys);
    spec.embeddingWidth = keys.integer({"embedding_size"}, 128, 1, 1 << 16);
    return finishedSpec(std::move(spec), config, keys);
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    static constexpr NamePart kHead[] = {
        {"classifier.out.", "classifier.out_proj."},
        {"masked_lm.dense.", "generator_predictions.dense."},
        {"masked_lm.norm.", "generator_predictions.LayerNorm."},
        {"masked_lm.out.", "generator_lm_head."},
    };
    if (slot.starts_with("classifier.") || slot.starts_with("masked_lm."))
        return {{renamed(slot, kHead)}};
    return {encoderfamily::withAndWithout("electra.", encoderfamily::bertName(slot))};
}

} // namespace electrafamily

extern const Family kElectraFamily;
const Family kElectraFamily{"electra",
                            "ELECTRA: classifiers, masked tokens (generators), or no head",
                            electrafamily::makeSpec,
                            electrafamily::recipe,
                            encoderfamily::isIgnored,
                            nullptr,
                            PrunedLoading::Transformers};

} // namespace headscope
