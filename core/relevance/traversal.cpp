#include "core/relevance/traversal.h"

#include "core/model/generate.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

/// Several maps of the same input as one: its outputs one after the other.
Linear joined(std::initializer_list<Linear> parts)
{
    std::vector<torch::Tensor> weights, biases;
    for (const Linear &part : parts) {
        weights.push_back(part.weight);
        biases.push_back(part.bias);
    }
    return {torch::cat(weights), torch::cat(biases), {}};
}

/// One output of a map.
Linear rowOf(const torch::Tensor &weight, const torch::Tensor &bias, std::int64_t row)
{
    return {weight[row].unsqueeze(0), bias.defined() ? bias.flatten()[row].unsqueeze(0) : torch::Tensor(), {}};
}

torch::Tensor normalized(const torch::Tensor &x, const Norm &norm, double epsilon)
{
    return torch::layer_norm(x, {x.size(-1)}, norm.weight, norm.bias, epsilon);
}

/// [T, H·Dh] → [H, T, Dh]
torch::Tensor heads(const torch::Tensor &x, std::int64_t count)
{
    return x.view({x.size(0), count, -1}).transpose(0, 1).contiguous();
}

/// [K, H, T, Dh] → [K, T, H·Dh]
torch::Tensor columns(const torch::Tensor &message) { return message.transpose(1, 2).flatten(2); }

void append(torch::Tensor &all, const torch::Tensor &more) { all = all.defined() ? torch::cat({all, more}) : more; }

/// Traces of further steps of the same sentence.
void append(RelevanceTrace &all, const RelevanceTrace &more)
{
    for (const auto &[where, values] : more.heads)
        append(all.heads[where], values);
    append(all.source, more.source);
    append(all.prefix, more.prefix);
    append(all.total, more.total);
    all.targets.insert(all.targets.end(), more.targets.begin(), more.targets.end());
}

} // namespace

torch::Tensor Traversal::Exact::operator()(const torch::Tensor &x) const { return x.defined() ? x.to(type) : x; }

Linear Traversal::Exact::operator()(const Linear &weights) const
{
    return {(*this)(weights.weight), (*this)(weights.bias), {}};
}

Norm Traversal::Exact::operator()(const Norm &weights) const
{
    return {(*this)(weights.weight), (*this)(weights.bias)};
}

struct Traversal::Attention
{
    HeadKind kind = HeadKind::Encoder;
    int layer = 0;
    const AttentionWeights &weights;
    std::int64_t headWidth = 0;
    torch::Tensor hidden; ///< [T, D], what the sub-layer adds to
    torch::Tensor memory; ///< [S, D], what keys and values are made of; undefined: of the same as queries
    torch::Tensor bias;   ///< [T, S] on scores; undefined = none
};

torch::Tensor Traversal::throughLinear(const torch::Tensor &x, const Linear &weights,
                                       const torch::Tensor &message) const
{
    m_control.checkpoint();
    return m_rule.linear(x, weights, message);
}

torch::Tensor Traversal::throughNorm(const torch::Tensor &x, const Norm &norm, const torch::Tensor &message) const
{
    m_control.checkpoint();
    return m_rule.norm(x, m_exact(norm), m_model.spec().normEpsilon, message);
}

torch::Tensor Traversal::throughFeedForward(const torch::Tensor &hidden, const LayerWeights &layer,
                                            const torch::Tensor &message) const
{
    const TransformerSpec &spec = m_model.spec();
    const bool pre = spec.norm == NormPlacement::Pre;
    const Linear in = m_exact(layer.feedForwardIn);
    const Linear out = m_exact(layer.feedForwardOut);
    const auto input = pre ? normalized(hidden, m_exact(layer.feedForwardNorm), spec.normEpsilon) : hidden;
    const auto inside = in(input);
    const auto active = activate(inside, spec.activation);
    const auto output = out(active);
    const auto [direct, added]
        = m_rule.sum(hidden, output, pre ? message : throughNorm(hidden + output, layer.feedForwardNorm, message));
    auto back = throughLinear(active, out, added);
    back = throughLinear(input, in, m_rule.activation(inside, spec.activation, back));
    return direct + (pre ? throughNorm(hidden, layer.feedForwardNorm, back) : back);
}

