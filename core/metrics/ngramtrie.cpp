#include "core/metrics/ngramtrie.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace headscope {

std::size_t NgramTrie::slotOf(std::uint64_t key) const
{
    const std::size_t mask = m_edges.size() - 1;
    std::size_t slot = static_cast<std::size_t>((key * 0x9e3779b97f4a7c15ULL) >> 32) & mask;
    while (m_edges[slot].key != 0 && m_edges[slot].key != key)
        slot = (slot + 1) & mask;
    return slot;
}

std::uint32_t NgramTrie::child(std::uint32_t parent, std::uint32_t symbol) const
{
    return m_edges[slotOf(edgeKey(parent, symbol))].node;
}

std::uint32_t NgramTrie::addChild(std::uint32_t parent, std::uint32_t symbol)
{
    Edge &edge = m_edges[slotOf(edgeKey(parent, symbol))];
    if (edge.key == 0) {
        edge = {edgeKey(parent, symbol), static_cast<std::uint32_t>(m_counts.size())};
        m_counts.push_back(0);
    }
    return edge.node;
}

void NgramTrie::grow(std::size_t edges)
{
    const std::size_t size = std::bit_ceil(std::max<std::size_t>(16, 2 * edges));
    if (size <= m_edges.size())
        return;
    const std::vector<Edge> old = std::exchange(m_edges, std::vector<Edge>(size));
    for (const Edge &edge : old) {
        if (edge.key != 0)
            m_edges[slotOf(edge.key)] = edge;
    }
}

void NgramTrie::add(std::span<const std::uint32_t> symbols)
{
    grow(m_counts.size() + symbols.size() * m_maxOrder);
    std::vector<std::uint32_t> visited;
    std::vector<std::uint32_t> counts(m_counts.size() + symbols.size() * m_maxOrder, 0);
    for (std::size_t start = 0; start < symbols.size(); ++start) {
        const std::size_t end = std::min(start + m_maxOrder, symbols.size());
        std::uint32_t node = 0;
        for (std::size_t i = start; i < end; ++i) {
            node = addChild(node, symbols[i]);
            ++counts[node];
            visited.push_back(node);
        }
    }
    for (const std::uint32_t node : visited)
        m_counts[node] = std::max(m_counts[node], counts[node]);
}

void NgramTrie::match(std::span<const std::uint32_t> symbols, std::span<double> matches) const
{
    std::fill(matches.begin(), matches.end(), 0);
    if (m_edges.empty())
        return;
    std::vector<std::uint32_t> left = m_counts;
    for (std::size_t start = 0; start < symbols.size(); ++start) {
        const std::size_t end = std::min(start + m_maxOrder, symbols.size());
        std::uint32_t node = 0;
        for (std::size_t i = start; i < end; ++i) {
            node = child(node, symbols[i]);
            if (node == 0)
                break;
            if (left[node] > 0) {
                --left[node];
                matches[i - start] += 1;
            }
        }
    }
}

} // namespace headscope
