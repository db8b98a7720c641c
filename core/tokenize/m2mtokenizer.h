#pragma once

#include "core/tokenize/tokenizer.h"

#include <memory>

namespace headscope {

/// M2M-100: __en__ text </s>, of sentencepiece.bpe.model's pieces with the ids of vocab.json and the languages after
/// them. A
/// folder of this kind without vocab.json is NLLB's.
Result<std::unique_ptr<Tokenizer>> openM2mTokenizer(const TokenizerFiles &files);

} // namespace headscope
