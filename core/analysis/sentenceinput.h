#pragma once

#include "core/model/transformer.h"
#include "core/tokenize/tokenizer.h"

#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// Cuts what is longer than the model's positions as data sets are cut: where tokens end with a special one, that is
/// kept. True if it was.
bool cutToPositions(Encoding &encoding, const Transformer &model);

/// A sentence, or with `pair` (which may be empty) a pair of texts, as the first stack of a model reads it; for an
/// encoder-decoder the source; for a decoder that is classified up to the token that decides. Throws Failure.
struct SentenceInput
{
    Encoding encoding;
    bool cut = false; ///< it did not fit into the model's positions

    TokenBatch batch(const Transformer &model) const;
    /// The tokens that the decoder of a classifier reads beside it. Precondition: there is one.
    TokenBatch prefix(const Transformer &model) const;
};
SentenceInput sentenceInput(const Transformer &model, const Tokenizer &tokenizer, const std::string &text,
                            std::optional<std::string_view> pair);

} // namespace headscope
