#pragma once

#include "core/tokenize/tokenizer.h"

namespace headscope {

/// vocab.json and merges.txt of byte pair encoding, as a tokenizer.json has them.
struct ByteLevelFiles
{
    nlohmann::json vocabulary;
    nlohmann::json merges;
};

/// Errors: missing or damaged files.
Result<ByteLevelFiles> readByteLevelFiles(const TokenizerFiles &files);

} // namespace headscope
