#pragma once

#include "core/base/result.h"
#include "core/tokenize/languages.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

/// Where in its text a piece comes from: bytes begin … end − 1.
struct TextSpan
{
    std::size_t begin = 0;
    std::size_t end = 0;

    bool operator==(const TextSpan &) const = default;
};

/// A text, or a pair of texts, as the model takes it. The first three and the spans have the same length, the
/// others too where the tokenizer gives them (those of encoders do).
struct Encoding
{
    std::vector<std::int64_t> ids;
    std::vector<std::string> pieces;   ///< what to show; an unknown piece keeps its own text
    std::vector<int> words;            ///< which word of its text a piece belongs to, from 0; -1 for special tokens
    std::vector<std::int64_t> typeIds; ///< token_type_ids
    std::vector<int> segments;         ///< 0 first text, 1 second text, -1 special tokens that no text holds
    std::vector<TextSpan> spans;       ///< in the text of the piece's segment; empty for special tokens
    bool cut = false;                  ///< something did not fit and was left out
};

/// The user's choices for a tokenizer; empty: as the folder's files say, where they do.
struct TokenizerOptions
{
    std::string sourceLanguage;
    std::string targetLanguage;
};

/// Text to ids and back, as Hugging Face's tokenizer of the same folder does it. Const functions may be called from
/// several threads at once.
class Tokenizer
{
public:
    virtual ~Tokenizer() = default;

    /// With all special tokens that the model expects, e.g. the end of the sentence. Errors: invalid UTF-8, a
    /// language that
    /// was not chosen.
    virtual Result<Encoding> encodeSource(std::string_view text) const = 0;
    /// The ids of a text in the language that the model writes; the same as encodeSource() where there is one language.
    virtual Result<Encoding> encodeTarget(std::string_view text) const { return encodeSource(text); }
    /// A text or a pair of texts with special tokens, cut to at most `longest` ids as transformers does with
    /// truncation "longest_first". Errors: invalid UTF-8, a tokenizer that takes single texts only.
    virtual Result<Encoding> encodePair(std::string_view text, std::optional<std::string_view> pair,
                                        std::size_t longest) const;
    /// The text of target ids without special tokens.
    virtual std::string decode(std::span<const std::int64_t> ids) const = 0;
    /// The piece of a target id, empty when there is none.
    virtual std::string pieceText(std::int64_t id) const = 0;
    virtual bool isSpecial(std::int64_t id) const = 0;
    /// One more than the largest source id.
    virtual std::int64_t vocabularySize() const = 0;
    virtual std::int64_t targetVocabularySize() const { return vocabularySize(); }
    /// One more than the largest source id of a text that has none of the tokens that were added to the vocabulary.
    virtual std::int64_t neededVocabulary() const { return vocabularySize(); }
    /// The languages of a multilingual model; otherwise none are known.
    virtual const Languages &languages() const;
    /// One line for the model card.
    virtual std::string description() const = 0;
    /// Notes for somebody who compares with another version of the library, in whole sentences.
    const std::vector<std::string> &notes() const { return m_notes; }
    void setNotes(std::vector<std::string> notes) { m_notes = std::move(notes); }
    /// The code of the language that the model writes, as far as the folder or the user says; empty: not known.
    const std::string &targetLanguage() const { return m_targetLanguage; }
    void setTargetLanguage(std::string code) { m_targetLanguage = std::move(code); }
    /// Texts of added tokens with ids from `rows` on are refused: the model's embedding has no more.
    void limitIds(std::int64_t rows) { m_rows = rows; }

protected:
    std::int64_t rows() const { return m_rows; }

private:
    std::vector<std::string> m_notes;
    std::string m_targetLanguage;
    std::int64_t m_rows = std::numeric_limits<std::int64_t>::max();
};

/// The files that the tokenizer of a folder is made from.
struct TokenizerFiles
{
    std::filesystem::path folder;
    nlohmann::json config;            ///< config.json
    nlohmann::json tokenizerConfig{}; ///< tokenizer_config.json, an empty object when absent
    /// special_tokens_map.json; an empty object when absent, and when tokenizer_config.json has
    /// "added_tokens_decoder": then transformers does not read it.
    nlohmann::json specialTokens{};
    nlohmann::json generation{}; ///< generation_config.json, an empty object when absent
    TokenizerOptions options{};
    /// tokenizer_config.json names a class that takes tokenizer.json as it is.
    bool isGeneric = false;
    /// Tokenizer::notes(), as they are found.
    std::shared_ptr<std::vector<std::string>> notes = std::make_shared<std::vector<std::string>>();

    bool has(const char *file) const { return std::filesystem::exists(folder / file); }
    /// The spelling of a special token ("eos_token"), from the settings or `fallback`. special_tokens_map.json wins.
    std::string specialToken(const char *key, const std::string &fallback) const;
    /// transformers 5 wrote tokenizer_config.json: its classes read tokenizer.json otherwise than those before it.
    bool isOfVersion5() const;
};

/// The tokenizer that belongs to a model; `config` is its config.json. A null pointer when the folder has no tokenizer
/// files: then only data with input_ids can be used. Errors: missing or damaged files, a kind of tokenizer that is not
/// supported, languages that the model does not know. Languages may stay open; then encoding asks for them.
Result<std::unique_ptr<Tokenizer>> openTokenizer(const std::filesystem::path &folder, const nlohmann::json &config,
                                                 const TokenizerOptions &options = {});

} // namespace headscope