torch::Tensor Traversal::throughAttention(const Attention &attention, const torch::Tensor &message,
                                          torch::Tensor *memoryMessage, RelevanceTrace &trace) const
{
    const AttentionWeights &weights = attention.weights;
    const torch::Tensor &hidden = attention.hidden;
    const bool pre = m_model.spec().norm == NormPlacement::Pre;
    const std::int64_t count = weights.heads;
    if (count == 0)
        return pre ? message : throughNorm(hidden + m_exact(weights.out.bias), weights.norm, message);

    const bool crosses = attention.memory.defined();
    const auto input = pre ? normalized(hidden, m_exact(weights.norm), m_model.spec().normEpsilon) : hidden;
    const auto &memory = crosses ? attention.memory : input;
    AttentionCore core;
    core.scale = std::pow(attention.headWidth, -0.5);
    core.query = heads(m_exact(weights.query)(input), count);
    core.key = heads(m_exact(weights.key)(memory), count);
    core.value = heads(m_exact(weights.value)(memory), count);
    auto scores = torch::matmul(core.query, core.key.transpose(1, 2)) * core.scale;
    if (attention.bias.defined())
        scores = scores + attention.bias;
    core.probabilities = torch::softmax(scores, -1);
    core.context = torch::matmul(core.probabilities, core.value);
    const auto context = core.context.transpose(0, 1).flatten(1); // [T, H·Dh]
    const Linear out = m_exact(weights.out);
    const auto output = out(context);

    const auto [direct, added]
        = m_rule.sum(hidden, output, pre ? message : throughNorm(hidden + output, weights.norm, message));
    const auto aboutContext = throughLinear(context, out, added); // [K, T, H·Dh]
    const auto ofHeads = aboutContext.unflatten(2, {count, attention.headWidth}).transpose(1, 2); // [K, H, T, Dh]
    trace.heads[{attention.kind, attention.layer}]
        = m_rule.relevance(core.context, ofHeads).sum(torch::IntArrayRef{2, 3}, false, torch::kFloat64).cpu();
    m_control.checkpoint();
    // As in Voita et al.'s code, queries, keys and values are one map where they read the same, else keys and
    // values are.
    const AttentionMessages inside = m_rule.attention(core, ofHeads);
    torch::Tensor back;
    if (crosses) {
        back = throughLinear(input, m_exact(weights.query), columns(inside.query));
        const auto toMemory = throughLinear(memory, m_exact(joined({weights.key, weights.value})),
                                            torch::cat({columns(inside.key), columns(inside.value)}, 2));
        *memoryMessage = memoryMessage->defined() ? *memoryMessage + toMemory : toMemory;
    } else {
        back = throughLinear(input, m_exact(joined({weights.query, weights.key, weights.value})),
                             torch::cat({columns(inside.query), columns(inside.key), columns(inside.value)}, 2));
    }
    return direct + (pre ? throughNorm(hidden, weights.norm, back) : back);
}

/// To the sum of the embeddings, and what is relevant in it: [K, T, E].
torch::Tensor Traversal::throughEmbedding(const Recorder &states, const char *stack, const StackWeights &weights,
                                          torch::Tensor message) const
{
    const TransformerSpec &spec = m_model.spec();
    const auto embedding = m_exact(states.tensors.at(std::string(stack) + ".embedding")[0]);
    if (weights.projection.weight.defined()) {
        const auto input = spec.embeddingNorm ? normalized(embedding, m_exact(weights.embeddingNorm), spec.normEpsilon)
                                              : embedding;
        message = throughLinear(input, m_exact(weights.projection), message);
    }
    if (spec.embeddingNorm)
        message = throughNorm(embedding, weights.embeddingNorm, message);
    return m_rule.relevance(embedding, message);
}

