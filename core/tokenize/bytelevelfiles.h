#pragma once

#include "core/tokenize/tokenizer.h"
#include "core/tokenize/tokenizersettings.h"

#include <nlohmann/json.hpp>

#include <span>

namespace headscope {

/// Byte pair encoding from vocab.json and merges.txt as a tokenizer.json has it: decoder, added tokens and model. What
/// cuts text into words and what is put around it differs from family to family. Errors: missing or damaged files.
Result<nlohmann::json> readByteLevelFiles(const TokenizerFiles &files, std::span<const SpecialToken> special);

} // namespace headscope
