#pragma once

#include "core/base/result.h"

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// The description of a tensor in 4 bits by bitsandbytes ("quant_state.bitsandbytes__nf4").
struct BlockState
{
    std::vector<std::int64_t> shape;
    std::int64_t count = 1;  ///< of numbers
    std::int64_t size = 0;   ///< of a block
    std::int64_t nested = 0; ///< blocks whose scales share one; 0: scales are numbers
    double offset = 0;
    torch::ScalarType type{};
};

/// Errors call the text `name`.
Result<BlockState> parseBlockState(std::string_view json, const std::string &name);

/// As dequantize_4bit() computes it. Parts: two codes a byte, their table [16], the largest of every block; of nested
/// ones codes of those, and then their table [256] and the largest of their blocks.
torch::Tensor widenedBlocks(const BlockState &state, const std::vector<torch::Tensor> &parts);

} // namespace headscope
