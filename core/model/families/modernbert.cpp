// ModernBERT: an encoder with norms before sub-layers, none before the first, rotary positions, windows in most layers,
// gated feed-forward layers.
#include "core/model/families/causal.h"
#include "core/model/families/encoder.h"

#include <variant>

namespace headscope {
namespace modernbertfamily {

void refuseOthers(const nlohmann::json &config, const TransformerSpec &spec, ConfigReader &keys)
{
    const std::string pooling = keys.text("classifier_pooling", "cls");
    if (spec.classifier && pooling != "cls" && pooling != "mean")
        keys.fail("\"classifier_pooling\" is \"" + pooling
                  + "\"; Headscope classifies by the first position (\"cls\") or the mean of all (\"mean\").");
    if (spec.maskedLm && !keys.flag("decoder_bias", true))
        keys.fail("\"decoder_bias\" is false; Headscope opens this family with it.");
    const std::string name = architectureOf(config);
    if (!name.empty() && !spec.classifier && !spec.maskedLm && name != "ModernBertModel")
        keys.fail("\"architectures\" says " + name
                  + "; Headscope opens ModernBERT as ModernBertModel, "
                    "ModernBertForMaskedLM and ModernBertForSequenceClassification.");
}

/// Those that see a window only.
struct LocalLayers
{
    RotarySpec rotary;
    std::vector<bool> which;
    std::optional<std::int64_t> reach;

    LocalLayers(const nlohmann::json &config, const LayerShape &shape, TransformerSpec &spec, ConfigReader &keys)
    {
        const bool hasBase = !config.contains("local_rope_theta") || !config.at("local_rope_theta").is_null();
        rotary = rotaryconfig::read(config, shape.attention.headWidth,
                                    {.base = "local_rope_theta",
                                     .baseDefault = hasBase ? 10000 : keys.number("global_rope_theta", 160000),
                                     .layerType = "sliding_attention"},
                                    spec.maxPositions, keys);
        const std::int64_t every = keys.integer({"global_attn_every_n_layers"}, 3, 1, 1 << 20);
        which = causalfamily::slidingLayers(
            config, shape.layers, [&](std::int64_t layer) { return layer % every != 0; }, keys);
        const std::int64_t window = keys.integer({"local_attention"}, 128, 1, 1 << 30);
        reach = causalfamily::reachOf(window / 2 + 1, spec.maxPositions);
    }

