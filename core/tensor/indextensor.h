#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>

namespace headscope {

/// Whole numbers as an int64 tensor [n] on `device`.
inline torch::Tensor indexTensor(std::span<const std::int64_t> values, const torch::Device &device)
{
    return torch::tensor(c10::ArrayRef<std::int64_t>(values.data(), values.size()), torch::kInt64).to(device);
}

} // namespace headscope
