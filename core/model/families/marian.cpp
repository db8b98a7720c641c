// Marian and OPUS-MT in Hugging Face's layout (MarianMTModel; FORMATS 3.3).
#include "core/model/families/seq2seq.h"

#include <algorithm>

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

extern const Family kMarianFamily;
const Family kMarianFamily{"marian",        "Marian, OPUS-MT",  marianfamily::makeSpec,
                           seq2seq::recipe, seq2seq::isIgnored, marianfamily::newConfig};

} // namespace headscope