Memory Traversal::encode(const TokenBatch &source, Recorder &states, torch::Tensor &beforeNorm) const
{
    EncoderState state = m_model.beginEncoder(source, nullptr, &states);
    while (state.layer < m_model.spec().encoder.layers()) {
        m_control.checkpoint();
        m_model.advanceEncoder(state, state.layer + 1, {}, &states);
    }
    beforeNorm = m_exact(state.hidden[0]);
    return m_model.finishEncoder(state);
}

/// From a message about the encoder's output to the source's share.
torch::Tensor Traversal::throughEncoder(torch::Tensor message, const Recorder &states, const torch::Tensor &beforeNorm,
                                        RelevanceTrace &trace) const
{
    const StackWeights &weights = m_model.weights().encoder;
    if (m_model.spec().finalNorm)
        message = throughNorm(beforeNorm, weights.finalNorm, message);
    for (int layer = m_model.spec().encoder.layers() - 1; layer >= 0; --layer) {
        const LayerWeights &own = weights.layers[static_cast<std::size_t>(layer)];
        const auto &inside = states.tensors.at(Recorder::feedForwardPlace(false, layer));
        message = throughFeedForward(m_exact(inside[0]), own, message);
        message = throughAttention({HeadKind::Encoder, layer, own.self, m_model.spec().encoder.headWidth,
                                    m_exact(states.at(HeadKind::Encoder, layer, "input")[0]), {}, {}},
                                   message, nullptr, trace);
    }
    return throughEmbedding(states, "encoder", weights, std::move(message));
}

RelevanceTrace Traversal::runClassifier(const TokenBatch &source) const
{
    const TransformerWeights &weights = m_model.weights();
    const Activation activation = m_model.spec().classifier->activation;
    Recorder states;
    states.inputs = true;
    torch::Tensor beforeNorm;
    const auto first = m_exact(encode(source, states, beforeNorm).hidden[0]).narrow(0, 0, 1); // [1, D]
    const auto inside = m_exact(weights.classifierDense)(first);
    const auto active = activate(inside, activation);
    const auto logits = m_exact(weights.classifierOut)(active);
    const auto target = logits.argmax(1).item<std::int64_t>();

    auto message = torch::full({1, 1, 1}, m_rule.start(logits[0][target].item<double>()), first.options());
    const Linear row = m_exact(rowOf(weights.classifierOut.weight, weights.classifierOut.bias, target));
    message = throughLinear(active, row, message);
    message = m_rule.activation(inside, activation, message);
    message = throughLinear(first, m_exact(weights.classifierDense), message);
    RelevanceTrace trace;
    trace.targets = {target};
    message = torch::constant_pad_nd(message, {0, 0, 0, source.ids.size(1) - 1}); // other positions are not looked at
    const auto relevance = throughEncoder(message, states, beforeNorm, trace);
    trace.source = relevance.abs().sum(-1, false, torch::kFloat64).cpu();
    trace.total = relevance.sum(torch::IntArrayRef{1, 2}, false, torch::kFloat64).cpu();
    return trace;
}

