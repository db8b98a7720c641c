#include "core/model/marianconfig.h"

#include "core/formats/marianfolder.h"
#include "core/formats/yaml.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

/// The options of a model as Marian spells them.
class MarianOptions
{
public:
    explicit MarianOptions(nlohmann::json values) : m_values(std::move(values)) { }

    const nlohmann::json &at(const char *key) const
    {
        static const nlohmann::json kNothing;
        const auto found = m_values.find(key);
        return found == m_values.end() ? kNothing : *found;
    }
    bool flag(const char *key) const { return at(key) == true; }
    std::int64_t integer(const char *key, std::int64_t fallback) const
    {
        return at(key).is_number_integer() ? at(key).get<std::int64_t>() : fallback;
    }
    double number(const char *key, double fallback) const
    {
        const nlohmann::json &value = at(key);
        return value.is_number() ? value.get<double>() : value.is_boolean() ? (value == true ? 1 : 0) : fallback;
    }
    std::string text(const char *key, const std::string &fallback) const
    {
        return at(key).is_string() ? at(key).get<std::string>() : fallback;
    }
    /// Operations around a sub-layer, one letter each, without dropout ("d").
    std::string operations(const char *key, const std::string &fallback) const
    {
        std::string letters = text(key, fallback);
        std::erase(letters, 'd');
        return letters;
    }

private:
    nlohmann::json m_values;
};

std::string saysOption(const char *key, const nlohmann::json &value)
{
    return std::string(key) + ": " + (value.is_string() ? value.get<std::string>() : value.dump()).substr(0, 60);
}

/// An option whose value is not computed; empty: all are.
std::string notComputed(const MarianOptions &options)
{
    if (options.text("type", "") != "transformer")
        return saysOption("type", options.at("type")) + " (computed is: transformer)";
    if (options.text("transformer-decoder-autoreg", "self-attention") != "self-attention")
        return saysOption("transformer-decoder-autoreg", options.at("transformer-decoder-autoreg"))
             + " (a decoder without self-attention has no heads to look at there)";
    for (const char *flag : {"transformer-no-projection", "transformer-train-positions",
                             "transformer-train-position-embeddings", "transformer-pool", "transformer-no-bias",
                             "transformer-no-affine", "transformer-disable-position-embeddings", "ulr"}) {
        if (options.flag(flag))
            return flag;
    }
    for (const char *key : {"transformer-tied-layers", "lemma-dim-emb", "factors-dim-emb"}) {
        const nlohmann::json &value = options.at(key);
        const bool isUnset = value.is_null() || value == 0 || value == "" || (value.is_array() && value.empty());
        if (!isUnset)
            return saysOption(key, value);
    }
    if (options.integer("transformer-ffn-depth", 2) != 2)
        return saysOption("transformer-ffn-depth", options.at("transformer-ffn-depth"));
    const std::int64_t depth = options.integer("transformer-decoder-ffn-depth", 0);
    if (depth != 0 && depth != 2)
        return saysOption("transformer-decoder-ffn-depth", options.at("transformer-decoder-ffn-depth"));
    if (options.integer("dim-emb", 512) % 2 != 0)
        return saysOption("dim-emb", options.at("dim-emb")) + " (positions need an even width)";
    return {};
}

/// Norms before sub-layers or after their sums; nothing: another order of operations.
std::optional<bool> normsBefore(const MarianOptions &options)
{
    const std::string before = options.operations("transformer-preprocess", "");
    const std::string after = options.operations("transformer-postprocess", "dan");
    if (before == "n" && after == "a")
        return true;
    return before.empty() && after == "an" ? std::optional(false) : std::nullopt;
}

/// Whether there is a norm where Marian has `key`; nothing: another operation stands there.
std::optional<bool> normAt(const MarianOptions &options, const char *key, const char *fallback)
{
    const std::string letters = options.operations(key, fallback);
    return letters.empty() || letters == "n" ? std::optional(letters == "n") : std::nullopt;
}

