#include "core/tensor/halfproduct.h"

#include "core/tensor/halfkernels.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <tuple>

namespace headscope {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

/// oneDNN makes a kernel for every shape: rows in steps keep their number small.
constexpr std::int64_t kRowStep = 64;

/// Runs products of known shapes in parallel, and the first of a shape exclusively, as halfKernels() requires.
class KernelGuard
{
public:
    template<typename Work>
    torch::Tensor run(const torch::Tensor &a, const torch::Tensor &b, Work &&work)
    {
        const Shape shape{a.size(0), a.size(1), b.size(1), a.stride(0), b.stride(0)};
        {
            const std::shared_lock lock(halfKernels());
            if (m_known.contains(shape) && m_known.size() < m_capacity)
                return work();
        }
        const std::unique_lock lock(halfKernels());
        m_known.insert(shape);
        return work();
    }

private:
    /// How many kernels oneDNN keeps at least: beyond it, what was made may have to be made again.
    static std::size_t capacity()
    {
        const char *set = std::getenv("DNNL_PRIMITIVE_CACHE_CAPACITY"); // by setUpProcess()
        return set ? std::strtoull(set, nullptr, 10) : 512;
    }

    using Shape = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

    const std::size_t m_capacity = capacity();
    std::set<Shape> m_known; ///< guarded by halfKernels()
};

struct HalfLinear : torch::autograd::Function<HalfLinear>
{
    static torch::Tensor forward(AutogradContext *context, const torch::Tensor &input, const torch::Tensor &weight,
                                 const torch::Tensor &bias, const torch::Tensor &half)
    {
        const auto flat = input.reshape({-1, weight.size(1)});
        const auto rows = paddedHalf(flat);
        context->saved_data["rows"] = rows;
        context->saved_data["half"] = half;
        const auto product = halfProduct(rows, half.t()).narrow(0, 0, flat.size(0));
        auto sizes = input.sizes().vec();
        sizes.back() = weight.size(0);
        return (bias + product).view(sizes);
    }

    static variable_list backward(AutogradContext *context, const variable_list &gradients)
    {
        const auto rows = context->saved_data["rows"].toTensor();
        const auto half = context->saved_data["half"].toTensor();
        const auto flat = gradients[0].reshape({-1, half.size(0)});
        const auto gradient = paddedHalf(flat);
        auto sizes = gradients[0].sizes().vec();
        sizes.back() = half.size(1);
        const auto input = halfProduct(gradient, half).narrow(0, 0, flat.size(0)).to(torch::kFloat32).view(sizes);
        const auto weight = halfProduct(gradient.t(), rows).to(torch::kFloat32);
        return {input, weight, flat.sum(0), Variable()};
    }
};

} // namespace

torch::Tensor paddedHalf(const torch::Tensor &rows)
{
    const std::int64_t count = rows.size(0);
    auto padded = torch::empty({(count + kRowStep - 1) / kRowStep * kRowStep, rows.size(1)},
                               rows.options().dtype(torch::kBFloat16));
    padded.narrow(0, 0, count).copy_(rows);
    padded.narrow(0, count, padded.size(0) - count).zero_();
    return padded;
}

torch::Tensor halfProduct(const torch::Tensor &a, const torch::Tensor &b)
{
    if (!a.device().is_cpu())
        return torch::mm(a, b);
    static KernelGuard guard;
    return guard.run(a, b, [&] { return torch::mm(a, b); });
}

torch::Tensor halfLinear(const torch::Tensor &input, const torch::Tensor &weight, const torch::Tensor &bias,
                         const torch::Tensor &half)
{
    return HalfLinear::apply(input, weight, bias.defined() ? bias : torch::zeros({half.size(0)}, weight.options()),
                             half);
}

} // namespace headscope
