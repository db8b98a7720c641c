#pragma once

#include <cstdint>
#include <optional>

namespace headscope {

/// Gives memory that is no longer used back to the system. The allocator would keep it for the next large tensors;
/// worth calling where the work that needed it is over.
void returnFreeMemory();

/// Bytes that a process can take without others being swapped out; nothing where the system does not tell (not Linux).
std::optional<std::int64_t> availableMemory();

} // namespace headscope
