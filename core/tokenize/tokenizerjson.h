#pragma once

#include "core/tokenize/pipeline/pipelinetokenizer.h"
#include "core/tokenize/tokenizer.h"

#include <functional>
#include <memory>
#include <string>

namespace headscope {

/// A tokenizer.json of the "fast" tokenizers, every one of its components by name; its settings for truncation and
/// padding do not count. Errors call the file `name`. Errors: damaged files, components that are not supported.
Result<std::unique_ptr<Tokenizer>> tokenizerFromJson(const nlohmann::json &json, const std::string &name,
                                                     bool cleansUp = false);

/// The same with what tokenizer_config.json says of cleaning up and of special tokens in texts.
Result<std::unique_ptr<Tokenizer>> tokenizerFromJson(const nlohmann::json &json, const std::string &name,
                                                     const TokenizerFiles &files);

/// The parts of the tokenizer, for tokenizers that replace some of them. Throws Failure.
pipeline::Components componentsFromJson(const nlohmann::json &json, const std::string &name);

/// Whose rules change a tokenizer.json after it was read.
enum class JsonRules {
    Any,  ///< what all classes do: blanks before texts are as tokenizer_config.json says, and it may add tokens
    Bert, ///< BertTokenizerFast and those that are written like it: so are small letters, accents and Chinese signs
};

/// The folder's tokenizer.json with what tokenizer_config.json says otherwise, by the rules of its class. Errors: a
/// damaged file.
Result<nlohmann::json> readTokenizerJson(const TokenizerFiles &files, JsonRules rules = JsonRules::Any);

/// A tokenizer from `json`, the folder's tokenizer.json or what its old `file` was read as, once `change` has changed
/// its
/// parts; `change` may throw Failure.
Result<std::unique_ptr<Tokenizer>> fromParts(const TokenizerFiles &files, const nlohmann::json &json, const char *file,
                                             const std::function<void(pipeline::Components &)> &change);

/// From the folder's tokenizer.json, with what tokenizer_config.json says otherwise.
Result<std::unique_ptr<Tokenizer>> openTokenizerJson(const TokenizerFiles &files, JsonRules rules = JsonRules::Any);

} // namespace headscope
