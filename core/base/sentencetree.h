#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace headscope {

/// A word of a dependency tree.
struct TreeWord
{
    std::string form;
    std::string tag;      ///< universal part of speech: "NOUN"
    int head = -1;        ///< place of its head in the sentence, −1: the root
    std::string relation; ///< to the head, without subtype: "nsubj"
    /// Bytes begin … end − 1 of the sentence's text; equal where the word is not written by itself ("du" = de + le).
    std::size_t begin = 0;
    std::size_t end = 0;

    bool operator==(const TreeWord &) const = default;
};

/// A dependency tree, words in their order; empty: none was given.
using SentenceTree = std::vector<TreeWord>;

} // namespace headscope
