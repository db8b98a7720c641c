#pragma once

#include <cstddef>
#include <cstdint>

namespace headscope {

/// One of N parts of a sweep, which may run on different machines.
struct Shard
{
    std::int64_t index = 0;
    std::int64_t count = 1;

    bool isAll() const { return count == 1; }
    bool has(std::size_t block) const { return static_cast<std::int64_t>(block) % count == index; }
    bool operator==(const Shard &) const = default;
};

} // namespace headscope
