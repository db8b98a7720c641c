#pragma once

#include "core/model/spec.h"
#include "core/tokenize/tokenizer.h"

#include <cstdint>
#include <vector>

namespace headscope {

/// Sequences of random tokens that are repeated, r1 … rn r1 … rn, with the special tokens around them that the model's
/// tokenizer puts around a text.
struct RepeatedTokens
{
    std::vector<std::vector<std::int64_t>> sequences; ///< of equal length
    std::int64_t first = 0;                           ///< position of r1
    std::int64_t length = 0;                          ///< n

    std::int64_t second() const { return first + length; } ///< position of r1 the second time
    std::int64_t positions() const { return sequences.empty() ? 0 : std::ssize(sequences.front()); }
};

/// `count` sequences for the only stack of a model. Tokens are drawn uniformly and without replacement from those that
/// are neither special nor added; without a tokenizer from all. Equal seeds and vocabularies give equal sequences. n is
/// `length`, or as much of it as the model's positions and tokens allow. Throws Failure where that is less than 2.
RepeatedTokens repeatedTokens(const TransformerSpec &spec, const Tokenizer *tokenizer, std::int64_t length,
                              std::int64_t count, std::uint64_t seed);

} // namespace headscope