    void set(StackSpec &stack) const
    {
        for (SubLayer &sub : stack.subLayers) {
            if (AttentionSpec *attention = causalfamily::slidingAttention(sub, which)) {
                attention->reach = reach;
                attention->rotary = rotary;
            }
        }
    }
};

void setHead(const nlohmann::json &config, TransformerSpec &spec, ConfigReader &keys)
{
    encoderfamily::Defaults head;
    head.classifierActivation = parseActivation(keys.text("classifier_activation", "gelu"), keys);
    head.maskedLmActivation = head.classifierActivation;
    encoderfamily::setHead(config, head, head.classifierActivation, spec, keys);
    const bool biases = keys.flag("classifier_bias", false);
    if (spec.classifier) {
        spec.classifier->biased = biases;
        spec.classifier->normed = true;
        spec.classifier->mean = keys.text("classifier_pooling", "cls") == "mean";
    }
    if (spec.maskedLm)
        spec.maskedLm->biased = biases;
}

Result<TransformerSpec> makeSpec(const nlohmann::json &config, const nlohmann::json &)
{
    ConfigReader keys(config);
    TransformerSpec spec;
    spec.family = "modernbert";
    spec.width = keys.integer({"hidden_size"}, 768, 1, 1 << 16);
    const bool normBiases = keys.flag("norm_bias", false);
    spec.norm = {NormKind::Layer, NormPlacement::Pre, keys.number("norm_eps", 1e-5), true, normBiases};
    spec.embeddingNorm = true;
    spec.finalNorm = true;
    spec.positions.table = PositionTable::None;
    spec.maxPositions = keys.integer({"max_position_embeddings"}, 8192, 1, 1 << 30);

    LayerShape shape;
    shape.layers = keys.integer({"num_hidden_layers"}, 22, 1, 1000);
    const std::int64_t heads = keys.integer({"num_attention_heads"}, 12, 1, 10000);
    setHeads(shape.attention, spec.width, heads, "hidden_size", "num_attention_heads", keys);
    causalfamily::setBiases(shape.attention, keys.flag("attention_bias", false));
    shape.attention.rotary = rotaryconfig::read(
        config, shape.attention.headWidth,
        {.base = "global_rope_theta", .baseDefault = 160000, .layerType = "full_attention"}, spec.maxPositions, keys);
    const LocalLayers local(config, shape, spec, keys);
    shape.feedForward.width = keys.integer({"intermediate_size"}, 1152, 1, 1 << 20);
    shape.feedForward.activation = parseActivation(keys.text("hidden_activation", "gelu"), keys);
    shape.feedForward.gated = true;
    shape.feedForward.biases = keys.flag("mlp_bias", false);
    const std::int64_t vocabulary = keys.integer({"vocab_size"}, 50368, 1, 1 << 26);
    spec.generation.padId = keys.integer({"pad_token_id"}, 50283, 0, vocabulary - 1);
    setHead(config, spec, keys);
    refuseOthers(config, spec, keys);
    if (!keys.error()) {
        spec.encoder = makeStack(Side::Encoder, shape, vocabulary);
        spec.encoder->subLayers.front().normsInput = false;
        local.set(*spec.encoder);
    }
    return finishedSpec(std::move(spec), config, keys);
}

/// "encoder.2.self.out.weight" → "layers.2.attn.Wo.weight"
std::string bareName(const std::string &slot)
{
    if (slot == "encoder.embedding")
        return "embeddings.tok_embeddings.weight";
    static constexpr NamePart kParts[] = {
        {"encoder.embedding_norm.", "embeddings.norm."},
        {"encoder.norm.", "final_norm."},
        {".self.norm.", ".attn_norm."},
        {".self.query.", ".attn.Wqkv."},
        {".self.key.", ".attn.Wqkv."},
        {".self.value.", ".attn.Wqkv."},
        {".self.out.", ".attn.Wo."},
        {".feed_forward.norm.", ".mlp_norm."},
        {".feed_forward.gate.", ".mlp.Wi."},
        {".feed_forward.in.", ".mlp.Wi."},
        {".feed_forward.out.", ".mlp.Wo."},
        {"encoder.", "layers."},
    };
    return renamed(slot, kParts);
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    static constexpr NamePart kHead[] = {
        {"classifier.dense.", "head.dense."}, {"classifier.norm.", "head.norm."}, {"classifier.out.", "classifier."},
        {"masked_lm.dense.", "head.dense."},  {"masked_lm.norm.", "head.norm."},  {"masked_lm.out.", "decoder."},
    };
    if (slot.starts_with("classifier.") || slot.starts_with("masked_lm."))
        return {{renamed(slot, kHead)}};
    TensorRecipe recipe{encoderfamily::withAndWithout("model.", bareName(slot))};
    if (recipe.names.front().find(".Wqkv.") != std::string::npos)
        recipe.fused = fusedParts(slot, {"query", "key", "value"});
    else if (recipe.names.front().find(".Wi.") != std::string::npos)
        recipe.fused = fusedParts(slot, {"gate", "in"});
    return recipe;
}

bool isIgnored(std::string_view name)
{
    return name.starts_with("head.") || name.starts_with("decoder.") || name.starts_with("classifier.");
}

} // namespace modernbertfamily

extern const Family kModernBertFamily;
const Family kModernBertFamily{"modernbert", "ModernBERT: classifiers, masked tokens, or no head",
                               modernbertfamily::makeSpec, modernbertfamily::recipe, modernbertfamily::isIgnored};

} // namespace headscope
