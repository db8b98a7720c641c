#include "core/formats/gguf.h"
#include "core/tokenize/endtokens.h"
#include "core/tokenize/familytokenizers.h"
#include "core/tokenize/llamapieces.h"
#include "core/tokenize/tokenizerjson.h"
#include "core/tokenize/tokenizersettings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace headscope {
namespace {

constexpr const char *kGptWords = nullptr; ///< by the rules of GPT-2 itself

constexpr const char *kLlama3Words = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
                                     R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr const char *kTekkenWords
    = R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
      R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}|)"
      R"( ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// How a byte-level vocabulary cuts text into words ("tokenizer.ggml.pre").
struct Words
{
    std::string_view name;
    const char *const pattern;
    bool isLlama3 = false; ///< whole words that are pieces are taken as such, and texts begin with the begin token
    bool digits = false;   ///< each by itself
    bool composed = false; ///< characters are (NFC)
};

const Words kWords[] = {{"llama-bpe", kLlama3Words, true},
                        {"llama3", kLlama3Words, true},
                        {"llama-v3", kLlama3Words, true},
                        {"qwen2", kQwen2Words, false, false, true},
                        {"deepseek-r1-qwen", kQwen2Words, false, false, true},
                        {"tekken", kTekkenWords},
                        {"gpt-2", kGptWords},
                        {"smollm", kGptWords, false, true}};

/// The vocabulary of a file.
class GgufVocabulary
{
public:
    GgufVocabulary(const GgufFile &file, std::string path) : m_file(file), m_path(std::move(path)) { }

    const nlohmann::json &get(const char *key) const { return m_file.value(std::string("tokenizer.ggml.") + key); }
    const std::string &path() const { return m_path; }

    /// Lists that belong to the tokens are as long, and of the right kind.
    Result<Done> check() const
    {
        if (!get("tokens").is_array() || get("tokens").empty()
            || !std::ranges::all_of(get("tokens"), [](const nlohmann::json &token) { return token.is_string(); }))
            return missing("tokens");
        for (const char *key : {"scores", "token_type"}) {
            const nlohmann::json &list = get(key);
            if (!list.is_null()
                && (!list.is_array() || list.size() != get("tokens").size()
                    || !std::ranges::all_of(list, [](const nlohmann::json &value) { return value.is_number(); })))
                return missing(key);
        }
        return Done{};
    }

    Error missing(const char *key) const
    {
        return badInput(fmt::format("{} has no \"tokenizer.ggml.{}\" that goes with its tokens. Is the file damaged?",
                                    m_path, key));
    }

    std::string text(std::size_t id) const { return get("tokens")[id].get<std::string>(); }
    std::uint64_t type(std::size_t id) const
    {
        return get("token_type").is_null() ? std::uint64_t{SpmFile::Normal}
                                           : get("token_type")[id].get<std::uint64_t>();
    }

    /// The settings that tokenizer_config.json would have of tokens around a text.
    nlohmann::json settings(bool begins) const
    {
        nlohmann::json settings{{"add_bos_token", flag("add_bos_token", begins)},
                                {"add_eos_token", flag("add_eos_token", false)},
                                {"add_prefix_space", flag("add_space_prefix", true)}};
        for (const auto &[key, name] : {std::pair("bos_token", "bos_token_id"),
                                        {"eos_token", "eos_token_id"},
                                        {"unk_token", "unknown_token_id"},
                                        {"pad_token", "padding_token_id"}}) {
            const nlohmann::json &id = get(name);
            if (id.is_number_unsigned() && id < get("tokens").size())
                settings[key] = get("tokens")[id.get<std::size_t>()];
        }
        if (!settings.contains("bos_token"))
            settings["add_bos_token"] = false;
        if (!settings.contains("eos_token"))
            settings["add_eos_token"] = false;
        return settings;
    }

private:
    bool flag(const char *key, bool usual) const { return get(key).is_boolean() ? get(key).get<bool>() : usual; }

    const GgufFile &m_file;
    std::string m_path;
};

/// Gemma's files have blanks for what its pieces spell with "▁", and its merges are in the order of its pieces.
Result<SpmFile> piecesOf(const GgufVocabulary &vocabulary, bool isGemma)
{
    if (vocabulary.get("scores").is_null() || vocabulary.get("token_type").is_null())
        return vocabulary.missing("scores");
    SpmFile file;
    file.model = SpmFile::Bpe;
    for (std::size_t id = 0; id < vocabulary.get("tokens").size(); ++id) {
        SpmFile::Piece piece{vocabulary.text(id), vocabulary.get("scores")[id].get<float>(), vocabulary.type(id)};
        if (isGemma) {
            piece.score = -static_cast<float>(id);
            if (piece.text.size() > 1 && piece.text.find_first_not_of(' ') == std::string::npos) {
                const std::size_t blanks = piece.text.size();
                piece.text.clear();
                for (std::size_t i = 0; i < blanks; ++i)
                    piece.text += "\u2581";
            }
        }
        file.pieces.push_back(std::move(piece));
    }
    if (std::ranges::count(file.pieces, std::uint64_t{SpmFile::Unknown}, &SpmFile::Piece::type) != 1)
        return badInput(vocabulary.path()
                        + " has none or several unknown tokens (2 in \"tokenizer.ggml.token_type\").");
    return file;
}

