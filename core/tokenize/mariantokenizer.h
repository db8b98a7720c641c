#pragma once

#include "core/tokenize/tokenizer.h"

#include <memory>

namespace headscope {

/// Marian and OPUS-MT: SentencePiece pieces from source.spm or target.spm, ids from vocab.json (and from
/// target_vocab.json with separate_vocabs). Behaves as MarianTokenizer of transformers 4.27.
Result<std::unique_ptr<Tokenizer>> openMarianTokenizer(const TokenizerFiles &files);

} // namespace headscope
