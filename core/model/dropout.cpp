#include "core/model/dropout.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>

namespace headscope {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

/// Blackman and Vigna's splitmix64: makes a generator's state from a seed.
std::uint64_t splitMix(std::uint64_t &seed)
{
    std::uint64_t z = (seed += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/// Blackman and Vigna's xoshiro256++.
std::uint64_t nextRandom(std::uint64_t (&s)[4])
{
    const std::uint64_t result = std::rotl(s[0] + s[3], 23) + s[0];
    const std::uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = std::rotl(s[3], 45);
    return result;
}

/// base + input · mask · scale in one pass, float32; base may be undefined.
torch::Tensor maskedScale(const torch::Tensor &input, const torch::Tensor &mask, float scale,
                          const torch::Tensor &base = {})
{
    const auto in = input.contiguous();
    auto out = torch::empty_like(in);
    const auto *values = in.data_ptr<float>();
    const auto *keep = mask.data_ptr<std::uint8_t>();
    const auto *sum = base.defined() ? base.data_ptr<float>() : nullptr;
    auto *to = out.data_ptr<float>();
    for (std::int64_t i = 0; i < in.numel(); ++i)
        to[i] = (sum ? sum[i] : 0.0F) + values[i] * (static_cast<float>(keep[i]) * scale);
    return out;
}

/// y = x · mask · scale.
struct MaskFunction : torch::autograd::Function<MaskFunction>
{
    static torch::Tensor forward(AutogradContext *context, const torch::Tensor &input, const torch::Tensor &mask,
                                 double scale)
    {
        context->saved_data["mask"] = mask;
        context->saved_data["scale"] = scale;
        return maskedScale(input, mask, static_cast<float>(scale));
    }
    static variable_list backward(AutogradContext *context, const variable_list &gradients)
    {
        const auto scale = static_cast<float>(context->saved_data["scale"].toDouble());
        return {maskedScale(gradients[0], context->saved_data["mask"].toTensor(), scale), Variable(), Variable()};
    }
};

/// y = sum + x · mask · scale.
struct AddMaskedFunction : torch::autograd::Function<AddMaskedFunction>
{
    static torch::Tensor forward(AutogradContext *context, const torch::Tensor &sum, const torch::Tensor &input,
                                 const torch::Tensor &mask, double scale)
    {
        context->saved_data["mask"] = mask;
        context->saved_data["scale"] = scale;
        return maskedScale(input, mask, static_cast<float>(scale), sum.contiguous());
    }
    static variable_list backward(AutogradContext *context, const variable_list &gradients)
    {
        const auto scale = static_cast<float>(context->saved_data["scale"].toDouble());
        return {gradients[0], maskedScale(gradients[0], context->saved_data["mask"].toTensor(), scale), Variable(),
                Variable()};
    }
};

bool isFast(const torch::Tensor &tensor)
{
    return tensor.device().is_cpu() && tensor.scalar_type() == torch::kFloat32;
}

} // namespace

Dropout::Dropout(double probability, std::uint64_t seed, bool plain)
    : m_threshold(static_cast<std::uint32_t>(std::lround(probability * 65536))), m_plain(plain), m_seed(seed)
{
    m_scale = 65536.0 / (65536.0 - m_threshold);
    for (std::uint64_t &word : m_state)
        word = splitMix(seed);
}

/// On a GPU the device's own generator draws: numbers from here would have to be sent there.
torch::Tensor Dropout::deviceMask(const torch::Tensor &like)
{
    if (!m_deviceSeeded) {
        auto generator = at::globalContext().defaultGenerator(like.device());
        const std::scoped_lock lock(generator.mutex());
        generator.set_current_seed(m_seed);
        m_deviceSeeded = true;
    }
    return torch::empty_like(like).bernoulli_(1 / m_scale);
}

torch::Tensor Dropout::keepMask(const torch::Tensor &like)
{
    if (!like.device().is_cpu())
        return deviceMask(like);
    auto mask = torch::empty(like.sizes(), torch::kUInt8);
    auto *out = mask.data_ptr<std::uint8_t>();
    const std::int64_t count = mask.numel();
    for (std::int64_t i = 0; i < count; i += 4) {
        const std::uint64_t bits = nextRandom(m_state);
        const std::int64_t width = std::min<std::int64_t>(4, count - i);
        for (std::int64_t j = 0; j < width; ++j)
            out[i + j] = ((bits >> (16 * j)) & 0xffff) >= m_threshold;
    }
    return mask;
}

torch::Tensor Dropout::operator()(const torch::Tensor &input)
{
    if (m_threshold == 0)
        return input;
    const auto mask = keepMask(input);
    if (!m_plain && isFast(input))
        return MaskFunction::apply(input, mask, m_scale);
    return input * (mask.to(input.scalar_type()) * m_scale);
}

torch::Tensor Dropout::add(const torch::Tensor &sum, const torch::Tensor &output)
{
    if (m_threshold == 0)
        return sum + output;
    if (!m_plain && isFast(output) && isFast(sum))
        return AddMaskedFunction::apply(sum, output, keepMask(output), m_scale);
    return sum + (*this)(output);
}

} // namespace headscope
