#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// A text as the model takes it. All three have the same length.
struct Encoding
{
    std::vector<std::int64_t> ids;
    std::vector<std::string> pieces; ///< what to show; an unknown piece keeps its own text
    std::vector<int> words;          ///< which word of the text a piece belongs to, from 0; -1 for special tokens
};

/// Text to ids and back, as Hugging Face's tokenizer of the same folder does it. Const functions may be called from
/// several threads at once.
class Tokenizer
{
public:
    virtual ~Tokenizer() = default;

    /// With all special tokens that the model expects, e.g. the end of the sentence. Errors: invalid UTF-8.
    virtual Result<Encoding> encodeSource(std::string_view text) const = 0;
    virtual Result<Encoding> encodeTarget(std::string_view text) const = 0;
    /// The text of target ids without special tokens.
    virtual std::string decode(std::span<const std::int64_t> ids) const = 0;
    /// The piece of a target id, empty when there is none.
    virtual std::string pieceText(std::int64_t id) const = 0;
    virtual bool isSpecial(std::int64_t id) const = 0;
    /// One more than the largest source id.
    virtual std::int64_t vocabularySize() const = 0;
    virtual std::int64_t targetVocabularySize() const { return vocabularySize(); }
    /// One line for the model card.
    virtual std::string description() const = 0;
};

/// What the tokenizer of a folder is made from.
struct TokenizerFiles
{
    std::filesystem::path folder;
    nlohmann::json config;          ///< config.json
    nlohmann::json tokenizerConfig; ///< tokenizer_config.json, an empty object when absent
    nlohmann::json specialTokens;   ///< special_tokens_map.json, likewise

    bool has(const char *file) const { return std::filesystem::exists(folder / file); }
    /// The spelling of a special token ("eos_token"), from the settings or `fallback`.
    std::string specialToken(const char *key, const std::string &fallback) const;
};

/// The tokenizer that belongs to a model; `config` is its config.json. A null pointer when the folder has no tokenizer
/// files: then only data with input_ids can be used. Errors: missing or damaged files, a kind of tokenizer that is not
/// supported.
Result<std::unique_ptr<Tokenizer>> openTokenizer(const std::filesystem::path &folder, const nlohmann::json &config);

} // namespace headscope
