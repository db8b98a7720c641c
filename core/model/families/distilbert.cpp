// DistilBERT: no token types, no pooler, names and keys of its own.
#include "core/model/families/encoder.h"

namespace headscope {
namespace distilbertfamily {

Result<TransformerSpec> makeSpec(const nlohmann::json &config, const nlohmann::json &)
{
    ConfigReader keys(config);
    encoderfamily::Defaults defaults;
    defaults.width = "dim";
    defaults.layers = "n_layers";
    defaults.heads = "n_heads";
    defaults.feedForward = "hidden_dim";
    defaults.activation = "activation";
    defaults.layersDefault = 6;
    defaults.typesDefault = 0;
    defaults.classifierActivation = Activation::Relu;
    TransformerSpec spec = encoderfamily::makeSpec(config, "distilbert", defaults, keys);
    spec.norm.epsilon = 1e-12; // in the class, not in the file
    return finishedSpec(std::move(spec), config, keys);
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    static constexpr NamePart kHead[] = {
        {"classifier.dense.", "pre_classifier."}, {"classifier.out.", "classifier."},
        {"masked_lm.dense.", "vocab_transform."}, {"masked_lm.norm.", "vocab_layer_norm."},
        {"masked_lm.out.", "vocab_projector."},
    };
    if (slot.starts_with("classifier.") || slot.starts_with("masked_lm."))
        return {{renamed(slot, kHead)}};
    static constexpr NamePart kParts[] = {
        {"encoder.embedding_norm.", "embeddings.LayerNorm."},
        {".self.norm.", ".sa_layer_norm."},
        {".self.query.", ".attention.q_lin."},
        {".self.key.", ".attention.k_lin."},
        {".self.value.", ".attention.v_lin."},
        {".self.out.", ".attention.out_lin."},
        {".feed_forward.norm.", ".output_layer_norm."},
        {".feed_forward.in.", ".ffn.lin1."},
        {".feed_forward.out.", ".ffn.lin2."},
        {"encoder.", "transformer.layer."},
    };
    const std::string name = slot == "encoder.embedding" || slot == "encoder.positions" ? encoderfamily::bertName(slot)
                                                                                        : renamed(slot, kParts);
    return {encoderfamily::withAndWithout("distilbert.", name)};
}

} // namespace distilbertfamily

extern const Family kDistilBertFamily;
const Family kDistilBertFamily{"distilbert",
                               "DistilBERT: classifiers, masked tokens, or no head",
                               distilbertfamily::makeSpec,
                               distilbertfamily::recipe,
                               encoderfamily::isIgnored,
                               nullptr,
                               PrunedLoading::Transformers};

} // namespace headscope
