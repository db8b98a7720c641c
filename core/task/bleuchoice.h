#pragma once

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/metrics/bleu.h"
#include "core/tokenize/tokenizer.h"

#include <string>
#include <vector>

namespace headscope {

/// How BLEU cuts the texts of a data set into words: as its origin names it (DataSource::bleuTokenize), or as sacreBLEU
/// 2 chooses for the language that the model writes. What differs from sacreBLEU's choice, and references without
/// blanks of a language that nobody knows, is said in `notes`. Errors: an unknown name, tokenizers that Headscope has
/// not (ja-mecab, ko-mecab …), a SentencePiece model that cannot be read. `tokenizer` may be null.
Result<BleuOptions> bleuOptionsFor(const Dataset &dataset, const Tokenizer *tokenizer, std::vector<std::string> &notes);

} // namespace headscope
