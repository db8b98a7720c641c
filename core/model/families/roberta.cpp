// RoBERTa, XLM-RoBERTa and CamemBERT: positions count real tokens from the
// padding id on.
#include "core/model/families/encoder.h"

namespace headscope {
namespace robertafamily {

Result<TransformerSpec> makeNamedSpec(const nlohmann::json &config, const char *family)
{
    ConfigReader keys(config);
    encoderfamily::Defaults defaults;
    defaults.padDefault = 1;
    defaults.maskedLmActivation = Activation::Gelu; // whatever hidden_act says
    TransformerSpec spec = encoderfamily::makeSpec(config, family, defaults, keys);
    spec.positions.pastPadding = true;
    spec.positions.offset = spec.generation.padId + 1;
    spec.maxPositions -= spec.positions.offset;
    if (!keys.error() && spec.maxPositions < 1)
        keys.fail("\"max_position_embeddings\" leaves no position after \"pad_token_id\" "
                  + std::to_string(spec.generation.padId) + ".");
    return finishedSpec(std::move(spec), config, keys);
}

template<const char *Name>
Result<TransformerSpec> makeSpec(const nlohmann::json &config, const nlohmann::json &)
{
    return makeNamedSpec(config, Name);
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    if (slot == "masked_lm.out.bias")
        return {{"lm_head.bias", "lm_head.decoder.bias"}};
    static constexpr NamePart kHead[] = {
        {"classifier.out.", "classifier.out_proj."},
        {"masked_lm.dense.", "lm_head.dense."},
        {"masked_lm.norm.", "lm_head.layer_norm."},
        {"masked_lm.out.", "lm_head.decoder."},
    };
    if (slot.starts_with("classifier.") || slot.starts_with("masked_lm."))
        return {{renamed(slot, kHead)}};
    return {encoderfamily::withAndWithout("roberta.", encoderfamily::bertName(slot))};
}

constexpr char kRoberta[] = "roberta";
constexpr char kXlmRoberta[] = "xlm-roberta";
constexpr char kCamembert[] = "camembert";

} // namespace robertafamily

extern const Family kRobertaFamily, kXlmRobertaFamily, kCamembertFamily;
const Family kRobertaFamily{robertafamily::kRoberta,
                            "RoBERTa: classifiers, masked tokens, or no head",
                            robertafamily::makeSpec<robertafamily::kRoberta>,
                            robertafamily::recipe,
                            encoderfamily::isIgnored,
                            nullptr,
                            PrunedLoading::Transformers};
const Family kXlmRobertaFamily{robertafamily::kXlmRoberta,
                               "XLM-RoBERTa: classifiers, masked tokens, or no head",
                               robertafamily::makeSpec<robertafamily::kXlmRoberta>,
                               robertafamily::recipe,
                               encoderfamily::isIgnored,
                               nullptr,
                               PrunedLoading::Transformers};
const Family kCamembertFamily{robertafamily::kCamembert,
                              "CamemBERT: classifiers, masked tokens, or no head",
                              robertafamily::makeSpec<robertafamily::kCamembert>,
                              robertafamily::recipe,
                              encoderfamily::isIgnored,
                              nullptr,
                              PrunedLoading::Transformers};

} // namespace headscope
