#pragma once

#include "core/tokenize/tokenizer.h"

#include <memory>

namespace headscope {

/// fairseq's translation models: words between blanks, as Moses' tokenizer leaves them, cut by the folder's codes into
/// pieces that "@@" continues (subwordcodes.h), with the ids of dict.LANGUAGE.txt, and </s> at the end. Without codes
/// the text's own words are the pieces. FSMT's folders hold the same in vocab-src.json, vocab-tgt.json and merges.txt.
Result<std::unique_ptr<Tokenizer>> openFairseqTokenizer(const TokenizerFiles &files);

} // namespace headscope
