// BERT (FORMATS 3.1, 4): the pooler is the classifier's dense layer.
#include "core/model/families/encoder.h"

namespace headscope {
namespace bertfamily {

Result<TransformerSpec> makeSpec(const nlohmann::json &config, const nlohmann::json &)
{
    ConfigReader keys(config);
    return finishedSpec(encoderfamily::makeSpec(config, "bert", {}, keys), config, keys);
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    if (slot == "masked_lm.out.bias")
        return {{"cls.predictions.bias", "cls.predictions.decoder.bias"}};
    static constexpr NamePart kHead[] = {
        {"classifier.dense.", "pooler.dense."},
        {"classifier.out.", "classifier."},
        {"masked_lm.dense.", "cls.predictions.transform.dense."},
        {"masked_lm.norm.", "cls.predictions.transform.LayerNorm."},
        {"masked_lm.out.", "cls.predictions.decoder."},
    };
    const std::string name = renamed(slot, kHead);
    if (slot.starts_with("classifier.out.") || slot.starts_with("masked_lm."))
        return {{name}};
    return {encoderfamily::withAndWithout("bert.", encoderfamily::bertName(name))};
}

} // namespace bertfamily

extern const Family kBertFamily;
const Family kBertFamily{"bert", bertfamily::makeSpec, bertfamily::recipe, encoderfamily::isIgnored, nullptr,
                         PrunedLoading::Transformers};

} // namespace headscope