/// Control tokens, and those that stand for themselves wherever they are.
nlohmann::json addedTokens(const GgufVocabulary &vocabulary)
{
    nlohmann::json added = nlohmann::json::array();
    for (std::size_t id = 0; id < vocabulary.get("tokens").size(); ++id) {
        const std::uint64_t type = vocabulary.type(id);
        if (type == SpmFile::Control || type == SpmFile::UserDefined)
            added.push_back({{"id", id},
                             {"content", vocabulary.text(id)},
                             {"normalized", false},
                             {"special", type == SpmFile::Control}});
    }
    return added;
}

nlohmann::json splitter(const Words &words)
{
    nlohmann::json steps = nlohmann::json::array();
    if (words.digits)
        steps.push_back({{"type", "Digits"}, {"individual_digits", true}});
    if (words.pattern != nullptr)
        steps.push_back({{"type", "Split"}, {"pattern", {{"Regex", words.pattern}}}, {"behavior", "Isolated"}});
    steps.push_back({{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", words.pattern == nullptr}});
    return {{"type", "Sequence"}, {"pretokenizers", std::move(steps)}};
}

Result<nlohmann::json> byteLevelJson(const GgufVocabulary &vocabulary, const Words &words)
{
    const nlohmann::json &merges = vocabulary.get("merges");
    if (!merges.is_array())
        return vocabulary.missing("merges");
    nlohmann::json ids = nlohmann::json::object();
    for (std::size_t id = 0; id < vocabulary.get("tokens").size(); ++id)
        ids[vocabulary.text(id)] = id;
    nlohmann::json json{{"decoder", {{"type", "ByteLevel"}}},
                        {"pre_tokenizer", splitter(words)},
                        {"added_tokens", addedTokens(vocabulary)}};
    if (words.composed)
        json["normalizer"] = {{"type", "NFC"}};
    json["model"] = {{"type", "BPE"}, {"ignore_merges", words.isLlama3}, {"merges", merges}};
    json["model"]["vocab"] = std::move(ids);
    return json;
}

Result<const Words *> wordsOf(const GgufVocabulary &vocabulary)
{
    const nlohmann::json &said = vocabulary.get("pre");
    const auto *words
        = std::ranges::find_if(kWords, [&](const Words &known) { return said == std::string(known.name); });
    if (words != std::end(kWords))
        return words;
    std::string known;
    for (const Words &one : kWords)
        known += (known.empty() ? "" : ", ") + std::string(one.name);
    return badInput(fmt::format("{}: \"tokenizer.ggml.pre\" is {}; Headscope knows {}. Put the file into a folder with "
                                "the model's tokenizer.json, and open that.",
                                vocabulary.path(), said.dump(), known));
}

/// tokenizer.json, and into `files` what tokenizer_config.json would say.
Result<nlohmann::json> jsonOf(const GgufFile &file, const GgufVocabulary &vocabulary, TokenizerFiles &files)
{
    if (vocabulary.get("model") == "gpt2") {
        const auto words = wordsOf(vocabulary);
        if (!words.isOk())
            return words.error();
        files.tokenizerConfig = vocabulary.settings(words.value()->isLlama3);
        return byteLevelJson(vocabulary, *words.value());
    }
    const nlohmann::json &kind = file.value("general.architecture");
    const auto pieces = piecesOf(vocabulary, kind.is_string() && kind.get<std::string>().starts_with("gemma"));
    if (!pieces.isOk())
        return pieces.error();
    files.tokenizerConfig = vocabulary.settings(true);
    return llamaJson(files, pieces.value(), vocabulary.path());
}

} // namespace

Result<std::unique_ptr<Tokenizer>> openGgufTokenizer(const TokenizerFiles &given)
{
    const auto file = readGguf(given.folder);
    if (!file.isOk())
        return file.error();
    const GgufVocabulary vocabulary(file.value(), given.folder.string());
    const nlohmann::json &model = vocabulary.get("model");
    if (model.is_null())
        return std::unique_ptr<Tokenizer>();
    if (model != "llama" && model != "gpt2")
        return badInput(fmt::format("{}: \"tokenizer.ggml.model\" is {}; Headscope reads llama and gpt2. Put the file "
                                    "into a folder with the model's tokenizer.json, and open that.",
                                    given.folder.string(), model.dump()));
    const auto checked = vocabulary.check();
    if (!checked.isOk())
        return checked.error();
    TokenizerFiles files = given;
    const auto json = jsonOf(file.value(), vocabulary, files);
    if (!json.isOk())
        return json.error();
    return fromParts(files, json.value(), "",
                     [&](pipeline::Components &parts) { setEndTokens(parts, files, {.begins = false}); });
}

} // namespace headscope
