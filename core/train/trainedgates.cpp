#include "core/train/trainedgates.h"

#include "core/base/random.h"
#include "core/train/hardconcrete.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace headscope {

namespace {

/// Uniform in (ε, 1 − ε), the same on every machine, once for all examples of an update.
torch::Tensor uniformNoise(std::int64_t size, std::uint64_t seed, std::int64_t step)
{
    constexpr double kEdge = 1e-6;
    Random random((seed << 40) + (static_cast<std::uint64_t>(step) << 8) + 0x67);
    auto noise = torch::empty({size}, torch::kFloat64);
    for (std::int64_t i = 0; i < size; ++i)
        noise.data_ptr<double>()[i] = std::clamp(random.uniform(), kEdge, 1 - kEdge);
    return noise;
}

class ConcreteGates final : public TrainedGates
{
public:
    ConcreteGates(const GateConfig &config, std::vector<HeadRef> heads)
        : TrainedGates(std::move(heads)), m_config(config)
    {
    }

    torch::Tensor initial(std::uint64_t) const override
    {
        return torch::full({std::ssize(heads())}, m_config.initial, torch::kFloat32);
    }
    torch::Tensor draw(const torch::Tensor &values, std::uint64_t seed, std::int64_t step) const override
    {
        return concreteGate(values, uniformNoise(values.numel(), seed, step).to(values.options()));
    }
    torch::Tensor penalty(const torch::Tensor &values) const override
    {
        return m_config.lambda * concreteOpen(values).sum();
    }
    /// Beyond, the derivative of the penalty is next to nothing, and what is closed never opens again.
    void constrain(torch::Tensor &values) const override { values.clamp_(-kMost, kMost); }
    std::map<HeadRef, double> closed(const torch::Tensor &values, std::int64_t) const override
    {
        return byHead(concreteClosed(values));
    }
    HeadMask mask(const torch::Tensor &values) const override
    {
        return maskOf(values < 0);
    } // P(gate = 0) > P(gate = 1)

private:
    static constexpr double kMost = 10;
    GateConfig m_config;
};

class SubsetGates final : public TrainedGates
{
public:
    SubsetGates(const GateConfig &config, std::vector<HeadRef> heads) : TrainedGates(std::move(heads)), m_config(config)
    {
    }

    /// Glorot and Bengio's bound for a row of G numbers.
    torch::Tensor initial(std::uint64_t seed) const override
    {
        const auto size = std::ssize(heads());
        return ((2 * uniformNoise(size, seed, -1) - 1) * std::sqrt(6.0 / static_cast<double>(1 + size)))
            .to(torch::kFloat32);
    }
    torch::Tensor draw(const torch::Tensor &values, std::uint64_t seed, std::int64_t step) const override
    {
        const auto uniform = uniformNoise(values.numel(), seed, step).to(values.device());
        const auto noisy = values.to(torch::kFloat64) - (-uniform.log()).log(); // + Gumbel
        return relaxedTopK(noisy, m_config.heads, temperature(step)).to(values.scalar_type());
    }
    torch::Tensor penalty(const torch::Tensor &) const override { return {}; }
    std::map<HeadRef, double> closed(const torch::Tensor &values, std::int64_t step) const override
    {
        return byHead(1 - relaxedTopK(values.to(torch::kFloat64), m_config.heads, temperature(step)));
    }
    HeadMask mask(const torch::Tensor &values) const override
    {
        auto isClosed = torch::ones({values.numel()}, torch::kBool);
        // Stable: of equal ones the first stay.
        const auto order = std::get<1>(values.detach().to(torch::kCPU).sort(/*stable=*/true, 0, /*descending=*/true));
        return maskOf(isClosed.index_fill_(0, order.narrow(0, 0, m_config.heads), false));
    }

private:
    double temperature(std::int64_t step) const
    {
        const double way = std::min(1.0, static_cast<double>(step) / static_cast<double>(m_config.coolingSteps));
        return m_config.temperature * std::pow(m_config.lastTemperature / m_config.temperature, way);
    }

    GateConfig m_config;
};

class SoftGates final : public TrainedGates
{
public:
    SoftGates(const GateConfig &config, std::vector<HeadRef> heads)
        : TrainedGates(std::move(heads)), m_lambda(config.lambda)
    {
    }

