#include "core/train/hardconcrete.h"

#include <torch/types.h>

#include <cmath>

namespace headscope {

namespace {

torch::Tensor cut(const torch::Tensor &concrete)
{
    return (concrete * (kConcreteZeta - kConcreteGamma) + kConcreteGamma).clamp(0, 1);
}

} // namespace

torch::Tensor concreteGate(const torch::Tensor &phi, const torch::Tensor &uniform)
{
    return cut(torch::sigmoid((uniform.log() - torch::log1p(-uniform) + phi) / kConcreteBeta));
}

torch::Tensor concreteTestGate(const torch::Tensor &phi)
{
    return cut(torch::sigmoid(phi));
}

torch::Tensor concreteClosed(const torch::Tensor &phi)
{
    return torch::sigmoid(kConcreteBeta * std::log(-kConcreteGamma / kConcreteZeta) - phi);
}

torch::Tensor concreteWhole(const torch::Tensor &phi)
{
    return torch::sigmoid(phi - kConcreteBeta * std::log((1 - kConcreteGamma) / (kConcreteZeta - 1)));
}

torch::Tensor concreteOpen(const torch::Tensor &phi)
{
    return torch::sigmoid(phi - kConcreteBeta * std::log(-kConcreteGamma / kConcreteZeta));
}

} // namespace headscope
