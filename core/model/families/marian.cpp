// Marian and OPUS-MT in Hugging Face's layout (MarianMTModel), and as Marian itself writes models, whose
// config.json is made from the checkpoint (Junczys-Dowmunt et al. 2018).
#include "core/model/families/seq2seq.h"

#include "core/model/marianconfig.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace headscope {
namespace marianfamily {

Result<TransformerSpec> makeSpec(const nlohmann::json &config, const nlohmann::json &generationConfig)
{
    ConfigReader keys(config);
    seq2seq::Traits marian;
    marian.family = "marian";
    marian.positions = {PositionTable::SinusoidalHalves, 0, false};
    marian.vocabulary = 58101;
    TransformerSpec spec = seq2seq::makeSpec(config, generationConfig, marian, keys);
    spec.sharedEmbedding = keys.flag("share_encoder_decoder_embeddings", true);
    if (spec.decoder && !spec.sharedEmbedding)
        spec.decoder->vocabulary = keys.integer({"decoder_vocab_size"}, spec.decoder->vocabulary, 1, 1 << 26);
    spec.generation.bannedLogits = {spec.generation.padId}; // MarianMTModel does so beside bad_words_ids
    return finishedSpec(std::move(spec), config, keys);
}

/// As Marian itself has it: positions by fairseq's divisors, norms with an epsilon of 1e-9, perhaps before sub-layers.
Result<TransformerSpec> makeNmtSpec(const nlohmann::json &config, const nlohmann::json &generationConfig)
{
    ConfigReader keys(config);
    seq2seq::Traits marian;
    marian.family = kMarianNmtType;
    marian.placement = keys.flag("normalize_before", false) ? NormPlacement::Pre : NormPlacement::Post;
    marian.finalNorm = keys.flag("add_final_layer_norm", false);
    marian.embeddingNorm = keys.flag("normalize_embedding", false);
    marian.positions = {PositionTable::SinusoidalFairseq, 0, false};
    marian.outputBias = keys.flag("output_bias", true);
    marian.scaleEmbedding = true;
    TransformerSpec spec = seq2seq::makeSpec(config, generationConfig, marian, keys);
    spec.norm.epsilon = 1e-9;
    if (spec.width < 4)
        keys.fail("\"d_model\" is " + std::to_string(spec.width) + "; the sinusoids of positions need at least 4.");
    spec.sharedEmbedding = keys.flag("share_encoder_decoder_embeddings", true);
    const std::int64_t rows = spec.decoder ? spec.decoder->vocabulary : 1;
    if (spec.decoder && !spec.sharedEmbedding)
        spec.decoder->vocabulary = keys.integer({"decoder_vocab_size"}, rows, 1, 1 << 26);
    // Rows that stand for no token: padding, and what the source's vocabulary has more than the target's.
    for (std::int64_t id = keys.integer({"target_tokens"}, rows - 1, 0, rows); id < rows; ++id)
        spec.generation.bannedLogits.push_back(id);
    if (const double penalty = keys.number("word_penalty", 0); penalty != 0)
        spec.generation.refused.push_back("word-penalty: " + std::to_string(penalty));
    return finishedSpec(std::move(spec), config, keys);
}

/// Vocabularies as trainMarianTokenizer writes them: </s> first, <pad> last.
nlohmann::ordered_json newConfig(const NewModel &model)
{
    const ModelSizes &sizes = model.sizes;
    const std::int64_t pad = model.vocabulary - 1;
    return {{"architectures", {"MarianMTModel"}},
            {"model_type", "marian"},
            {"vocab_size", model.vocabulary},
            {"decoder_vocab_size", model.vocabulary},
            {"d_model", sizes.width},
            {"encoder_layers", sizes.encoderLayers},
            {"decoder_layers", sizes.decoderLayers},
            {"num_hidden_layers", sizes.encoderLayers},
            {"encoder_attention_heads", sizes.encoderHeads},
            {"decoder_attention_heads", sizes.decoderHeads},
            {"encoder_ffn_dim", sizes.feedForward},
            {"decoder_ffn_dim", sizes.feedForward},
            {"activation_function", sizes.activation},
            {"dropout", model.dropout},
            {"attention_dropout", 0.0},
            {"activation_dropout", 0.0},
            {"max_position_embeddings", sizes.maxPositions},
            {"max_length", std::min<std::int64_t>(128, sizes.maxPositions)},
            {"num_beams", model.beams},
            {"scale_embedding", true},
            {"static_position_embeddings", true},
            {"normalize_before", false},
            {"normalize_embedding", false},
            {"add_final_layer_norm", false},
            {"share_encoder_decoder_embeddings", true},
            {"tie_word_embeddings", true},
            {"is_encoder_decoder", true},
            {"pad_token_id", pad},
            {"eos_token_id", 0},
            {"bos_token_id", 0},
            {"forced_eos_token_id", 0},
            {"decoder_start_token_id", pad},
            {"bad_words_ids", nlohmann::ordered_json::array({nlohmann::ordered_json::array({pad})})},
            {"torch_dtype", "float32"}};
}

} // namespace marianfamily

extern const Family kMarianFamily, kMarianNmtFamily;
const Family kMarianFamily{"marian",        "Marian, OPUS-MT",  marianfamily::makeSpec,
                           seq2seq::recipe, seq2seq::isIgnored, marianfamily::newConfig};
const Family kMarianNmtFamily{
    kMarianNmtType, "Marian's and OPUS-MT's models as trained (model.npz, decoder.yml, vocab.yml, source.spm)",
    marianfamily::makeNmtSpec, seq2seq::recipe, seq2seq::isIgnored};

} // namespace headscope
