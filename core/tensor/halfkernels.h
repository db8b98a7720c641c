#pragma once

#include <torch/types.h>

#include <mutex>
#include <shared_mutex>

namespace headscope {

/// oneDNN 2.6 (Debian 12's, and that of LibTorch 1.13) destroys memory when two threads make kernels for bf16 at the
/// same time. Whoever may make one holds this alone, in whichever job of the program; who uses kernels that were made
/// before shares it.
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
