#pragma once

#include "core/tokenize/tokenizer.h"

#include <memory>

namespace headscope {

/// BERT, DistilBERT and ELECTRA: tokenizer.json, or WordPiece with the pieces of vocab.txt.
Result<std::unique_ptr<Tokenizer>> openBertTokenizer(const TokenizerFiles &files);

} // namespace headscope
