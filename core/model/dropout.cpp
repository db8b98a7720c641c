#include "core/model/dropout.h"

#include <torch/torch.h>

#include <bit>
#include <cmath>

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

/// out = base + input · mask · scale, in one pass; base may be null.
template<typename In, typename Out>
void maskedScale(const In *input, const std::uint8_t *mask, const Out *base, Out *out, std::int64_t count, float scale)
{
    if (base) {
        for (std::int64_t i = 0; i < count; ++i)
            out[i] = base[i] + static_cast<float>(input[i]) * (static_cast<float>(mask[i]) * scale);
    } else {
        for (std::int64_t i = 0; i < count; ++i)
            out[i] = static_cast<Out>(static_cast<float>(input[i]) * (static_cast<float>(mask[i]) * scale));
    }
}

/// `like` gives the dtype of the result.
torch::Tensor maskedScale(const torch::Tensor &input, const torch::Tensor &mask, float scale,
                          const torch::Tensor &base, torch::ScalarType type)
{
    const auto in = input.contiguous();
    auto out = torch::empty(in.sizes(), in.options().dtype(type));
    const auto *keep = mask.data_ptr<std::uint8_t>();
    const std::int64_t count = in.numel();
    const auto run = [&](auto inTag, auto outTag) {
        using In = decltype(inTag);
        using Out = decltype(outTag);
        maskedScale(in.data_ptr<In>(), keep, base.defined() ? base.data_ptr<Out>() : nullptr, out.data_ptr<Out>(),
                    count, scale);
    };
    const bool inHalf = in.scalar_type() == torch::kBFloat16;
    if (type == torch::kBFloat16)
        inHalf ? run(at::BFloat16(), at::BFloat16()) : run(float(), at::BFloat16());
    else
        inHalf ? run(at::BFloat16(), float()) : run(float(), float());
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
        return maskedScale(input, mask, static_cast<float>(scale), {}, input.scalar_type());
    }
    static variable_list backward(AutogradContext *context, const variable_list &gradients)
    {
        const auto scale = static_cast<float>(context->saved_data["scale"].toDouble());
        return {maskedScale(gradients[0], context->saved_data["mask"].toTensor(), scale, {},
                            gradients[0].scalar_type()),
                Variable(), Variable()};
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
        context->saved_data["half"] = input.scalar_type() == torch::kBFloat16;
        return maskedScale(input, mask, static_cast<float>(scale), sum.contiguous(), torch::kFloat32);
    }
    static variable_list backward(AutogradContext *context, const variable_list &gradients)
    {
        const auto scale = static_cast<float>(context->saved_data["scale"].toDouble());
        const auto type = context->saved_data["half"].toBool() ? torch::kBFloat16 : torch::kFloat32;
        return {gradients[0],
                maskedScale(gradients[0], context->saved_data["mask"].toTensor(), scale, {}, type), Variable(),
                Variable()};
    }
};

bool isFast(const torch::Tensor &tensor)
{
    return tensor.device().is_cpu()
           && (tensor.scalar_type() == torch::kFloat32 || tensor.scalar_type() == torch::kBFloat16);
}

} // namespace

Dropout::Dropout(double probability, std::uint64_t seed, bool plain)
    : m_threshold(static_cast<std::uint32_t>(std::lround(probability * 65536))), m_plain(plain)
{
    m_scale = 65536.0 / (65536.0 - m_threshold);
    for (std::uint64_t &word : m_state)
        word = splitMix(seed);
}

torch::Tensor Dropout::keepMask(const torch::Tensor &like)
{
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
    return input * (mask.to(input.device()).to(torch::kFloat32) * m_scale).to(input.scalar_type());
}

torch::Tensor Dropout::add(const torch::Tensor &sum, const torch::Tensor &output)
{
    if (m_threshold == 0)
        return sum + output;
    if (!m_plain && isFast(output) && sum.device().is_cpu() && sum.scalar_type() == torch::kFloat32)
        return AddMaskedFunction::apply(sum, output, keepMask(output), m_scale);
    return sum + (*this)(output);
}

} // namespace headscope
