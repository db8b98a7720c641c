#include "core/tokenize/pipeline/trie.h"

#include <algorithm>

namespace headscope::pipeline {

Trie::Trie(std::vector<std::pair<std::string_view, std::int64_t>> entries)
{
    const auto byText = [](const auto &a, const auto &b) { return a.first < b.first; };
    std::stable_sort(entries.begin(), entries.end(), byText);
    // Nodes in order of their depth, so that the children of one lie side by side; each stands for a range of the
    // sorted texts that share its first bytes.
    struct Work
    {
        std::size_t begin, end;
    };
    std::vector<Work> level{{0, entries.size()}};
    m_nodes.emplace_back();
    m_labels.push_back(0);
    std::size_t firstOfLevel = 0;
    for (std::size_t depth = 0; !level.empty(); ++depth) {
        std::vector<Work> next;
        const std::size_t firstOfNext = m_nodes.size();
        for (std::size_t i = 0; i < level.size(); ++i) {
            auto [at, end] = level[i];
            const std::size_t node = firstOfLevel + i;
            for (; at < end && entries[at].first.size() == depth; ++at)
                if (depth > 0)
                    m_nodes[node].number = static_cast<std::int32_t>(entries[at].second);
            m_nodes[node].firstChild = static_cast<std::uint32_t>(m_nodes.size());
            while (at < end) {
                const char label = entries[at].first[depth];
                const std::size_t begin = at;
                while (at < end && entries[at].first[depth] == label)
                    ++at;
                next.push_back({begin, at});
                m_nodes.emplace_back();
                m_labels.push_back(static_cast<unsigned char>(label));
                ++m_nodes[node].children;
            }
        }
        level = std::move(next);
        firstOfLevel = firstOfNext;
    }
}

std::int64_t Trie::child(std::int64_t node, char byte) const
{
    const Node &parent = m_nodes[static_cast<std::size_t>(node)];
    const auto label = static_cast<unsigned char>(byte);
    const auto begin = m_labels.begin() + parent.firstChild;
    const auto end = begin + parent.children;
    const auto found = std::lower_bound(begin, end, label);
    return found != end && *found == label ? found - m_labels.begin() : kNone;
}

std::int64_t Trie::descend(std::int64_t node, std::string_view text) const
{
    for (const char byte : text) {
        node = child(node, byte);
        if (node == kNone)
            break;
    }
    return node;
}

} // namespace headscope::pipeline
