#pragma once

#include "core/base/sentencetree.h"
#include "core/tokenize/tokenizer.h"

#include <vector>

namespace headscope {

/// Which word of a tree every token of its text belongs to, −1: none. A token that covers several words ("n't." as one
/// piece) belongs to the word that has most of it, the first of equals; special tokens to none. `segment`: the text of
/// a pair that the tree is of.
std::vector<int> tokensInTree(const Encoding &encoding, const SentenceTree &tree, int segment = 0);

/// The tokens of every word; words that no token belongs to have none.
std::vector<std::vector<int>> piecesOfWords(const std::vector<int> &wordOfToken, std::size_t words);

} // namespace headscope
