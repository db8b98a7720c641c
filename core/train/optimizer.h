#pragma once

#include "core/tensor/execution.h"
#include "core/train/trainingconfig.h"

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace headscope {

/// Adam (Kingma and Ba 2015, algorithm 1) and AdamW (Loshchilov and Hutter 2019, algorithm 2) over one flat tensor;
/// the numbers are those of torch::optim.
class Optimizer
{
public:
    Optimizer(const OptimizerConfig &config, const torch::Tensor &values, Execution execution);

    /// The last `size` numbers move `factor` times as fast, and do not decay.
    void setTail(std::int64_t size, double factor);

    /// Adds up the parts of a gradient, scales the sum (1 / target tokens), clips it and moves `values` [P]. Returns
    /// the gradient's norm before clipping. A gradient that is not finite changes nothing and returns its norm.
    double step(torch::Tensor &values, std::vector<torch::Tensor> &gradientParts, double scale, double learningRate);

    std::int64_t steps() const { return m_steps; }
    const torch::Tensor &firstMoment() const { return m_first; }
    const torch::Tensor &secondMoment() const { return m_second; }
    void restore(std::int64_t steps, const torch::Tensor &first, const torch::Tensor &second);

private:
    void updatePiece(torch::Tensor &values, torch::Tensor &gradient, std::int64_t begin, std::int64_t size,
                     double factor, double learningRate);
    void update(torch::Tensor value, torch::Tensor gradient, std::int64_t begin, double factor, double learningRate,
                double weightDecay);

    OptimizerConfig m_config;
    Execution m_execution;
    torch::Tensor m_first;  ///< [P]
    torch::Tensor m_second; ///< [P]
    std::int64_t m_steps = 0;
    std::int64_t m_tail = 0;
    double m_tailFactor = 1;
};

} // namespace headscope
