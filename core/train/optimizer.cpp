#include "core/train/optimizer.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

constexpr std::int64_t kPiece = 1 << 16; // all that an update touches of it fits a core's cache

/// Pieces of the flat tensors, several at once on a processor, as a whole on a GPU.
template<typename Work>
void overPieces(const Execution &execution, const torch::Tensor &tensor, Work &&work)
{
    const std::int64_t piece = tensor.device().is_cpu() ? kPiece : std::max<std::int64_t>(1, tensor.numel());
    execution.parallelFor((tensor.numel() + piece - 1) / piece, [&](std::int64_t i) {
        const torch::NoGradGuard noGrad;
        work(i, i * piece, std::min(piece, tensor.numel() - i * piece));
    });
}

} // namespace

Optimizer::Optimizer(const OptimizerConfig &config, const torch::Tensor &values, Execution execution)
    : m_config(config), m_execution(std::move(execution)), m_first(torch::zeros_like(values)),
      m_second(torch::zeros_like(values))
{
}

double Optimizer::step(torch::Tensor &values, std::vector<torch::Tensor> &gradientParts, double scale,
                       double learningRate)
{
    torch::Tensor gradient = gradientParts.front();
    std::vector<double> squares(static_cast<std::size_t>(values.numel() / kPiece + 1));
    overPieces(m_execution, values, [&](std::int64_t i, std::int64_t begin, std::int64_t size) {
        auto piece = gradient.narrow(0, begin, size);
        for (std::size_t part = 1; part < gradientParts.size(); ++part)
            piece.add_(gradientParts[part].narrow(0, begin, size));
        piece.mul_(scale);
        squares[static_cast<std::size_t>(i)] = piece.square().sum(torch::kFloat64).item<double>();
    });
    double square = 0;
    for (const double part : squares)
        square += part;
    const double norm = std::sqrt(square);
    if (!std::isfinite(norm))
        return norm;
    const double factor = m_config.clipNorm > 0 && norm > m_config.clipNorm ? m_config.clipNorm / norm : 1.0;
    ++m_steps;
    overPieces(m_execution, values, [&](std::int64_t, std::int64_t begin, std::int64_t size) {
        updatePiece(values, gradient, begin, size, factor, learningRate);
    });
    return norm;
}

void Optimizer::setTail(std::int64_t size, double factor)
{
    m_tail = size;
    m_tailFactor = factor;
}

void Optimizer::updatePiece(torch::Tensor &values, torch::Tensor &gradient, std::int64_t begin, std::int64_t size,
                            double factor, double learningRate)
{
    const std::int64_t head = std::clamp<std::int64_t>(values.numel() - m_tail - begin, 0, size);
    const auto part = [&](std::int64_t from, std::int64_t count, double rate, double decay) {
        if (count > 0)
            update(values.narrow(0, from, count), gradient.narrow(0, from, count), from, factor, rate, decay);
    };
    part(begin, head, learningRate, m_config.weightDecay);
    part(begin + head, size - head, learningRate * m_tailFactor, 0);
}

void Optimizer::update(torch::Tensor value, torch::Tensor gradient, std::int64_t begin, double factor,
                       double learningRate, double weightDecay)
{
    auto first = m_first.narrow(0, begin, value.numel());
    auto second = m_second.narrow(0, begin, value.numel());
    if (factor != 1.0)
        gradient.mul_(factor);
    if (weightDecay > 0) {
        if (m_config.kind == OptimizerKind::AdamW)
            value.mul_(1 - learningRate * weightDecay);
        else
            gradient.add_(value, weightDecay);
    }
    first.mul_(m_config.beta1).add_(gradient, 1 - m_config.beta1);
    second.mul_(m_config.beta2).addcmul_(gradient, gradient, 1 - m_config.beta2);
    const double firstBias = 1 - std::pow(m_config.beta1, m_steps);
    const double secondBias = 1 - std::pow(m_config.beta2, m_steps);
    const auto deviation = second.sqrt().div_(std::sqrt(secondBias)).add_(m_config.epsilon);
    value.addcdiv_(first, deviation, -learningRate / firstBias);
}

void Optimizer::restore(std::int64_t steps, const torch::Tensor &first, const torch::Tensor &second)
{
    m_steps = steps;
    m_first.copy_(first);
    m_second.copy_(second);
}

} // namespace headscope
