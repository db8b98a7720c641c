#pragma once

#include "core/tokenize/tokenizer.h"

#include <memory>

namespace headscope {

/// GPT-2: tokenizer.json, or byte-level BPE with vocab.json and merges.txt. No special tokens around a text, unless
/// add_bos_token says so.
Result<std::unique_ptr<Tokenizer>> openGpt2Tokenizer(const TokenizerFiles &files);
/// Qwen2: likewise, of composed characters (NFC), with words split as GPT-4 does and digits one by one.
Result<std::unique_ptr<Tokenizer>> openQwen2Tokenizer(const TokenizerFiles &files);

} // namespace headscope
