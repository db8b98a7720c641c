#include "core/packed/torchlinear.h"

#include "core/tensor/devicekernels.h"

#include <torch/types.h>

#include <utility>

namespace headscope {
namespace {

/// x ≈ first + second, both bf16.
std::pair<torch::Tensor, torch::Tensor> inTwoHalves(const torch::Tensor &x)
{
    const auto first = x.to(torch::kBFloat16);
    return {first, (x - first.to(torch::kFloat32)).to(torch::kBFloat16)};
}

} // namespace

bool TorchLinear::canMake(Products products, const torch::TensorOptions &model)
{
    return products == Products::Exact
        || (products != Products::Byte && model.dtype() == torch::kFloat32
            && (products == Products::Half || bf16ProductIsFloat32(model.device())));
}

TorchLinear::TorchLinear(const Linear &linear, Products products) : m_linear(linear), m_products(products)
{
    if (!linear.weight.defined() || products == Products::Exact)
        return;
    if (products == Products::Half) {
        m_factors = linear.weight.to(torch::kBFloat16);
        if (linear.bias.defined())
            m_halfBias = linear.bias.to(torch::kBFloat16);
        return;
    }
    const auto [first, second] = inTwoHalves(linear.weight);
    m_factors = torch::cat({first, second, first}, 1);
}

torch::Tensor TorchLinear::factorsOf(const torch::Tensor &rows) const
{
    if (m_products == Products::Half)
        return rows.to(torch::kBFloat16);
    // Three products as one: sums of sums. Numbers are rounded where they are put.
    const std::int64_t width = rows.size(1);
    const auto factors = torch::empty({rows.size(0), 3 * width}, rows.options().dtype(torch::kBFloat16));
    const auto first = factors.narrow(1, 0, width);
    first.copy_(rows);
    factors.narrow(1, width, width).copy_(first);
    factors.narrow(1, 2 * width, width).copy_(rows - first);
    return factors;
}

torch::Tensor TorchLinear::operator()(const torch::Tensor &rows) const
{
    if (!m_factors.defined())
        return m_linear(rows);
    return bf16Product(factorsOf(rows), m_factors.t(), m_linear.bias);
}

torch::Tensor TorchLinear::forProducts(const torch::Tensor &rows) const
{
    if (m_products != Products::Half || !m_factors.defined())
        return (*this)(rows);
    if (rows.is_cpu()) // whose own kernels for bf16 may not be made by several threads (HalfKernels)
        return (*this)(rows).to(torch::kBFloat16);
    return torch::linear(factorsOf(rows), m_factors, m_halfBias);
}

} // namespace headscope
