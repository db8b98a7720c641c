#pragma once

#include "core/tokenize/tokenizer.h"

namespace headscope {

/// RoBERTa: tokenizer.json, or byte-level BPE with vocab.json and merges.txt.
Result<std::unique_ptr<Tokenizer>> openRobertaTokenizer(const TokenizerFiles &files);

} // namespace headscope