std::string activationOf(const MarianOptions &options)
{
    const std::string name = options.text("transformer-ffn-activation", "swish");
    return name == "gelu" ? "quick_gelu" : name; // x·σ(1.702·x)
}

Result<nlohmann::json> modelOptions(const Checkpoint &checkpoint, const std::string &file)
{
    const auto text = checkpoint.metadata().find(kMarianConfig);
    if (text == checkpoint.metadata().end())
        return badInput(file + " does not say how its model was made (" + kMarianConfig
                        + "). Is it a checkpoint of Marian?");
    auto options = parseYaml(text->second, file + ", " + kMarianConfig);
    if (options.isOk() && !options.value().is_object())
        return badInput(file + ": " + kMarianConfig + " must hold a map of options and values");
    return options;
}

struct MarianTokens
{
    std::int64_t end = 0;
    std::int64_t unknown = 1;
};

/// Ids of the target's special tokens. SentencePiece models of Marian have 0 and 1.
Result<MarianTokens> specialTokens(const std::filesystem::path &folder, const std::vector<std::string> &vocabularies)
{
    MarianTokens tokens;
    if (vocabularies.empty() || vocabularies.back().ends_with(".spm"))
        return tokens;
    const auto file = folder / vocabularies.back();
    const auto read = readMarianVocabulary(file);
    if (!read.isOk())
        return read.error();
    const auto end = marianTokenId(read.value(), "</s>");
    const auto unknown = marianTokenId(read.value(), "<unk>");
    if (!end || !unknown)
        return badInput(file.string() + " lacks the special token " + (end ? "<unk>" : "</s>"));
    return MarianTokens{*end, *unknown};
}

/// Where norms stand.
struct MarianNorms
{
    bool before = false;
    bool ofEmbeddings = false;
    bool atTop = false;
};

Result<MarianNorms> normsOf(const MarianOptions &options, const std::string &file)
{
    const auto before = normsBefore(options);
    const auto ofEmbeddings = normAt(options, "transformer-postprocess-emb", "d");
    const auto atTop = normAt(options, "transformer-postprocess-top", "");
    if (before && ofEmbeddings && atTop)
        return MarianNorms{*before, *ofEmbeddings, *atTop};
    return badInput(file + ": this order of norms and sums is not computed (transformer-preprocess \""
                    + options.text("transformer-preprocess", "") + "\", transformer-postprocess \""
                    + options.text("transformer-postprocess", "dan") + "\", transformer-postprocess-emb \""
                    + options.text("transformer-postprocess-emb", "d") + "\", transformer-postprocess-top \""
                    + options.text("transformer-postprocess-top", "")
                    + "\"). Computed are norms after every sum (\"\" and \"dan\") and norms before every sub-layer "
                      "(\"n\" and \"da\"), with or without one at the top and of the embeddings.");
}

/// The keys of config.json that hold for all models of Marian's or follow from its options alone.
nlohmann::json settingsOf(const MarianOptions &options)
{
    const std::int64_t feedForward = options.integer("transformer-dim-ffn", 2048);
    const std::int64_t decoderFeedForward = options.integer("transformer-decoder-dim-ffn", 0);
    return {{"model_type", kMarianNmtType},
            {"architectures", {"MarianMTModel"}},
            {"d_model", options.integer("dim-emb", 512)},
            {"encoder_layers", options.integer("enc-depth", 6)},
            {"decoder_layers", options.integer("dec-depth", 6)},
            {"encoder_attention_heads", options.integer("transformer-heads", 8)},
            {"decoder_attention_heads", options.integer("transformer-heads", 8)},
            {"encoder_ffn_dim", feedForward},
            {"decoder_ffn_dim", decoderFeedForward > 0 ? decoderFeedForward : feedForward},
            {"activation_function", activationOf(options)},
            {"max_position_embeddings", 1024},
            {"scale_embedding", true},
            {"is_encoder_decoder", true},
            {"early_stopping", false},
            {"max_length", 512}};
}

