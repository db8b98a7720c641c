#pragma once

#include "core/base/result.h"

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace headscope {

/// A tensor of numbers that are computed from others of the file.
struct PackedTensor
{
    std::string format; ///< "GPTQ, 4 bits in groups of 128"; empty: the numbers are the file's in another order
    std::vector<std::int64_t> shape;
    torch::ScalarType type{};
    std::vector<std::string> parts; ///< names in the file
    bool isStack = false;           ///< `widened` makes one slice of the first dimension from those of its parts
    std::function<Result<torch::Tensor>(const std::vector<torch::Tensor> &parts)> widened{};
};

/// By the names that they would have unpacked.
using PackedTensors = std::map<std::string, PackedTensor>;

} // namespace headscope
