// What a classifier's sweep need not repeat: attention within a layer, and positions of the last one (DESIGN 3).
#include "core/model/transformer.h"

#include <torch/torch.h>

#include <cmath>

namespace headscope {
namespace {

/// [B, H, Q, Dh] → [B, Q, H·Dh]
torch::Tensor joinHeads(const torch::Tensor &context)
{
    return context.transpose(1, 2).flatten(2);
}

} // namespace

/// Gated contexts of layer state.layer for the first `queries` positions, [B, H, Q, Dh].
torch::Tensor Transformer::encoderContext(const EncoderState &state, const HeadGates &gates, std::int64_t queries) const
{
    const AttentionWeights &weights = m_weights.encoder.layers[static_cast<std::size_t>(state.layer)].self;
    const std::int64_t headWidth = m_spec.encoder.headWidth;
    const torch::Tensor input
        = m_spec.norm == NormPlacement::Pre ? normalize(state.hidden, weights.norm) : state.hidden;
    const auto query = splitHeads(weights.query(input.narrow(1, 0, queries)) * std::pow(headWidth, -0.5), weights.heads,
                                  headWidth);
    return attend(query, project(input, weights, headWidth), state.keyBias,
                  {HeadKind::Encoder, state.layer, gates, nullptr, {}});
}

/// The rest of a layer behind its attention: hidden and output [B, Q, D].
torch::Tensor Transformer::closeEncoderLayer(const torch::Tensor &hidden, const torch::Tensor &output,
                                             const LayerWeights &layer) const
{
    const auto sum = hidden + output;
    return feedForward(m_spec.norm == NormPlacement::Pre ? sum : normalize(sum, layer.self.norm), layer);
}

void Transformer::advanceToFirstPosition(EncoderState &state, const HeadGates &gates) const
{
    const LayerWeights &layer = m_weights.encoder.layers[static_cast<std::size_t>(state.layer)];
    const auto first = state.hidden.narrow(1, 0, 1);
    const auto output = layer.self.heads == 0 ? layer.self.out.bias.expand_as(first)
                                              : layer.self.out(joinHeads(encoderContext(state, gates, 1)));
    state.hidden = closeEncoderLayer(first, output, layer);
    ++state.layer;
}

EncoderState Transformer::advanceVariants(const EncoderState &state, const HeadGates &gates,
                                          const std::vector<std::vector<std::int64_t>> &removed) const
{
    const LayerWeights &layer = m_weights.encoder.layers[static_cast<std::size_t>(state.layer)];
    const bool isLast = state.layer + 1 == m_spec.encoder.layers();
    const std::int64_t queries = isLast ? 1 : state.hidden.size(1);
    const auto context = encoderContext(state, gates, queries);
    const auto hidden = state.hidden.narrow(1, 0, queries);
    const auto whole = layer.self.out(joinHeads(context));
    const auto columns = layer.self.out.weight.view({m_spec.width, layer.self.heads, m_spec.encoder.headWidth});
    std::map<std::int64_t, torch::Tensor> added; // by head, [B, Q, D]
    std::vector<torch::Tensor> outputs;
    for (const auto &heads : removed) {
        auto output = whole;
        for (std::int64_t head : heads) {
            torch::Tensor &one = added[head];
            if (!one.defined())
                one = torch::matmul(context.select(1, head), columns.select(1, head).t());
            output = output - one;
        }
        outputs.push_back(output);
    }
    const auto variants = static_cast<std::int64_t>(removed.size());
    EncoderState next;
    next.hidden = closeEncoderLayer(hidden.repeat({variants, 1, 1}), torch::cat(outputs), layer);
    next.keyBias = state.keyBias.repeat({variants, 1, 1, 1});
    next.layer = state.layer + 1;
    return next;
}

} // namespace headscope
