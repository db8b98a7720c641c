#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace headscope {

/// The keys that a windowed head still sees: the first ones (sinks) and those near the query (StreamingLLM: Xiao et al.
/// 2024; heads by DuoAttention: Xiao et al. 2025). Of a causal attention these are the last `neighbours` keys up to the
/// query's own; an encoder's lie on both sides of it. As it is made here it shows everything.
struct KeyWindow
{
    static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

    std::int64_t sinks = 0;         ///< keys from the beginning
    std::int64_t neighbours = kAll; ///< at a distance from the query below this; 1: itself only

    bool showsAll() const { return neighbours == kAll; }
    bool shows(std::int64_t query, std::int64_t key) const
    {
        return key < sinks || std::max(query - key, key - query) < neighbours;
    }
    bool operator==(const KeyWindow &) const = default;
};

} // namespace headscope