/// The tensors of embeddings, by their names: of source and target.
Result<std::pair<std::string, std::string>> embeddingsOf(const Checkpoint &checkpoint, const std::string &file)
{
    std::pair<std::string, std::string> names{"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"};
    if (checkpoint.contains("model.shared.weight"))
        names = {"model.shared.weight", "model.shared.weight"};
    for (const std::string &name : {names.first, names.second}) {
        if (!checkpoint.contains(name) || checkpoint.shape(name).size() != 2)
            return badInput(file
                            + " lacks the embeddings (Wemb, or encoder_Wemb and decoder_Wemb). Is it a Transformer of "
                              "Marian's?");
    }
    return names;
}

/// The keys of config.json that say how outputs are searched, by the decoder's configuration.
nlohmann::json searchSettings(const nlohmann::json &decoder, const MarianTokens &tokens)
{
    const MarianOptions search(decoder);
    auto badWords = nlohmann::json::array();
    if (!search.flag("allow-unk"))
        badWords.push_back({tokens.unknown});
    return {{"eos_token_id", tokens.end},
            {"bos_token_id", tokens.end},
            {"unk_token_id", tokens.unknown},
            {"forced_eos_token_id", tokens.end},
            {"bad_words_ids", badWords},
            {"num_beams", std::clamp<std::int64_t>(search.integer("beam-size", 6), 1, 64)},
            {"length_penalty", search.number("normalize", decoder.empty() ? 1.0 : 0.0)},
            {"word_penalty", search.number("word-penalty", 0)}};
}

} // namespace

Result<nlohmann::json> marianConfig(const Checkpoint &checkpoint, const std::filesystem::path &folder)
{
    const std::string file = checkpoint.files().front().string();
    auto read = modelOptions(checkpoint, file);
    if (!read.isOk())
        return read.error();
    const auto decoder = marianDecoder(folder);
    if (!decoder.isOk())
        return decoder.error();
    const auto vocabularies = marianVocabularies(folder, decoder.value(), read.value());
    if (!vocabularies.isOk())
        return vocabularies.error();
    const MarianOptions options(std::move(read).value());
    if (const std::string part = notComputed(options); !part.empty())
        return badInput(file + ": Marian's option " + part + " is not computed.");
    const auto norms = normsOf(options, file);
    if (!norms.isOk())
        return norms.error();
    const std::string activation = activationOf(options);
    if (activation != "relu" && activation != "swish" && activation != "quick_gelu")
        return badInput(file + ": the activation " + activation + " is not computed.");
    const auto embeddings = embeddingsOf(checkpoint, file);
    if (!embeddings.isOk())
        return embeddings.error();
    const auto &[source, target] = embeddings.value();
    const auto tokens = specialTokens(folder, vocabularies.value());
    if (!tokens.isOk())
        return tokens.error();
    const std::int64_t rows = checkpoint.shape(source)[0]; // of both, with that of the padding
    const std::int64_t padding = rows - 1;
    nlohmann::json config = settingsOf(options);
    config.update(searchSettings(decoder.value(), tokens.value()));
    config.update(nlohmann::json{{"vocabs", vocabularies.value()},
                                 {"vocab_size", rows},
                                 {"decoder_vocab_size", checkpoint.shape(target)[0]},
                                 {"target_tokens", rows - checkpoint.addedRows(target)},
                                 {"normalize_before", norms.value().before},
                                 {"add_final_layer_norm", norms.value().atTop},
                                 {"normalize_embedding", norms.value().ofEmbeddings},
                                 {"output_bias", checkpoint.contains("final_logits_bias")},
                                 {"share_encoder_decoder_embeddings", source == target},
                                 {"tie_word_embeddings", !checkpoint.contains("lm_head.weight")},
                                 {"pad_token_id", padding},
                                 {"decoder_start_token_id", padding}});
    return config;
}

} // namespace headscope
