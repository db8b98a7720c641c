#include "core/tensor/widenedproduct.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <sys/mman.h>
#include <tuple>
#include <vector>

namespace headscope {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

/// Memory that is filled for the first time comes page by page, which takes longer than to fill it; large pages are
/// few.
void preferLargePages(const torch::Tensor &fresh)
{
#ifdef MADV_HUGEPAGE
    constexpr std::uintptr_t kPage = std::uintptr_t{2} << 20;
    const auto begin = reinterpret_cast<std::uintptr_t>(fresh.data_ptr());
    const std::uintptr_t first = (begin + kPage - 1) / kPage * kPage;
    const std::uintptr_t last = (begin + fresh.nbytes()) / kPage * kPage;
    if (first < last)
        (void)::madvise(reinterpret_cast<void *>(first), last - first, MADV_HUGEPAGE); // a wish
#endif
}

torch::Tensor inType(const torch::Tensor &weight, torch::ScalarType type)
{
    auto wide = torch::empty(weight.sizes(), weight.options().dtype(type).requires_grad(false));
    if (wide.is_cpu())
        preferLargePages(wide);
    return wide.copy_(weight);
}

/// The widened weights of all products that are being made.
class WidenedWeights
{
public:
    struct Weight
    {
        std::once_flag made;
        torch::Tensor wide;
    };

    /// `weight` in another number type, as long as somebody holds it.
    std::shared_ptr<const Weight> get(const torch::Tensor &weight, torch::ScalarType type)
    {
        const std::shared_ptr<Weight> shared = entryFor(weight, type);
        std::call_once(shared->made, [&] { shared->wide = inType(weight, type); });
        return shared;
    }

private:
    /// Whoever makes a product holds its weight, so that no other can lie at the same address.
    using Key = std::tuple<const void *, std::vector<std::int64_t>, std::vector<std::int64_t>, torch::ScalarType,
                           torch::ScalarType>;

    std::shared_ptr<Weight> entryFor(const torch::Tensor &weight, torch::ScalarType type)
    {
        Key key{weight.data_ptr(), weight.sizes().vec(), weight.strides().vec(), weight.scalar_type(), type};
        const std::scoped_lock lock(m_mutex);
        std::erase_if(m_inUse, [](const auto &one) { return one.second.expired(); });
        std::weak_ptr<Weight> &known = m_inUse[std::move(key)];
        auto entry = known.lock();
        if (!entry)
            known = entry = std::make_shared<Weight>();
        return entry;
    }

    std::mutex m_mutex;
    std::map<Key, std::weak_ptr<Weight>> m_inUse; ///< guarded by the mutex
};

std::shared_ptr<const WidenedWeights::Weight> widened(const torch::Tensor &weight, torch::ScalarType type)
{
    static WidenedWeights weights;
    return weights.get(weight, type);
}

torch::Tensor product(const torch::Tensor &input, const torch::Tensor &weight, const torch::Tensor &bias)
{
    return torch::linear(input, widened(weight, input.scalar_type())->wide, bias);
}

/// An operand that no gradient flows to.
struct Constants
{
    torch::Tensor weight, bias;
};

struct WidenedLinear : torch::autograd::Function<WidenedLinear>
{
    static torch::Tensor forward(AutogradContext *context, const torch::Tensor &input, const Constants &by)
    {
        context->saved_data["weight"] = by.weight;
        return product(input, by.weight, by.bias);
    }

    static variable_list backward(AutogradContext *context, const variable_list &gradients)
    {
        const auto weight = widened(context->saved_data["weight"].toTensor(), gradients[0].scalar_type());
        return {torch::matmul(gradients[0], weight->wide), Variable()};
    }
};

} // namespace

torch::Tensor widenedLinear(const torch::Tensor &input, const torch::Tensor &weight, const torch::Tensor &bias)
{
    if (!c10::GradMode::is_enabled() || !input.requires_grad())
        return product(input, weight, bias);
    if (input.dim() == 2 || !input.is_contiguous())
        return WidenedLinear::apply(input, Constants{weight, bias});
    auto sizes = input.sizes().vec(); // in the steps of torch::linear, so that the way back has its order of sums
    sizes.back() = weight.size(0);
    return WidenedLinear::apply(input.view({-1, weight.size(1)}), Constants{weight, bias}).view(sizes);
}

} // namespace headscope
