#pragma once

#include "core/packed/rows.h"

#include <cstdint>
#include <span>
#include <vector>

namespace headscope {

class KeptIndices;

/// Keys and values of sequences that grow token by token, at one place of a stack: a slot of equal room for each.
class KeyCache
{
public:
    KeyCache() = default;
    KeyCache(std::int64_t slots, std::int64_t room, std::int64_t width, const torch::TensorOptions &options)
        : m_data(slots * room, width, options), m_slots(slots), m_room(room)
    {
    }

    std::int64_t room() const { return m_room; }
    /// Copies rows known[i] to the beginning of slots[i]; none may have more than there is room for.
    void begin(std::span<const std::int64_t> slots, std::span<const KeyRows> known);
    /// Puts row i of `fresh` at positions[i] of slots[i].
    void append(const Rows &fresh, std::span<const std::int64_t> slots, std::span<const std::int64_t> positions,
                KeptIndices *kept = nullptr);
    /// `count` slots with more room; only those in `used` are kept, and become 0, 1, 2, …
    void grow(std::span<const std::int64_t> used, std::int64_t count, std::int64_t room);
    KeyRows of(std::int64_t slot, std::int64_t count) const { return {&m_data, slot * m_room, count}; }

private:
    bool isInFloats(const Rows &fresh) const;

    Rows m_data;
    std::int64_t m_slots = 0;
    std::int64_t m_room = 0;
};

} // namespace headscope
