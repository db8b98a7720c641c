#include "core/tensor/devicekernels.h"

#include <c10/core/DeviceGuard.h>
#include <torch/types.h>
#include <torch/version.h>

#include <dlfcn.h>

#include <cstddef>
#include <optional>
#include <tuple>

namespace headscope {
namespace {

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 6)
constexpr bool kHasPackedAttention = true;
#else
constexpr bool kHasPackedAttention = false;
#endif

/// A template, so that a LibTorch without such a product compiles it, too.
template<typename Tensor>
constexpr bool kHasFloatSums = requires(const Tensor &a)
{
    at::mm(a, a, at::kFloat);
};

template<typename Tensor>
Tensor productOnGpu(const Tensor &a, const Tensor &b, const Tensor &bias)
{
    if constexpr (kHasFloatSums<Tensor>) {
        return bias.defined() ? at::addmm(bias, a, b, at::kFloat) : at::mm(a, b, at::kFloat);
    } else {
        const Tensor product = at::mm(a, b).to(at::kFloat);
        return bias.defined() ? product + bias : product;
    }
}

} // namespace

torch::Tensor bf16Product(const torch::Tensor &a, const torch::Tensor &b, const torch::Tensor &bias)
{
    // A processor multiplies the same factors as floats: their products are exact, and kernels for bf16 would round the
    // sums.
    if (a.is_cpu()) {
        const auto product = torch::mm(a.to(torch::kFloat32), b.to(torch::kFloat32));
        return bias.defined() ? product + bias : product;
    }
    return productOnGpu(a, b, bias);
}

bool bf16ProductIsFloat32(const torch::Device &device)
{
    return !device.is_cuda() || kHasFloatSums<torch::Tensor>;
}

bool canAttendPacked(const torch::TensorOptions &options, std::int64_t headWidth)
{
    constexpr std::int64_t kStep = 8; // of head widths that kernels read in whole words of memory
    return kHasPackedAttention && options.device().is_cuda() && headWidth % kStep == 0;
}

torch::Tensor attendPacked(const PackedAttention &attention)
{
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 6)
    enum Mask : std::int64_t { kAll = 0, kCausalFromBottomRight = 2 }; // sdp::CustomMaskType
    constexpr double kNoDropout = 0;
    constexpr bool kNoGradient = false;
    const std::int64_t mask = attention.causal && attention.longestQueries > 1 ? kCausalFromBottomRight : kAll;
    return std::get<0>(at::_efficient_attention_forward(
                           attention.queries.unsqueeze(0), attention.keys.unsqueeze(0), attention.values.unsqueeze(0),
                           {}, attention.queryBegins, attention.keyBegins, attention.longestQueries,
                           attention.longestKeys, kNoDropout, mask, kNoGradient, attention.scale))
        .squeeze(0);
#else
    (void)attention;
    TORCH_CHECK(false, "This LibTorch has no attention over packed sequences.");
#endif
}

std::int64_t freeMemory(const torch::Device &device)
{
    // By name: CUDA's headers may be missing where LibTorch was built elsewhere.
    using Ask = int (*)(std::size_t * free, std::size_t * total);
    const auto ask = device.is_cuda() ? reinterpret_cast<Ask>(::dlsym(RTLD_DEFAULT, "cudaMemGetInfo")) : nullptr;
    if (!ask)
        return 0;
    const c10::DeviceGuard guard(device);
    std::size_t free = 0;
    std::size_t total = 0;
    return ask(&free, &total) == 0 ? static_cast<std::int64_t>(free) : 0;
}

} // namespace headscope
