#pragma once

#include <torch/types.h>

#include <cstdint>

namespace headscope {

// Kernels that only GPUs or newer versions of LibTorch have: the only place that tests for versions.

/// a [M, K] · b [K, N], both bf16, added up in float32, + bias [N] (undefined: none) → float32. A GPU whose LibTorch
/// cannot (before 2.8) rounds the product to bf16 first.
torch::Tensor bf16Product(const torch::Tensor &a, const torch::Tensor &b, const torch::Tensor &bias);
/// False where that rounds its result.
bool bf16ProductIsFloat32(const torch::Device &device);

/// Attention of many sequences whose rows lie one after the other, each to keys of its own.
struct PackedAttention
{
    torch::Tensor queries;      ///< [R, H, Dh]
    torch::Tensor keys, values; ///< [S, H, Dh]
    torch::Tensor queryBegins; ///< [N + 1] int32: sequence s has the queries queryBegins[s] … queryBegins[s + 1] − 1
    torch::Tensor keyBegins;   ///< [N + 1] int32
    std::int64_t longestQueries = 0; ///< no sequence has more
    std::int64_t longestKeys = 0;
    double scale = 1;    ///< of the scores
    bool causal = false; ///< a sequence's last query is at its last key's position
};

/// Whether there is a kernel for heads of this width in tensors like this.
bool canAttendPacked(const torch::TensorOptions &options, std::int64_t headWidth);
/// Contexts [R, H, Dh]. Precondition: canAttendPacked(); no sequence is without keys.
torch::Tensor attendPacked(const PackedAttention &attention);

/// Bytes of the device's memory that nothing holds; 0 where it cannot tell.
std::int64_t freeMemory(const torch::Device &device);

} // namespace headscope
