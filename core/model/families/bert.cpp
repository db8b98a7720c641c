// BERT: the pooler is the classifier's dense layer.
#include "core/model/families/encoder.h"

#include <cstddef>
#include <string>

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

nlohmann::ordered_json newConfig(const NewModel &model)
{
    const ModelSizes &sizes = model.sizes;
    nlohmann::ordered_json names = nlohmann::ordered_json::object();
    nlohmann::ordered_json ids = nlohmann::ordered_json::object();
    for (std::size_t id = 0; id < model.labels.size(); ++id) {
        names[std::to_string(id)] = model.labels[id];
        ids[model.labels[id]] = id;
    }
    return {{"architectures", {"BertForSequenceClassification"}},
            {"model_type", "bert"},
            {"vocab_size", model.vocabulary},
            {"hidden_size", sizes.width},
            {"num_hidden_layers", sizes.encoderLayers},
            {"num_attention_heads", sizes.encoderHeads},
            {"intermediate_size", sizes.feedForward},
            {"hidden_act", sizes.activation},
            {"max_position_embeddings", sizes.maxPositions},
            {"type_vocab_size", 2},
            {"layer_norm_eps", 1e-12},
            {"hidden_dropout_prob", model.dropout},
            {"attention_probs_dropout_prob", 0.0},
            {"pad_token_id", 0},
            {"id2label", names},
            {"label2id", ids},
            {"problem_type", "single_label_classification"},
            {"torch_dtype", "float32"}};
}

} // namespace bertfamily

extern const Family kBertFamily;
const Family kBertFamily{"bert",
                         "BERT: classifiers, masked tokens, or no head",
                         bertfamily::makeSpec,
                         bertfamily::recipe,
                         encoderfamily::isIgnored,
                         bertfamily::newConfig,
                         PrunedLoading::Transformers};

} // namespace headscope
