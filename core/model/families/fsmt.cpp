// fairseq's Transformer (Ott et al. 2019): as fairseq writes it ("fairseq", whose config.json is made from
// the checkpoint's own settings), and as FSMTForConditionalGeneration of transformers has it ("fsmt").
#include "core/model/families/seq2seq.h"

#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace fsmtfamily {

TransformerSpec commonSpec(const nlohmann::json &config, const nlohmann::json &generationConfig, seq2seq::Traits traits,
                           bool shared, ConfigReader &keys)
{
    traits.outputBias = false;
    traits.activation = "relu";
    TransformerSpec spec = seq2seq::makeSpec(config, generationConfig, traits, keys);
    const bool learned = keys.flag("learned_positions", false);
    spec.positions
        = {learned ? PositionTable::Learned : PositionTable::SinusoidalFairseq, spec.generation.padId + 1, true};
    if (!learned && spec.width < 4)
        keys.fail("\"d_model\" is " + std::to_string(spec.width) + "; the sinusoids of positions need at least 4.");
    spec.sharedEmbedding = shared;
    if (spec.decoder && !shared)
        spec.decoder->vocabulary = keys.integer({"decoder_vocab_size"}, spec.decoder->vocabulary, 1, 1 << 26);
    return spec;
}

const nlohmann::json kTokens{
    {"bos_token_id", 0}, {"pad_token_id", 1}, {"eos_token_id", 2}, {"decoder_start_token_id", 2}, {"max_length", 200}};

Result<TransformerSpec> makeFsmtSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    nlohmann::json config = withDefaults(file, kTokens);
    config = withDefaults(std::move(config), {{"forced_eos_token_id", 2}});
    for (const auto &[own, usual] :
         {std::pair("src_vocab_size", "vocab_size"), std::pair("tgt_vocab_size", "decoder_vocab_size")}) {
        if (config.contains(own))
            config[usual] = config[own];
    }
    const bool shared = config.value("tie_word_embeddings", nlohmann::json(false)) == true;
    config["tie_word_embeddings"] = true; // of the output and the decoder's embedding, always
    ConfigReader keys(config);
    seq2seq::Traits fsmt;
    fsmt.family = "fsmt";
    fsmt.scaleEmbedding = true;
    fsmt.vocabulary = 42024;
    TransformerSpec spec = commonSpec(config, generationConfig, fsmt, shared, keys);
    return finishedSpec(std::move(spec), config, keys);
}

Result<TransformerSpec> makeFairseqSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(file, kTokens);
    ConfigReader keys(config);
    seq2seq::Traits fairseq;
    fairseq.family = "fairseq";
    fairseq.placement = keys.flag("normalize_before", false) ? NormPlacement::Pre : NormPlacement::Post;
    fairseq.finalNorm = keys.flag("add_final_layer_norm", false);
    fairseq.embeddingNorm = keys.flag("normalize_embedding", false);
    fairseq.scaleEmbedding = true;
    const bool shared = keys.flag("share_encoder_decoder_embeddings", false);
    TransformerSpec spec = commonSpec(config, generationConfig, fairseq, shared, keys);
    return finishedSpec(std::move(spec), config, keys);
}

/// fairseq's own names, which FSMT has behind "model.".
std::vector<std::string> ownNames(const std::string &slot, const TransformerSpec &spec)
{
    constexpr const char *kOutput = "decoder.output_projection.weight";
    if (slot == "output.weight")
        return {kOutput};
    const bool encoder = slot == "encoder.embedding";
    if (!encoder && slot != "decoder.embedding") {
        std::vector<std::string> names = seq2seq::recipe(slot, spec).names;
        return {names.back()}; // that of the bare class
    }
    std::vector<std::string> names{encoder ? "encoder.embed_tokens.weight" : "decoder.embed_tokens.weight"};
    if (encoder && spec.sharedEmbedding)
        names.emplace_back("decoder.embed_tokens.weight");
    if (spec.tiedOutput && encoder == spec.sharedEmbedding) // FSMT keeps the decoder's under the output's name
        names.insert(encoder || spec.family != "fsmt" ? names.end() : names.begin(), kOutput);
    return names;
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &spec)
{
    TensorRecipe recipe{ownNames(slot, spec)};
    if (spec.family == "fsmt") {
        for (std::string &name : recipe.names)
            name.insert(0, "model.");
    }
    return recipe;
}

bool isIgnored(std::string_view name)
{
    return seq2seq::isIgnored(name) || name.ends_with("_float_tensor") || name.ends_with(".output_projection.weight");
}

} // namespace fsmtfamily

extern const Family kFsmtFamily, kFairseqFamily;
const Family kFsmtFamily{"fsmt", "FSMT (fairseq's WMT models, texts as Moses cuts them)", fsmtfamily::makeFsmtSpec,
                         fsmtfamily::recipe, fsmtfamily::isIgnored};
const Family kFairseqFamily{
    "fairseq",
    "fairseq's translation models as published (model.pt, dict.*.txt, bpecodes; texts as Moses cuts "
    "them)",
    fsmtfamily::makeFairseqSpec, fsmtfamily::recipe, fsmtfamily::isIgnored};

} // namespace headscope
