#include "core/tensor/halfkernels.h"

#include <torch/types.h>

namespace headscope {

std::shared_mutex &halfKernels()
{
    static std::shared_mutex mutex;
    return mutex;
}

torch::Tensor matrixProduct(const torch::Tensor &a, const torch::Tensor &b)
{
    const auto alone = lockHalfKernels(a.options());
    return torch::matmul(a, b);
}

} // namespace headscope
