// FalconForCausalLM: decoders whose attention and feed-forward layers lie side by side behind one norm or two, all
// heads or groups of which share one key and one value.
#include "core/model/families/causal.h"

namespace headscope {
namespace falconfamily {

using namespace causalfamily;

/// Keys and values of groups, where they are counted, of all heads together, or of each.
void nameKeyHeads(nlohmann::json &config, bool grouped, bool shared)
{
    config.erase("num_key_value_heads");
    if (grouped)
        config = withNames(config, {{"num_key_value_heads", "num_kv_heads"}});
    else if (shared)
        config["num_key_value_heads"] = 1;
}

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    nlohmann::json config = withNames(withDefaults(file, {{"bos_token_id", 11}, {"eos_token_id", 11}}),
                                      {{"hidden_size", "n_embed"}, {"intermediate_size", "ffn_hidden_size"}});
    config = withGptNames(config, 4544);
    ConfigReader keys(config);
    const bool grouped = keys.flag("new_decoder_architecture", false);
    nameKeyHeads(config, grouped, keys.flag("multi_query", true));
    if (keys.flag("alibi", false))
        keys.fail("\"alibi\" is true; Headscope opens this family with rotary positions (transformers rounds its ALiBi "
                  "to bfloat16).");
    const bool beside = keys.flag("parallel_attn", true);
    if (grouped && !beside)
        keys.fail("\"parallel_attn\" is false and \"new_decoder_architecture\" true, which Headscope does not know.");
    Draft draft = read(config, generationConfig,
                       {.family = "falcon",
                        .vocabulary = 65024,
                        .width = 4544,
                        .heads = 71,
                        .activationKey = "activation",
                        .activation = "gelu",
                        .epsilonKey = "layer_norm_epsilon",
                        .epsilon = 1e-5,
                        .tied = true,
                        .gated = false},
                       keys);
    draft.spec.norm.kind = NormKind::Layer;
    const bool biases = keys.flag("bias", false);
    setBiases(draft.shape.attention, biases);
    draft.shape.feedForward.biases = biases;
    const std::int64_t norms = keys.integer({"num_ln_in_parallel_attn"}, grouped ? 2 : 1, 1, 2);
    if (norms == 2 && !grouped)
        keys.fail("\"num_ln_in_parallel_attn\" is 2 and \"new_decoder_architecture\" false, which Headscope does not "
                  "know.");
    return finished(std::move(draft), config, keys, [&](SubLayer &sub) {
        sub.beside = beside && sub.feedForward();
        sub.sharesNorm = sub.beside && norms == 1;
    });
}

/// "decoder.2.self.out.weight" → "h.2.self_attention.dense.weight"
TensorRecipe recipe(const std::string &slot, const TransformerSpec &spec)
{
    const SubLayer &any = spec.decoder->at(spec.decoder->places() - 1);
    const bool hasTwo = any.beside && !any.sharesNorm;
    const char *ofAttention = hasTwo ? ".ln_attn." : ".input_layernorm.";
    const char *ofLayer = hasTwo ? ".ln_mlp." : ".post_attention_layernorm.";
    const NamePart parts[] = {
        {"decoder.embedding", "word_embeddings.weight"},
        {"decoder.norm.", "ln_f."},
        {".self.norm.", ofAttention},
        {".self.query.", ".self_attention.query_key_value."},
        {".self.key.", ".self_attention.query_key_value."},
        {".self.value.", ".self_attention.query_key_value."},
        {".self.out.", ".self_attention.dense."},
        {".feed_forward.norm.", ofLayer},
        {".feed_forward.in.", ".mlp.dense_h_to_4h."},
        {".feed_forward.out.", ".mlp.dense_4h_to_h."},
        {"decoder.", "h."},
    };
    const std::string name = renamed(slot, parts);
    TensorRecipe recipe = decoderRecipe(slot, "transformer.", name);
    if (name.find(".query_key_value.") != std::string::npos) {
        recipe.fused = fusedParts(slot, {"query", "key", "value"});
        const AttentionSpec &attention = spec.attention(HeadKind::Decoder, layerOf(slot));
        if (attention.headCount() == attention.allHeads) // group by group
            recipe.stretches = attention.allHeads / attention.headsPerKey;
    }
    return recipe;
}

} // namespace falconfamily

extern const Family kFalconFamily;
const Family kFalconFamily{"falcon", "Falcon 7B, 40B, 180B, 2 11B, with rotary positions (to generate or to classify)",
                           falconfamily::makeSpec, falconfamily::recipe, causalfamily::isIgnored};

} // namespace headscope
