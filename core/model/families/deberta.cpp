// DeBERTa-v2 and v3: an encoder with disentangled attention (content and distances), whose logarithmic distances have
// one table for all layers.
#include "core/model/families/encoder.h"

#include <cmath>
#include <string>
#include <variant>

namespace headscope {
namespace debertafamily {

/// "c2p|p2c", or a list of such names.
bool hasTerm(const nlohmann::json &config, const char *term)
{
    const auto found = config.find("pos_att_type");
    if (found == config.end() || found->is_null())
        return false;
    if (found->is_string()) {
        std::string names = "|" + found->get<std::string>() + "|";
        std::erase(names, ' ');
        return names.find("|" + std::string(term) + "|") != std::string::npos;
    }
    for (const auto &name : *found) {
        if (name == term)
            return true;
    }
    return false;
}

void refuseOthers(const nlohmann::json &config, const TransformerSpec &spec, ConfigReader &keys)
{
    if (keys.integer({"conv_kernel_size"}, 0, 0, 1 << 16) > 0)
        keys.fail(
            "\"conv_kernel_size\" is not 0: the convolution beside the first layer (DeBERTa-v2 xlarge and xxlarge) "
            "is not computed.");
    if (keys.integer({"embedding_size"}, spec.width, 1, 1 << 16) != spec.width)
        keys.fail("\"embedding_size\" is not \"hidden_size\"; Headscope opens this family without a projection of "
                  "embeddings.");
    if (keys.integer({"pooler_hidden_size"}, spec.width, 1, 1 << 16) != spec.width)
        keys.fail("\"pooler_hidden_size\" is not \"hidden_size\".");
    if (spec.maskedLm && !keys.flag("legacy", true))
        keys.fail(
            "\"legacy\" is false: this head for masked tokens, which transformers itself cannot compute (4.57), is "
            "not opened.");
    const std::string name = architectureOf(config);
    if (!name.empty() && !spec.classifier && !spec.maskedLm && name != "DebertaV2Model")
        keys.fail("\"architectures\" says " + name
                  + "; Headscope opens DeBERTa-v2 and v3 as DebertaV2Model, DebertaV2ForMaskedLM and "
                    "DebertaV2ForSequenceClassification.");
}

std::optional<Disentangled> disentangledOf(const nlohmann::json &config, std::int64_t positions, ConfigReader &keys)
{
    if (!keys.flag("relative_attention", false))
        return std::nullopt;
    Disentangled disentangled;
    disentangled.keysOfDistances = hasTerm(config, "c2p");
    disentangled.queriesOfDistances = hasTerm(config, "p2c");
    if (!disentangled.keysOfDistances && !disentangled.queriesOfDistances)
        keys.fail("\"relative_attention\" is true, but \"pos_att_type\" has neither \"c2p\" nor \"p2c\".");
    const std::int64_t most = keys.integer({"max_relative_positions"}, -1, -1, 1 << 20);
    const std::int64_t furthest = most < 1 ? positions : most;
    const std::int64_t buckets = keys.integer({"position_buckets"}, -1, -1, 1 << 20);
    disentangled.span = buckets > 0 ? buckets : furthest;
    // The file's own number decides: without one distances are not spread.
    disentangled.furthest = buckets > 0 && furthest > 0 ? furthest : 0;
    if (disentangled.furthest > 0 && (disentangled.span < 4 || disentangled.furthest - 1 <= disentangled.span / 2))
        keys.fail("\"position_buckets\" is " + std::to_string(buckets) + ", expected 4 or more, and less than twice \""
                  + "max_relative_positions\" " + std::to_string(furthest) + ".");
    disentangled.shared = keys.flag("share_att_key", false);
    disentangled.normed = keys.text("norm_rel_ebd", "none").find("layer_norm") != std::string::npos;
    return disentangled;
}

Result<TransformerSpec> makeSpec(const nlohmann::json &config, const nlohmann::json &)
{
    ConfigReader keys(config);
    encoderfamily::Defaults defaults;
    defaults.widthDefault = 1536;
    defaults.layersDefault = 24;
    defaults.headsDefault = 24;
    defaults.feedForwardDefault = 6144;
    defaults.typesDefault = 0;
    defaults.classifierActivation = parseActivation(keys.text("pooler_hidden_act", "gelu"), keys);
    TransformerSpec spec = encoderfamily::makeSpec(config, "deberta-v2", defaults, keys);
    spec.norm.epsilon = keys.number("layer_norm_eps", 1e-7);
    spec.tokenTypes = keys.integer({"type_vocab_size"}, 0, 0, 1 << 16);
    if (!keys.flag("position_biased_input", true))
        spec.positions.table = PositionTable::None;
    refuseOthers(config, spec, keys);
    const auto disentangled = disentangledOf(config, spec.maxPositions, keys);
    const int terms = 1 + (hasTerm(config, "c2p") ? 1 : 0) + (hasTerm(config, "p2c") ? 1 : 0);
    if (!keys.error()) {
        for (SubLayer &sub : spec.encoder->subLayers) {
            if (auto *attention = std::get_if<AttentionSpec>(&sub.part)) {
                attention->disentangled = disentangled;
                attention->scale = 1 / std::sqrt(static_cast<double>(attention->headWidth * terms));
            }
        }
    }
    return finishedSpec(std::move(spec), config, keys);
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    if (slot == "masked_lm.out.bias")
        return {{"cls.predictions.bias"}};
    static constexpr NamePart kHead[] = {
        {"classifier.dense.", "pooler.dense."},
        {"classifier.out.", "classifier."},
        {"masked_lm.dense.", "cls.predictions.transform.dense."},
        {"masked_lm.norm.", "cls.predictions.transform.LayerNorm."},
        {"masked_lm.out.", "cls.predictions.decoder."},
    };
    if (slot.starts_with("classifier.") || slot.starts_with("masked_lm."))
        return {{renamed(slot, kHead)}};
    if (slot == "encoder.distances")
        return {encoderfamily::withAndWithout("deberta.", "encoder.rel_embeddings.weight")};
    static constexpr NamePart kNorm[] = {{"encoder.distance_norm.", "encoder.LayerNorm."}};
    if (slot.starts_with("encoder.distance_norm."))
        return {encoderfamily::withAndWithout("deberta.", renamed(slot, kNorm))};
    static constexpr NamePart kParts[] = {
        {".self.query.", ".self.query_proj."},
        {".self.key.", ".self.key_proj."},
        {".self.value.", ".self.value_proj."},
        {".self.distance_key.", ".self.pos_key_proj."},
        {".self.distance_query.", ".self.pos_query_proj."},
    };
    return {encoderfamily::withAndWithout("deberta.", encoderfamily::bertName(renamed(slot, kParts)))};
}

/// Published checkpoints have heads of their pretraining, and a table of positions that nothing reads.
bool isIgnored(std::string_view name)
{
    return encoderfamily::isIgnored(name) || name.starts_with("lm_predictions.")
        || name.starts_with("mask_predictions.") || name.starts_with("classifier.")
        || name.ends_with("embeddings.position_embeddings.weight");
}

} // namespace debertafamily

extern const Family kDebertaV2Family;
const Family kDebertaV2Family{
    "deberta-v2",
    "DeBERTa-v2 and v3: classifiers, masked tokens, or no head; not xlarge and xxlarge of v2; no relevance",
    debertafamily::makeSpec, debertafamily::recipe, debertafamily::isIgnored};

} // namespace headscope
