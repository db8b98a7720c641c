#pragma once

#include "core/tokenize/tokenizer.h"

#include <memory>
#include <string>

namespace headscope {

/// A tokenizer.json of the "fast" tokenizers, every one of its components by name; its settings for truncation and
/// padding do not count. `name` (the file) is what errors speak of. Errors: damaged files, components that are not supported.
/// `cleansUp` is clean_up_tokenization_spaces of tokenizer_config.json.
Result<std::unique_ptr<Tokenizer>> tokenizerFromJson(const nlohmann::json &json, const std::string &name,
                                                     bool cleansUp = true);

/// From the folder's tokenizer.json, with what tokenizer_config.json says otherwise.
Result<std::unique_ptr<Tokenizer>> openTokenizerJson(const TokenizerFiles &files);

} // namespace headscope
