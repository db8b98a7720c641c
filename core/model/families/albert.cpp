// ALBERT: an encoder whose layers share their weights, all of them or those of a group; embeddings are narrower.
#include "core/model/families/encoder.h"

#include <string>

namespace headscope {
namespace albertfamily {

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &)
{
    const nlohmann::json config = withDefaults(file, {{"hidden_size", 4096},
                                                      {"num_attention_heads", 64},
                                                      {"intermediate_size", 16384},
                                                      {"vocab_size", 30000},
                                                      {"hidden_act", "gelu_new"}});
    ConfigReader keys(config);
    TransformerSpec spec = encoderfamily::makeSpec(config, "albert", {}, keys);
    spec.embeddingWidth = keys.integer({"embedding_size"}, 128, 1, 1 << 16);
    if (spec.embeddingWidth == spec.width)
        keys.fail("\"embedding_size\" and \"hidden_size\" are both " + std::to_string(spec.width)
                  + "; Headscope opens ALBERT with narrower embeddings only.");
    if (const std::int64_t inner = keys.integer({"inner_group_num"}, 1, 1, 1000); inner != 1)
        keys.fail("\"inner_group_num\" is " + std::to_string(inner) + ", expected 1.");
    const std::int64_t groups = keys.integer({"num_hidden_groups"}, 1, 1, 1000);
    if (!keys.error() && spec.encoder->layers() % groups != 0)
        keys.fail("\"num_hidden_layers\" " + std::to_string(spec.encoder->layers())
                  + " is not a multiple of \"num_hidden_groups\" " + std::to_string(groups) + ".");
    if (!keys.error())
        spec.sharedLayers = spec.encoder->layers() / static_cast<int>(groups);
    return finishedSpec(std::move(spec), config, keys);
}

/// "encoder.2.self.query.weight" → "encoder.albert_layer_groups.0.albert_layers.0.attention.query.weight"
std::string layerName(const std::string &slot, const TransformerSpec &spec)
{
    static constexpr NamePart kParts[] = {
        {".self.norm.", ".attention.LayerNorm."},
        {".self.out.", ".attention.dense."},
        {".self.", ".attention."},
        {".feed_forward.norm.", ".full_layer_layer_norm."},
        {".feed_forward.in.", ".ffn."},
        {".feed_forward.out.", ".ffn_output."},
    };
    const std::string name = renamed(slot, kParts);
    const auto group = std::to_string(layerOf(slot) / spec.sharedLayers);
    return "encoder.albert_layer_groups." + group + ".albert_layers.0"
         + name.substr(name.find('.', name.find('.') + 1));
}

std::string bareName(const std::string &slot, const TransformerSpec &spec)
{
    static constexpr NamePart kParts[] = {
        {"encoder.embedding_norm.", "embeddings.LayerNorm."},
        {"encoder.projection.", "encoder.embedding_hidden_mapping_in."},
        {"classifier.dense.", "pooler."},
    };
    if (slot == "encoder.embedding" || slot == "encoder.positions" || slot == "encoder.types")
        return encoderfamily::bertName(slot);
    const std::string name = renamed(slot, kParts);
    return name == slot ? layerName(slot, spec) : name;
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &spec)
{
    if (slot == "masked_lm.out.bias")
        return {{"predictions.bias", "predictions.decoder.bias"}};
    static constexpr NamePart kHead[] = {
        {"classifier.out.", "classifier."},
        {"masked_lm.dense.", "predictions.dense."},
        {"masked_lm.norm.", "predictions.LayerNorm."},
        {"masked_lm.out.", "predictions.decoder."},
    };
    if (slot.starts_with("classifier.out.") || slot.starts_with("masked_lm."))
        return {{renamed(slot, kHead)}};
    return {encoderfamily::withAndWithout("albert.", bareName(slot, spec))};
}

/// Heads for other tasks, and the order of sentences.
bool isIgnored(std::string_view name)
{
    return encoderfamily::isIgnored(name) || name.starts_with("predictions.") || name.starts_with("sop_classifier.");
}

} // namespace albertfamily

extern const Family kAlbertFamily;
const Family kAlbertFamily{
    "albert", "ALBERT: classifiers, masked tokens, or no head; heads come out of layers that share weights together",
    albertfamily::makeSpec, albertfamily::recipe, albertfamily::isIgnored};

} // namespace headscope
