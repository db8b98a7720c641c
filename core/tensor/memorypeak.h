#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <optional>

namespace headscope {

/// Runs `work` and says how many bytes it took at most on top of what the process held before; nothing where the system
/// cannot tell (not Linux, or memory of a GPU). Other threads' memory counts too.
std::optional<std::int64_t> peakMemoryOf(const torch::Device &device, const std::function<void()> &work);

} // namespace headscope
