#pragma once

#include <torch/types.h>

#include <cstdint>

namespace headscope {

/// Dropout (Srivastava et al. 2014) with a random stream of its own, so that what one thread drops depends on its
/// seed only. One object per forward pass; not shared between threads.
class Dropout
{
public:
    /// `plain`: LibTorch's own operations instead of one pass over memory; the same numbers.
    Dropout(double probability, std::uint64_t seed, bool plain = false);

    /// Elements are zero with the probability and otherwise divided by 1 − probability. Gradients flow.
    torch::Tensor operator()(const torch::Tensor &input);
    /// sum + dropped output: the end of every sub-layer.
    torch::Tensor add(const torch::Tensor &sum, const torch::Tensor &output);

private:
    torch::Tensor keepMask(const torch::Tensor &like); ///< ones and zeros; uint8 on the CPU
    torch::Tensor deviceMask(const torch::Tensor &like);

    std::uint32_t m_threshold = 0; ///< of 65536: what is below is dropped
    double m_scale = 1;
    bool m_plain = false;
    std::uint64_t m_seed = 0;
    bool m_deviceSeeded = false;
    std::uint64_t m_state[4] = {};
};

} // namespace headscope
