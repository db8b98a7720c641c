#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::pipeline {

/// Texts and their numbers, looked up byte by byte: the prefixes of a text that are in it, in one walk.
class Trie
{
public:
    static constexpr std::int64_t kNone = -1;
    static constexpr std::int64_t kRoot = 0;

    Trie() : m_nodes(1), m_labels(1) { }
    /// The last one of equal texts counts; empty texts are left out.
    explicit Trie(std::vector<std::pair<std::string_view, std::int64_t>> entries);

    /// The node after `node` for a byte, kNone when there is none.
    std::int64_t child(std::int64_t node, char byte) const;
    /// The node after `node` for all bytes of a text, kNone when there is none.
    std::int64_t descend(std::int64_t node, std::string_view text) const;
    /// The number of the text that ends at a node, kNone when none does.
    std::int64_t number(std::int64_t node) const { return m_nodes[static_cast<std::size_t>(node)].number; }

private:
    struct Node
    {
        std::int32_t number = -1;
        std::uint32_t firstChild = 0;
        std::uint32_t children = 0;
    };

    std::vector<Node> m_nodes;
    std::vector<unsigned char> m_labels; ///< of the node of the same index
};

} // namespace headscope::pipeline
