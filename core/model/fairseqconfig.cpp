#include "core/model/fairseqconfig.h"

#include "core/formats/fairseqfolder.h"
#include "core/formats/folderfiles.h"
#include "core/formats/mappedfile.h"
#include "core/formats/torchfile.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace headscope {

namespace {

/// The arguments of a model: "args" of older checkpoints, "cfg" of newer ones, where they may lie under "model".
class Arguments
{
public:
    explicit Arguments(const nlohmann::json &settings)
    {
        for (const char *key : {"cfg", "args"}) {
            const auto found = settings.find(key);
            if (found == settings.end() || !found->is_object())
                continue;
            m_values.update(*found);
            // The model says most in a configuration, and the task has the languages.
            for (const char *part : {"task", "model"}) {
                const auto inner = found->find(part);
                if (inner != found->end() && inner->is_object())
                    m_values.update(*inner);
            }
        }
    }

    const nlohmann::json &at(const char *key) const
    {
        static const nlohmann::json kNothing;
        const auto found = m_values.find(key);
        return found == m_values.end() ? kNothing : *found;
    }
    std::int64_t integer(const char *key, std::int64_t fallback) const
    {
        return at(key).is_number_integer() ? at(key).get<std::int64_t>() : fallback;
    }
    std::string text(const char *key, const std::string &fallback = {}) const
    {
        return at(key).is_string() ? at(key).get<std::string>() : fallback;
    }
    bool flag(const char *key) const { return at(key) == true; }
    /// The architecture's name, as either form says it.
    std::string architecture() const
    {
        const std::string arch = text("arch");
        return arch.empty() ? text("_name") : arch;
    }
    bool empty() const { return m_values.empty(); }

private:
    nlohmann::json m_values = nlohmann::json::object();
};

/// A part of the architecture that is not computed, by its argument; empty: all of it is.
std::string notComputed(const Arguments &arguments)
{
    for (const char *flag :
         {"adaptive_input", "no_token_positional_embeddings", "no_cross_attention", "cross_self_attention",
          "layer_wise_attention", "no_decoder_final_norm", "tie_adaptive_weights", "full_context_alignment"}) {
        if (arguments.flag(flag))
            return flag;
    }
    for (const char *key : {"adaptive_softmax_cutoff", "encoder_layers_to_keep", "decoder_layers_to_keep",
                            "char_embedder_highway_layers", "base_layers"}) {
        const nlohmann::json &value = arguments.at(key);
        if (!value.is_null() && value != false && value != 0 && value != "")
            return std::string(key) + " = " + value.dump().substr(0, 60);
    }
    const std::int64_t width = arguments.integer("encoder_embed_dim", 512);
    for (const char *key : {"decoder_embed_dim", "decoder_input_dim", "decoder_output_dim"}) {
        if (arguments.integer(key, width) != width)
            return std::string(key) + " other than encoder_embed_dim";
    }
    for (const char *both : {"normalize_before", "learned_pos"}) {
        const std::string name = both;
        if (arguments.flag(("encoder_" + name).c_str()) != arguments.flag(("decoder_" + name).c_str()))
            return "encoder_" + name + " other than decoder_" + name;
    }
    const bool learned = arguments.flag("encoder_learned_pos");
    if (learned && arguments.integer("max_source_positions", 1024) != arguments.integer("max_target_positions", 1024))
        return "learned positions of which the encoder has another number than the decoder";
    return {};
}

/// The source's and the target's: from the arguments, or a sole dictionary for both.
Result<std::pair<std::string, std::string>> languagesOf(const Arguments &arguments, const std::filesystem::path &folder)
{
    std::pair<std::string, std::string> languages{arguments.text("source_lang"), arguments.text("target_lang")};
    if (languages.first.empty() || languages.second.empty())
        return badInput(folder.string()
                        + ": the checkpoint does not say its languages (source_lang, target_lang). Is it a model for "
                          "translation?");
    for (const std::string &language : {languages.first, languages.second}) {
        std::error_code ignored;
        if (!isPlainFileName(fairseqDictionary(language)))
            return badInput(folder.string() + ": \"" + language + "\" in the checkpoint is no name of a language.");
        if (!std::filesystem::exists(folder / fairseqDictionary(language), ignored))
            return badInput(folder.string() + " lacks " + fairseqDictionary(language)
                            + ", the dictionary of the checkpoint's language " + language + ".");
    }
    return languages;
}

Result<Done> checkArchitecture(const Arguments &arguments, const std::string &file)
{
    if (arguments.empty())
        return badInput(file
                        + " does not say how its model was made (\"args\" or \"cfg\"). Is it a checkpoint of fairseq?");
    const std::string architecture = arguments.architecture();
    const bool translates = architecture.starts_with("transformer") && architecture.find("_lm") == std::string::npos;
    if (!translates)
        return badInput(
            file + ": the architecture \"" + architecture
            + "\" of fairseq is not computed; of fairseq's models those for translation with \"transformer\" "
              "are.");
    if (const std::string part = notComputed(arguments); !part.empty())
        return badInput(file + ": fairseq's " + part + " is not computed.");
    return Done{};
}

/// The keys of config.json that follow from the arguments alone.
nlohmann::json argumentSettings(const Arguments &arguments)
{
    const bool shared = arguments.flag("share_all_embeddings");
    const auto positions
        = std::min(arguments.integer("max_source_positions", 1024), arguments.integer("max_target_positions", 1024));
    return {{"architectures", {arguments.architecture()}},
            {"d_model", arguments.integer("encoder_embed_dim", 512)},
            {"encoder_layers", arguments.integer("encoder_layers", 6)},
            {"decoder_layers", arguments.integer("decoder_layers", 6)},
            {"encoder_attention_heads", arguments.integer("encoder_attention_heads", 8)},
            {"decoder_attention_heads", arguments.integer("decoder_attention_heads", 8)},
            {"encoder_ffn_dim", arguments.integer("encoder_ffn_embed_dim", 2048)},
            {"decoder_ffn_dim", arguments.integer("decoder_ffn_embed_dim", 2048)},
            {"activation_function", arguments.text("activation_fn", "relu")},
            {"max_position_embeddings", positions},
            {"learned_positions", arguments.flag("encoder_learned_pos")},
            {"scale_embedding", !arguments.flag("no_scale_embedding")},
            {"normalize_before", arguments.flag("encoder_normalize_before")},
            {"normalize_embedding", arguments.flag("layernorm_embedding")},
            {"share_encoder_decoder_embeddings", shared},
            {"tie_word_embeddings", shared || arguments.flag("share_decoder_input_output_embed")},
            {"max_length", std::min<std::int64_t>(200, positions)}};
}

/// Those of all models of fairseq's: their special tokens, and how they are searched.
nlohmann::json commonSettings()
{
    return {{"model_type", "fairseq"},
            {"is_encoder_decoder", true},
            {"bos_token_id", 0},
            {"pad_token_id", 1},
            {"eos_token_id", 2},
            {"unk_token_id", 3},
            {"decoder_start_token_id", 2},
            {"forced_eos_token_id", 2},
            {"bad_words_ids", nlohmann::json::array({nlohmann::json::array({1})})},
            {"num_beams", 5},
            {"length_penalty", 1.0},
            {"early_stopping", false}};
}

} // namespace

