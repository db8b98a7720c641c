// BertForSequenceClassification (FORMATS 3.1, 4): the pooler is the classifier's dense layer.
#include "core/model/families/encoder.h"

namespace headscope {
namespace {

Result<TransformerSpec> makeSpec(const nlohmann::json &config, const nlohmann::json &)
{
    ConfigReader keys(config);
    auto spec = encoderfamily::makeSpec(config, "bert", {}, Activation::Tanh, keys);
    if (keys.error())
        return *keys.error();
    return spec;
}

TensorRecipe recipe(const std::string &slot)
{
    static constexpr NamePart kHead[] = {{"classifier.dense.", "pooler.dense."}, {"classifier.out.", "classifier."}};
    if (slot.starts_with("classifier.out."))
        return {{renamed(slot, kHead)}};
    return {encoderfamily::withAndWithout("bert.", encoderfamily::bertName(renamed(slot, kHead)))};
}

} // namespace

extern const Family kBertFamily;
const Family kBertFamily{"bert", makeSpec, recipe, encoderfamily::isIgnored, nullptr,
                         PrunedLoading::Transformers};

} // namespace headscope
