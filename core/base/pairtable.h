#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace headscope {

/// A symmetric table with a value for every pair of items of a list; 0 for an item and itself.
class PairTable
{
public:
    PairTable() = default;
    explicit PairTable(std::size_t things) : m_things(things), m_values(pairs(things), 0) { }
    /// Precondition: as many values as there are pairs, those of the first thing first: 0-1, 0-2 …, 1-2 …
    PairTable(std::size_t things, std::vector<double> values) : m_things(things), m_values(std::move(values)) { }

    static constexpr std::size_t pairs(std::size_t things) { return things < 2 ? 0 : things * (things - 1) / 2; }

    /// The place of the pair a ≠ b of `things` things among all, in the order of the values.
    static std::size_t place(std::size_t things, std::size_t a, std::size_t b)
    {
        if (a > b)
            std::swap(a, b);
        return a * (2 * things - a - 1) / 2 + (b - a - 1);
    }

    std::size_t size() const { return m_things; }
    double at(std::size_t a, std::size_t b) const { return a == b ? 0 : m_values[place(m_things, a, b)]; }
    /// Precondition: a ≠ b.
    double &at(std::size_t a, std::size_t b) { return m_values[place(m_things, a, b)]; }
    const std::vector<double> &values() const { return m_values; }
    std::vector<double> &values() { return m_values; }
    bool operator==(const PairTable &) const = default;

private:
    std::size_t m_things = 0;
    std::vector<double> m_values;
};

} // namespace headscope
