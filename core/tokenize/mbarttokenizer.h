#pragma once

#include "core/tokenize/tokenizer.h"

#include <memory>

namespace headscope {

// tokenizer.json, or the pieces of sentencepiece.bpe.model after fairseq's first four and before the languages.
// Whose
// language is not chosen has no token for it.

/// mBART with 25 languages: text </s> en_XX; the target's token starts the decoder.
Result<std::unique_ptr<Tokenizer>> openMbartTokenizer(const TokenizerFiles &files);
/// mBART-50: en_XX text </s>; the target's token is the first that is generated.
Result<std::unique_ptr<Tokenizer>> openMbart50Tokenizer(const TokenizerFiles &files);
/// NLLB: eng_Latn text </s>, or text </s> eng_Latn where legacy_behaviour says so; generation as for mBART-50.
Result<std::unique_ptr<Tokenizer>> openNllbTokenizer(const TokenizerFiles &files);

} // namespace headscope
