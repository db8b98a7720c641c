#pragma once

#include "core/tokenize/tokenizer.h"

#include <memory>

namespace headscope {

/// DeBERTa-v2 and v3: tokenizer.json, or a Unigram model of SentencePiece (spm.model) with its own special tokens in
/// it, [MASK] after its pieces, and pairs as BERT has them.
Result<std::unique_ptr<Tokenizer>> openDebertaTokenizer(const TokenizerFiles &files);

} // namespace headscope
