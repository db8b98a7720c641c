#include "core/relevance/tracedweights.h"

#include "core/model/projections.h"

#include <torch/types.h>

#include <algorithm>

namespace headscope {
namespace {

class Exact
{
public:
    explicit Exact(torch::ScalarType type) : m_type(type) { }

    torch::Tensor operator()(const torch::Tensor &x) const { return x.defined() ? x.to(m_type) : x; }
    Norm operator()(const Norm &weights) const { return {(*this)(weights.weight), (*this)(weights.bias)}; }
    Linear operator()(const Linear &weights) const { return {(*this)(weights.weight), (*this)(weights.bias), {}}; }

    FeedForwardWeights operator()(const FeedForwardWeights &weights) const
    {
        FeedForwardWeights exact{(*this)(weights.in), (*this)(weights.gate), (*this)(weights.out),
                                 (*this)(weights.router), (*this)(weights.sharedGate)};
        for (const FeedForwardWeights &expert : weights.experts)
            exact.experts.push_back((*this)(expert));
        return exact;
    }

    TracedAttention operator()(const AttentionSpec &spec, const AttentionWeights &weights) const
    {
        const Linear query = queryMap(spec, weights);
        const Linear key = keyMap(spec, weights);
        const Norm queryNorm = (*this)(weights.queryNorm);
        const Norm keyNorm = (*this)(weights.keyNorm);
        const torch::Tensor sinks = (*this)(weights.sinks);
        if (spec.readsMemory())
            return {(*this)(query), joined({key, weights.value}), (*this)(weights.out), queryNorm, keyNorm, sinks};
        return {joined({query, key, weights.value}), {}, (*this)(weights.out), queryNorm, keyNorm, sinks};
    }

    TracedStack operator()(const StackSpec &spec, const StackWeights &weights) const
    {
        TracedStack stack{(*this)(weights.embeddingNorm),
                          (*this)(weights.projection),
                          (*this)(weights.relativeBias),
                          {},
                          (*this)(weights.finalNorm)};
        for (int place = 0; place < spec.places(); ++place) {
            const SubLayerWeights &sub = weights.at(place);
            TracedSubLayer &traced = stack.subLayers.emplace_back();
            traced.norm = (*this)(sub.norm);
            traced.outputNorm = (*this)(sub.outputNorm);
            if (const AttentionSpec *attention = spec.at(place).attention())
                traced.part = (*this)(*attention, sub.attention());
            else
                traced.part = (*this)(sub.feedForward());
        }
        return stack;
    }

private:
    /// Several maps of the same input as one: its outputs one after the other.
    Linear joined(const std::vector<Linear> &parts) const
    {
        const bool biased = std::ranges::any_of(parts, [](const Linear &part) { return part.bias.defined(); });
        std::vector<torch::Tensor> weights, biases;
        for (const Linear &part : parts) {
            weights.push_back(part.weight);
            biases.push_back(part.bias.defined() ? part.bias
                                                 : torch::zeros({part.weight.size(0)}, part.weight.options()));
        }
        return (*this)(Linear{torch::cat(weights), biased ? torch::cat(biases) : torch::Tensor(), {}});
    }

    torch::ScalarType m_type;
};

} // namespace

TracedWeights::TracedWeights(const TransformerSpec &spec, const TransformerWeights &weights, torch::ScalarType numbers)
    : type(numbers)
{
    const Exact exact(type);
    for (const Side side : kBothSides) {
        if (spec.stack(side))
            stacks[static_cast<std::size_t>(side)] = exact(*spec.stack(side), weights.stack(side));
    }
    classifierDense = exact(weights.classifierDense);
    classifierNorm = exact(weights.classifierNorm);
}

} // namespace headscope
