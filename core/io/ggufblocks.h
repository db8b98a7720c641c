#pragma once

#include "core/formats/gguf.h"

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace headscope {

/// The numbers of a tensor whose type lies in blocks of several, in float32, as ggml's dequantize_row functions compute
/// them: uint8 [bytes] → `shape`.
torch::Tensor widenedGguf(const torch::Tensor &bytes, GgufType type, const std::vector<std::int64_t> &shape);

} // namespace headscope
