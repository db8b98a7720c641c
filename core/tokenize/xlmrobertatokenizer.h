#pragma once

#include "core/tokenize/tokenizer.h"

#include <memory>

namespace headscope {

/// XLM-RoBERTa: tokenizer.json, or the pieces of sentencepiece.bpe.model after fairseq's <s> <pad> </s> <unk>.
Result<std::unique_ptr<Tokenizer>> openXlmRobertaTokenizer(const TokenizerFiles &files);
/// CamemBERT: likewise, with two more pieces that are not used.
Result<std::unique_ptr<Tokenizer>> openCamembertTokenizer(const TokenizerFiles &files);

} // namespace headscope