    torch::Tensor initial(std::uint64_t seed) const override
    {
        return (2 * uniformNoise(std::ssize(heads()), seed, -1) - 1).to(torch::kFloat32);
    }
    torch::Tensor draw(const torch::Tensor &values, std::uint64_t, std::int64_t) const override
    {
        return torch::sigmoid(values);
    }
    torch::Tensor penalty(const torch::Tensor &values) const override { return m_lambda * values.sum(); }
    void constrain(torch::Tensor &values) const override { values.clamp_(-kMost, kMost); }
    std::map<HeadRef, double> closed(const torch::Tensor &values, std::int64_t) const override
    {
        return byHead(1 - torch::sigmoid(values.to(torch::kFloat64)));
    }
    HeadMask mask(const torch::Tensor &values) const override { return maskOf(values < 0); }

private:
    static constexpr double kMost = 4; // gates of 0.018 and 0.982: from there they still find back
    double m_lambda;
};

std::vector<HeadRef> gatedHeads(const GateConfig &config, const HeadLayout &layout)
{
    for (const HeadKind kind : config.kinds) {
        if (!layout.block(kind))
            throw Failure(usageError(fmt::format("Gates: the model has no {} attention.", headKindName(kind))));
    }
    std::vector<HeadRef> heads;
    for (const HeadRef &head : layout.heads()) {
        if (config.kinds.empty() || std::ranges::find(config.kinds, head.kind) != config.kinds.end())
            heads.push_back(head);
    }
    if (heads.empty())
        throw Failure(usageError("Gates: the model has no heads."));
    return heads;
}

} // namespace

std::unique_ptr<const TrainedGates> TrainedGates::make(const GateConfig &config, const HeadLayout &layout)
{
    if (config.method == GateMethod::None)
        return nullptr;
    std::vector<HeadRef> heads = gatedHeads(config, layout);
    if (config.method == GateMethod::L0)
        return std::make_unique<const ConcreteGates>(config, std::move(heads));
    if (config.heads > std::ssize(heads))
        throw Failure(usageError(
            fmt::format("Gates: {} heads are to stay, but only {} have gates.", config.heads, heads.size())));
    return std::make_unique<const SubsetGates>(config, std::move(heads));
}

std::unique_ptr<const TrainedGates> TrainedGates::makeSoft(const GateConfig &config, const HeadLayout &layout)
{
    return std::make_unique<const SoftGates>(config, gatedHeads(config, layout));
}

HeadGates TrainedGates::gatesOf(const torch::Tensor &gates) const
{
    HeadGates result;
    for (std::size_t begin = 0; begin < m_heads.size();) {
        const HeadRef &first = m_heads[begin];
        std::size_t end = begin;
        while (end < m_heads.size() && m_heads[end].kind == first.kind && m_heads[end].layer == first.layer)
            ++end;
        result.edit(first.kind, first.layer).gate
            = gates.narrow(0, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end - begin));
        begin = end;
    }
    return result;
}

std::map<HeadRef, double> TrainedGates::byHead(const torch::Tensor &numbers) const
{
    const auto values = numbers.detach().to(torch::kCPU, torch::kFloat64).contiguous();
    std::map<HeadRef, double> result;
    for (std::size_t i = 0; i < m_heads.size(); ++i)
        result[m_heads[i]] = values.data_ptr<double>()[i];
    return result;
}

HeadMask TrainedGates::maskOf(const torch::Tensor &isClosed) const
{
    std::vector<HeadRef> masked;
    for (const auto &[head, closed] : byHead(isClosed)) {
        if (closed != 0)
            masked.push_back(head);
    }
    return HeadMask(masked);
}

torch::Tensor relaxedTopK(const torch::Tensor &logits, std::int64_t k, double temperature)
{
    constexpr double kAlmostOne = 1 - 1e-15; // what is taken whole would have a logarithm of −∞, and no gradient
    auto left = logits;
    auto taken = torch::zeros_like(logits);
    for (std::int64_t i = 0; i < k; ++i) {
        const auto share = torch::softmax(left / temperature, 0);
        taken = taken + share;
        left = left + torch::log1p(-share.clamp_max(kAlmostOne));
    }
    return taken;
}

} // namespace headscope
