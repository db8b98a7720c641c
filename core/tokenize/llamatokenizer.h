#pragma once

#include "core/tokenize/tokenizer.h"

#include <memory>

namespace headscope {

/// Llama 1 and 2, Mistral: tokenizer.json, or the pieces of tokenizer.model, whose scores order the merges. What
/// stands around
/// a text is add_bos_token's and add_eos_token's word, as in the original class, unless the folder names a general one.
Result<std::unique_ptr<Tokenizer>> openLlamaTokenizer(const TokenizerFiles &files);

} // namespace headscope
