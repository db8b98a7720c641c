#pragma once

#include <torch/types.h>

#include <mutex>
#include <shared_mutex>

namespace headscope {

/// oneDNN 2.6 (in Debian 12, and in LibTorch 1.13) corrupts memory when two threads create kernels for bf16 at the same
/// time. Code that may create one holds this mutex exclusively, in any job of the program; code that uses existing
/// kernels shares it.
std::shared_mutex &halfKernels();

/// Holds halfKernels() for products of LibTorch's where these may make kernels: of bf16 numbers on a processor.
inline std::unique_lock<std::shared_mutex> lockHalfKernels(const torch::TensorOptions &operands)
{
    if (operands.device().is_cpu() && operands.dtype() == torch::kBFloat16)
        return std::unique_lock(halfKernels());
    return {};
}

/// torch::matmul, alone where that may make kernels.
torch::Tensor matrixProduct(const torch::Tensor &a, const torch::Tensor &b);

} // namespace headscope