RelevanceTrace Traversal::runTranslation(const TokenBatch &source, const TokenBatch &target) const
{
    const TransformerSpec &spec = m_model.spec();
    const TransformerWeights &weights = m_model.weights();
    const StackWeights &decoder = weights.decoder;
    Recorder states;
    states.inputs = true;
    torch::Tensor encoderBeforeNorm;
    const Memory memory = encode(source, states, encoderBeforeNorm);
    const auto cross = m_model.crossKeyValues(memory);
    DecoderState state = m_model.beginDecoder(target, nullptr, &states);
    while (state.layer < spec.decoder->layers()) {
        m_control.checkpoint();
        m_model.advanceDecoder(state, state.layer + 1, cross, memory.keyBias, {}, nullptr, &states);
    }
    const auto beforeNorm = m_exact(state.hidden[0]);
    const auto finished = m_model.finishDecoder(state)[0]; // [T, D]
    const auto output = m_exact(finished);
    const auto memoryHidden = m_exact(memory.hidden[0]);
    const auto causal = m_exact(state.selfBias[0][0]);
    auto logits = m_model.logits(finished);
    ScoreProcessor(spec.generation).banLogits(logits);
    const auto chosen = logits.argmax(1).cpu();

    const std::int64_t positions = output.size(0);
    const std::int64_t perStep
        = std::max(positions, memoryHidden.size(0)) * std::max({3 * spec.width, spec.encoder.feedForward,
                                                                 spec.decoder->feedForward});
    const std::int64_t atOnce = std::clamp<std::int64_t>(m_messageNumbers / perStep, 1, positions);
    RelevanceTrace all;
    for (std::int64_t firstStep = 0; firstStep < positions; firstStep += atOnce) {
        const std::int64_t steps = std::min(atOnce, positions - firstStep);
        RelevanceTrace trace;
        auto message = torch::zeros({steps, positions, output.size(1)}, output.options());
        for (std::int64_t k = 0; k < steps; ++k) {
            const std::int64_t position = firstStep + k;
            const auto token = chosen[position].item<std::int64_t>();
            trace.targets.push_back(token);
            const Linear row = m_exact(rowOf(weights.outputWeight, weights.outputBias, token));
            const auto here = output.narrow(0, position, 1);
            const auto start = torch::full({1, 1, 1}, m_rule.start(row(here).item<double>()), output.options());
            message[k][position] = throughLinear(here, row, start)[0][0];
        }
        if (spec.finalNorm)
            message = throughNorm(beforeNorm, decoder.finalNorm, message);
        torch::Tensor toMemory;
        for (int layer = spec.decoder->layers() - 1; layer >= 0; --layer) {
            const LayerWeights &own = decoder.layers[static_cast<std::size_t>(layer)];
            const auto &inside = states.tensors.at(Recorder::feedForwardPlace(true, layer));
            message = throughFeedForward(m_exact(inside[0]), own, message);
            message = throughAttention({HeadKind::Cross, layer, own.cross, spec.decoder->headWidth,
                                        m_exact(states.at(HeadKind::Cross, layer, "input")[0]), memoryHidden, {}},
                                       message, &toMemory, trace);
            message = throughAttention({HeadKind::Decoder, layer, own.self, spec.decoder->headWidth,
                                        m_exact(states.at(HeadKind::Decoder, layer, "input")[0]), {}, causal},
                                       message, nullptr, trace);
        }
        const auto ofPrefix = throughEmbedding(states, "decoder", decoder, std::move(message));
        if (!toMemory.defined()) // no cross-attention has a head left
            toMemory = torch::zeros({steps, memoryHidden.size(0), memoryHidden.size(1)}, memoryHidden.options());
        const auto ofSource = throughEncoder(std::move(toMemory), states, encoderBeforeNorm, trace);
        const auto perToken = [](const torch::Tensor &x) { return x.abs().sum(-1, false, torch::kFloat64).cpu(); };
        const auto total = [](const torch::Tensor &x) {
            return x.sum(torch::IntArrayRef{1, 2}, false, torch::kFloat64).cpu();
        };
        trace.source = perToken(ofSource);
        trace.prefix = perToken(ofPrefix);
        trace.total = total(ofSource) + total(ofPrefix);
        append(all, trace);
    }
    return all;
}

RelevanceTrace Traversal::run(const TokenBatch &source, const TokenBatch *target) const
{
    const torch::NoGradGuard noGrad;
    return m_model.spec().classifier ? runClassifier(source) : runTranslation(source, *target);
}

} // namespace headscope
