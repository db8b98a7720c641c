#include "core/model/families/encoder.h"

#include "core/model/classifierconfig.h"

namespace headscope::encoderfamily {
/// ElectraForPreTraining is the discriminator, which guesses no tokens.
void setHead(const nlohmann::json &config, const Defaults &defaults, Activation activation, TransformerSpec &spec,
             ConfigReader &keys)
{
    const std::string name = architectureOf(config);
    if (name.empty() || name.ends_with("ForSequenceClassification")) {
        spec.classifier = readClassifier(config, keys);
        spec.classifier->activation = defaults.classifierActivation;
    } else if (name.ends_with("ForMaskedLM") || name == "BertForPreTraining") {
        spec.maskedLm
            = MaskedLmSpec{defaults.maskedLmActivation.value_or(activation), keys.flag("tie_word_embeddings", true)};
    }
}

TransformerSpec makeSpec(const nlohmann::json &config, std::string family, const Defaults &defaults, ConfigReader &keys)
{
    TransformerSpec spec;
    spec.family = std::move(family);
    spec.width = keys.integer({"hidden_size", defaults.width}, defaults.widthDefault, 1, 1 << 16);
    spec.norm = {NormKind::Layer, NormPlacement::Post, keys.number("layer_norm_eps", 1e-12)};
    spec.embeddingNorm = true;
    spec.positions = {PositionTable::Learned, 0, false};
    spec.maxPositions = keys.integer({"max_position_embeddings"}, 512, 1, mostPositions(spec.width));
    if (defaults.typesDefault > 0)
        spec.tokenTypes = keys.integer({"type_vocab_size"}, defaults.typesDefault, 0, 1 << 16);
    const std::string positions = keys.text("position_embedding_type", "absolute");
    if (positions != "absolute")
        keys.fail("\"position_embedding_type\" is \"" + positions
                  + "\"; Headscope computes \"absolute\" positions only (relative ones were removed from "
                    "transformers 5 too).");
    if (keys.flag("is_decoder", false))
        keys.fail("\"is_decoder\" is true; Headscope opens these models as encoders only.");

    LayerShape shape;
    shape.layers = keys.integer({"num_hidden_layers", defaults.layers}, defaults.layersDefault, 1, 1000);
    const std::int64_t heads = keys.integer({"num_attention_heads", defaults.heads}, defaults.headsDefault, 1, 10000);
    shape.feedForward.width = keys.integer({defaults.feedForward}, defaults.feedForwardDefault, 1, 1 << 20);
    shape.feedForward.activation = parseActivation(keys.text(defaults.activation, "gelu"), keys);
    const std::int64_t vocabulary = keys.integer({"vocab_size"}, 30522, 1, 1 << 26);
    spec.generation.padId = keys.integer({"pad_token_id"}, defaults.padDefault, 0, vocabulary - 1);
    setHead(config, defaults, shape.feedForward.activation, spec, keys);
    setHeads(shape.attention, spec.width, heads, defaults.width, defaults.heads, keys);
    if (!keys.error())
        spec.encoder = makeStack(Side::Encoder, shape, vocabulary);
    return spec;
}

std::vector<std::string> withAndWithout(std::string_view prefix, const std::string &name)
{
    return {std::string(prefix) + name, name};
}

std::string bertName(const std::string &slot)
{
    if (slot == "encoder.embedding")
        return "embeddings.word_embeddings.weight";
    if (slot == "encoder.positions")
        return "embeddings.position_embeddings.weight";
    if (slot == "encoder.types")
        return "embeddings.token_type_embeddings.weight";
    static constexpr NamePart kParts[] = {
        {"encoder.embedding_norm.", "embeddings.LayerNorm."},
        {"encoder.projection.", "embeddings_project."},
        {".self.norm.", ".attention.output.LayerNorm."},
        {".self.out.", ".attention.output.dense."},
        {".self.", ".attention.self."},
        {".feed_forward.norm.", ".output.LayerNorm."},
        {".feed_forward.in.", ".intermediate.dense."},
        {".feed_forward.out.", ".output.dense."},
    };
    std::string name = renamed(slot, kParts);
    constexpr std::string_view kStack = "encoder.";
    if (name.starts_with(kStack))
        name.insert(kStack.size(), "layer.");
    return name;
}

bool isIgnored(std::string_view name)
{
    return name.ends_with("embeddings.position_ids") || name.ends_with("embeddings.token_type_ids")
        || name.starts_with("cls.") || name.starts_with("lm_head.") || name.starts_with("generator_")
        || name.starts_with("discriminator_predictions.") || name.find("pooler.") != std::string_view::npos
        || name.starts_with("vocab_");
}

} // namespace headscope::encoderfamily
