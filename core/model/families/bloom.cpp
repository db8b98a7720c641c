// BloomForCausalLM: a decoder whose scores get a number for the distance of key and query (ALiBi), a norm of
// embeddings, queries, keys and values of every head one after the other in one matrix.
#include "core/model/families/causal.h"

namespace headscope {
namespace bloomfamily {

using namespace causalfamily;

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    nlohmann::json config = withNames(withDefaults(file, {{"bos_token_id", 1}, {"eos_token_id", 2}}),
                                      {{"hidden_size", "n_embed"}, {"max_position_embeddings", "seq_length"}});
    config.erase("n_inner"); // four times the width, whatever it says
    config.erase("intermediate_size");
    config = withGptNames(config, 64);
    ConfigReader keys(config);
    if (keys.flag("apply_residual_connection_post_layernorm", false))
        keys.fail("\"apply_residual_connection_post_layernorm\" is true; Headscope opens this family with residual "
                  "connections around its norms (false).");
    Draft draft = read(config, generationConfig,
                       {.family = "bloom",
                        .vocabulary = 250880,
                        .width = 64,
                        .layers = 2,
                        .heads = 8,
                        .activationKey = nullptr,
                        .activation = "gelu_new",
                        .epsilonKey = "layer_norm_epsilon",
                        .epsilon = 1e-5,
                        .tied = true,
                        .gated = false,
                        .turned = false},
                       keys);
    setPositions(draft, {PositionTable::None, 0, false}, keys);
    draft.spec.embeddingNorm = true;
    setBiases(draft.shape.attention, true);
    draft.shape.feedForward.biases = true;
    draft.shape.attention.slopes = alibiSlopes(draft.shape.attention.allHeads);
    return finished(std::move(draft), config, keys);
}

/// "decoder.2.self.out.weight" → "h.2.self_attention.dense.weight"
TensorRecipe recipe(const std::string &slot, const TransformerSpec &spec)
{
    static constexpr NamePart kParts[] = {
        {"decoder.norm.", "ln_f."},
        {"decoder.embedding_norm.", "word_embeddings_layernorm."},
        {"decoder.embedding", "word_embeddings.weight"},
        {".self.norm.", ".input_layernorm."},
        {".self.query.", ".self_attention.query_key_value."},
        {".self.key.", ".self_attention.query_key_value."},
        {".self.value.", ".self_attention.query_key_value."},
        {".self.out.", ".self_attention.dense."},
        {".feed_forward.norm.", ".post_attention_layernorm."},
        {".feed_forward.in.", ".mlp.dense_h_to_4h."},
        {".feed_forward.out.", ".mlp.dense_4h_to_h."},
        {"decoder.", "h."},
    };
    const std::string name = renamed(slot, kParts);
    TensorRecipe recipe = decoderRecipe(slot, "transformer.", name);
    if (name.find(".query_key_value.") != std::string::npos) {
        recipe.fused = fusedParts(slot, {"query", "key", "value"});
        recipe.stretches = spec.attention(HeadKind::Decoder, layerOf(slot)).headCount();
    }
    return recipe;
}

bool isIgnored(std::string_view name)
{
    return name == "lm_head.weight";
}

} // namespace bloomfamily

extern const Family kBloomFamily;
const Family kBloomFamily{"bloom", "BLOOM, BLOOMZ (to generate or to classify)", bloomfamily::makeSpec,
                          bloomfamily::recipe, bloomfamily::isIgnored};

} // namespace headscope
