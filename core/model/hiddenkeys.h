#pragma once

#include "core/base/keywindow.h"

#include <torch/types.h>

#include <cstdint>
#include <span>

namespace headscope {

/// The keys that windows of heads hide. `windows`: of every head, sequence by sequence, or of all sequences alike
/// (N = 1); `positions` [N or 1, T] of the queries, in the keys' sequence → bool [N, H, T, S], on the positions'
/// device.
torch::Tensor hiddenByWindows(std::span<const KeyWindow> windows, std::int64_t heads, const torch::Tensor &positions,
                              std::int64_t keys);

} // namespace headscope
