#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace headscope {

/// Gives memory that is no longer used back to the system. The allocator would keep it for the next large tensors;
/// worth calling where the work that needed it is over.
void returnFreeMemory();

/// Bytes that this process can take without others being swapped out, and without more than its control groups (a
/// container's or Slurm's limit) allow; nothing where the system does not tell (not Linux). `root`: what /proc and /sys
/// are looked for in.
std::optional<std::int64_t> availableMemory(const std::filesystem::path &root = "/");

} // namespace headscope
