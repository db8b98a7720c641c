#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>

namespace headscope {

/// Numbers as a tensor [n] on `device`. The copy to a GPU is asynchronous.
template<typename Number>
torch::Tensor deviceTensor(std::span<const Number> values, const torch::Device &device)
{
    const auto here = torch::tensor(c10::ArrayRef<Number>(values.data(), values.size()));
    return device.is_cpu() ? here : here.pin_memory().to(torch::TensorOptions(device), /*non_blocking=*/true);
}

/// Whole numbers as an int64 tensor [n] on `device`.
inline torch::Tensor indexTensor(std::span<const std::int64_t> values, const torch::Device &device)
{
    return deviceTensor(values, device);
}

} // namespace headscope
