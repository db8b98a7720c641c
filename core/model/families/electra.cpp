// ElectraForSequenceClassification (FORMATS 3.1, 4): embeddings may be narrower than the model.
#include "core/model/families/encoder.h"

namespace headscope {
namespace {

Result<TransformerSpec> makeSpec(const nlohmann::json &config, const nlohmann::json &)
{
    ConfigReader keys(config);
    encoderfamily::Defaults defaults;
    defaults.widthDefault = 256;
    defaults.headsDefault = 4;
    defaults.feedForwardDefault = 1024;
    // The classifier's activation is the exact GELU, whatever hidden_act says.
    TransformerSpec spec = encoderfamily::makeSpec(config, "electra", defaults, Activation::Gelu, keys);
    spec.embeddingWidth = keys.integer({"embedding_size"}, 128, 1, 1 << 16);
    if (keys.error())
        return *keys.error();
    return spec;
}

TensorRecipe recipe(const std::string &slot)
{
    static constexpr NamePart kHead[] = {{"classifier.out.", "classifier.out_proj."}};
    if (slot.starts_with("classifier."))
        return {{renamed(slot, kHead)}};
    return {encoderfamily::withAndWithout("electra.", encoderfamily::bertName(slot))};
}

} // namespace

extern const Family kElectraFamily;
const Family kElectraFamily{"electra", makeSpec, recipe, encoderfamily::isIgnored, nullptr,
                            PrunedLoading::Transformers};

} // namespace headscope
