#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace headscope {

/// The n-grams of a reference with their counts, as a tree: a node is an n-gram, its children continue it by one
/// symbol. Exact (no n-gram is ever taken for another) and quick: a hypothesis walks down from each of its symbols.
class NgramTrie
{
public:
    explicit NgramTrie(int maxOrder) : m_maxOrder(static_cast<std::size_t>(maxOrder)) { }

    /// Adds a reference. Where it shares n-grams with an earlier one, the higher of the two counts stays.
    void add(std::span<const std::uint32_t> symbols);
    /// Σ over n-grams of order n of min(count here, count in `symbols`), into matches[n − 1], n = 1…maxOrder.
    void match(std::span<const std::uint32_t> symbols, std::span<double> matches) const;

private:
    struct Edge
    {
        std::uint64_t key = 0; ///< parent node and symbol, 0 = free
        std::uint32_t node = 0;
    };
    static std::uint64_t edgeKey(std::uint32_t parent, std::uint32_t symbol)
    {
        return (static_cast<std::uint64_t>(parent + 1) << 32) | symbol;
    }
    std::size_t slotOf(std::uint64_t key) const;
    std::uint32_t child(std::uint32_t parent, std::uint32_t symbol) const; ///< 0 = none (the root has no parent)
    std::uint32_t addChild(std::uint32_t parent, std::uint32_t symbol);
    void grow(std::size_t edges);

    std::size_t m_maxOrder;
    std::vector<Edge> m_edges;                 ///< open addressing, a power of two, at most half full
    std::vector<std::uint32_t> m_counts = {0}; ///< per node
};

} // namespace headscope