Result<nlohmann::json> fairseqConfig(const Checkpoint &checkpoint, const std::filesystem::path &folder)
{
    const auto path = fairseqCheckpoint(folder);
    if (!path.isOk())
        return path.error();
    const std::string file = path.value().string();
    const auto mapped = MappedFile::open(path.value());
    if (!mapped.isOk())
        return mapped.error();
    const auto parsed = parseTorchFile(mapped.value()->bytes(), file);
    if (!parsed.isOk())
        return parsed.error();
    const Arguments arguments(parsed.value().settings);
    if (const auto checked = checkArchitecture(arguments, file); !checked.isOk())
        return checked.error();
    const auto languages = languagesOf(arguments, folder);
    if (!languages.isOk())
        return languages.error();
    constexpr const char *kSource = "encoder.embed_tokens.weight";
    constexpr const char *kTarget = "decoder.embed_tokens.weight";
    for (const char *name : {kSource, kTarget}) {
        if (!checkpoint.contains(name) || checkpoint.shape(name).size() != 2)
            return badInput(file + " lacks the tensor " + name + ". Is it a Transformer of fairseq's?");
    }
    nlohmann::json config = commonSettings();
    config.update(argumentSettings(arguments));
    config["langs"] = {languages.value().first, languages.value().second};
    config["vocab_size"] = checkpoint.shape(kSource)[0];
    config["decoder_vocab_size"] = checkpoint.shape(kTarget)[0];
    // Early versions had no norm after the last layer.
    config["add_final_layer_norm"]
        = arguments.flag("encoder_normalize_before") && checkpoint.contains("encoder.layer_norm.weight");
    return config;
}

} // namespace headscope
