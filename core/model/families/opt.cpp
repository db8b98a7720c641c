// OPTForCausalLM: a decoder without memory, learnt positions after two rows that nothing uses.
#include "core/model/classifierconfig.h"
#include "core/model/families/causal.h"

namespace headscope {
namespace optfamily {

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(file, {{"pad_token_id", 1}, {"bos_token_id", 2}, {"eos_token_id", 2}});
    ConfigReader keys(config);
    TransformerSpec spec;
    readDecoderHead(config, DecoderHead::Linear, spec, keys);
    spec.family = "opt";
    spec.width = keys.integer({"hidden_size"}, 768, 1, 1 << 16);
    const bool before = keys.flag("do_layer_norm_before", true);
    const bool weighted = keys.flag("layer_norm_elementwise_affine", true);
    spec.norm = {NormKind::Layer, before ? NormPlacement::Pre : NormPlacement::Post, 1e-5, weighted, weighted};
    spec.finalNorm = before && !keys.flag("_remove_final_layer_norm", false);
    spec.positions = {PositionTable::Learned, 2, false};
    spec.maxPositions = keys.integer({"max_position_embeddings"}, 2048, 1, mostPositions(spec.width));
    spec.tiedOutput = keys.flag("tie_word_embeddings", true);
    spec.embeddingWidth = keys.integer({"word_embed_proj_dim"}, spec.width, 1, 1 << 16);
    spec.projectsTokens = spec.embeddingWidth != spec.width;
    if (spec.projectsTokens && spec.classifier)
        keys.fail(
            "\"word_embed_proj_dim\" differs from \"hidden_size\"; Headscope opens such an OPT (350m) to generate, "
            "not to classify.");
    LayerShape shape;
    shape.layers = keys.integer({"num_hidden_layers"}, 12, 1, 1000);
    const std::int64_t heads = keys.integer({"num_attention_heads"}, 12, 1, 10000);
    setHeads(shape.attention, spec.width, heads, "hidden_size", "num_attention_heads", keys);
    const bool biases = keys.flag("enable_bias", true);
    causalfamily::setBiases(shape.attention, biases);
    shape.feedForward.width = keys.integer({"ffn_dim"}, 3072, 1, 1 << 20);
    shape.feedForward.activation = parseActivation(keys.text("activation_function", "relu"), keys);
    shape.feedForward.biases = biases;
    const std::int64_t vocabulary = keys.integer({"vocab_size"}, 50272, 1, 1 << 26);
    spec.generation = readGenerationSettings(config, generationConfig,
                                             spec.classifier ? Generates::Nothing : Generates::FromPrompt, keys);
    return causalfamily::finished({std::move(spec), shape, vocabulary}, config, keys);
}

/// "decoder.2.self.query.weight" → "decoder.layers.2.self_attn.q_proj.weight"
std::string bareName(const std::string &slot)
{
    if (slot == "decoder.embedding")
        return "decoder.embed_tokens.weight";
    if (slot == "decoder.positions")
        return "decoder.embed_positions.weight";
    if (slot == "decoder.projection.weight")
        return "decoder.project_in.weight";
    if (slot == "output.projection.weight")
        return "decoder.project_out.weight";
    static constexpr NamePart kParts[] = {
        {".self.norm.", ".self_attn_layer_norm."},
        {".self.query.", ".self_attn.q_proj."},
        {".self.key.", ".self_attn.k_proj."},
        {".self.value.", ".self_attn.v_proj."},
        {".self.out.", ".self_attn.out_proj."},
        {".feed_forward.norm.", ".final_layer_norm."},
        {".feed_forward.in.", ".fc1."},
        {".feed_forward.out.", ".fc2."},
    };
    const std::string name = renamed(slot, kParts);
    constexpr std::string_view kStack = "decoder.";
    if (name.starts_with("decoder.norm."))
        return "decoder.final_layer_norm." + name.substr(std::string_view("decoder.norm.").size());
    return std::string(kStack) + "layers." + name.substr(kStack.size());
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    return decoderRecipe(slot, "model.", bareName(slot));
}

bool isIgnored(std::string_view name)
{
    return name == "lm_head.weight" || name.ends_with("decoder.version");
}

} // namespace optfamily

extern const Family kOptFamily;
const Family kOptFamily{"opt", "OPT (to generate or, all sizes but 350m, to classify)", optfamily::makeSpec,
                        optfamily::recipe, optfamily::isIgnored};

} // namespace headscope
