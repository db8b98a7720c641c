#include "core/model/transformer.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope {
namespace {

using torch::indexing::Slice;

/// What is added to the score of a key that must not be seen. Finite, as in Hugging Face: a row without any
/// visible key then gives a uniform distribution instead of NaN.
double hidden(torch::ScalarType dtype)
{
    return dtype == torch::kBFloat16 ? -3.3895e38 : static_cast<double>(std::numeric_limits<float>::lowest());
}

/// Marian's table: [sin | cos] halves, entry i of each with divisor 10000^(2i/D) (FORMATS 3.3), in double.
torch::Tensor sinusoidTable(std::int64_t positions, std::int64_t width)
{
    const std::int64_t half = (width + 1) / 2;
    const auto index = torch::arange(width, torch::kFloat64);
    const auto frequency = torch::pow(10000.0, -2.0 * torch::where(index < half, index, index - half)
                                                   / static_cast<double>(width));
    const auto angle = torch::arange(positions, torch::kFloat64).unsqueeze(1) * frequency;
    return torch::where(index < half, angle.sin(), angle.cos()).to(torch::kFloat32);
}

/// Brings a gate of shape [H], [B, H] or [B, H, T] to one that multiplies [B, H, T, Dh].
torch::Tensor broadcastGate(const torch::Tensor &gate)
{
    switch (gate.dim()) {
    case 1:
        return gate.view({1, -1, 1, 1});
    case 2:
        return gate.unsqueeze(-1).unsqueeze(-1);
    default:
        return gate.unsqueeze(-1);
    }
}

/// What stands for the contexts [B, H, T, Dh] of replaced heads. `positions` [B, T] says where in the sequence
/// the T rows are; undefined = 0 … T−1.
torch::Tensor replacementAt(const torch::Tensor &replacement, std::int64_t length, const torch::Tensor &positions)
{
    if (replacement.dim() == 2)
        return replacement.view({1, replacement.size(0), 1, replacement.size(1)});
    const std::int64_t donorLength = replacement.size(2);
    if (!positions.defined()) {
        const auto index = torch::arange(length, torch::TensorOptions(torch::kInt64).device(replacement.device()))
                               .remainder(donorLength);
        return replacement.index_select(2, index);
    }
    const auto index = positions.remainder(donorLength).view({positions.size(0), 1, positions.size(1), 1});
    return replacement.gather(
        2, index.expand({-1, replacement.size(1), -1, replacement.size(3)}));
}

torch::Tensor addDropped(const torch::Tensor &sum, const torch::Tensor &output, Dropout *dropout)
{
    return dropout ? dropout->add(sum, output) : sum + output;
}

} // namespace

torch::Tensor activate(const torch::Tensor &input, Activation activation)
{
    switch (activation) {
    case Activation::Relu:
        return torch::relu(input);
    case Activation::Gelu:
        return torch::gelu(input);
    case Activation::GeluTanh:
        return torch::gelu(input, "tanh");
    case Activation::Silu:
        return torch::silu(input);
    case Activation::QuickGelu:
        return input * torch::sigmoid(1.702 * input);
    case Activation::Tanh:
        return torch::tanh(input);
    }
    return input;
}

TokenBatch TokenBatch::pad(const std::vector<std::vector<std::int64_t>> &rows, std::int64_t padId,
                           const torch::Device &device)
{
    TokenBatch batch;
    std::int64_t width = 0;
    for (const auto &row : rows) {
        batch.lengths.push_back(static_cast<std::int64_t>(row.size()));
        width = std::max(width, batch.lengths.back());
    }
    auto ids = torch::full({static_cast<std::int64_t>(rows.size()), width}, padId, torch::kInt64);
    auto *out = ids.data_ptr<std::int64_t>();
    for (const auto &row : rows) {
        std::copy(row.begin(), row.end(), out);
        out += width;
    }
    batch.ids = ids.to(device);
    return batch;
}

torch::Tensor validPositions(const std::vector<std::int64_t> &lengths, std::int64_t width,
                             const torch::Device &device)
{
    const auto limit = torch::tensor(lengths, torch::kInt64).unsqueeze(1);
    return (torch::arange(width, torch::kInt64) < limit).to(device);
}

std::string Recorder::place(HeadKind kind, int layer, const char *what)
{
    const char *stack = kind == HeadKind::Encoder ? "encoder." : "decoder.";
    const char *attention = kind == HeadKind::Cross ? ".cross." : ".self.";
    return stack + std::to_string(layer) + attention + what;
}

std::string Recorder::feedForwardPlace(bool decoder, int layer)
{
    return (decoder ? "decoder." : "encoder.") + std::to_string(layer) + ".feed_forward.input";
}

Memory Memory::selectRows(const torch::Tensor &rows) const
{
    return {hidden.index_select(0, rows), keyBias.index_select(0, rows)};
}

KeyValue KeyValue::selectRows(const torch::Tensor &rows) const
{
    if (!key.defined())
        return {};
    return {key.index_select(0, rows), value.index_select(0, rows)};
}

void DecodeCache::select(const torch::Tensor &rows, const torch::Tensor &sentences)
{
    for (KeyValue &layer : self)
        layer = layer.selectRows(rows);
    const auto wanted = rows.cpu();
    const auto *row = wanted.data_ptr<std::int64_t>();
    std::vector<std::int64_t> kept;
    for (std::int64_t i = 0; i < wanted.size(0); ++i)
        kept.push_back(lengths[static_cast<std::size_t>(row[i])]);
    lengths = std::move(kept);
    if (sentences.defined()) {
        for (KeyValue &layer : cross)
            layer = layer.selectRows(sentences);
        memoryBias = memoryBias.index_select(0, sentences);
    }
}

Transformer::Transformer(TransformerSpec spec, TransformerWeights weights)
    : m_spec(std::move(spec)), m_weights(std::move(weights)), m_layout(m_spec.layout())
{
    if (m_spec.positions == Positions::SinusoidalHalves)
        m_sinusoids = sinusoidTable(m_spec.maxPositions, m_spec.width).to(options());
}

torch::Tensor Transformer::normalize(const torch::Tensor &input, const Norm &norm) const
{
    return torch::layer_norm(input, {input.size(-1)}, norm.weight, norm.bias, m_spec.normEpsilon);
}

/// ids [B, T], positions [T] or [B, T] → [B, T, D].
torch::Tensor Transformer::embed(const StackWeights &stack, const torch::Tensor &ids, const torch::Tensor &positions,
                                 const torch::Tensor &typeIds, torch::Tensor *recorded) const
{
    const torch::Tensor &table = stack.positionEmbedding.defined() ? stack.positionEmbedding : m_sinusoids;
    auto hidden = torch::embedding(stack.embedding, ids);
    if (m_spec.embeddingScale != 1.0)
        hidden = hidden * m_spec.embeddingScale;
    if (stack.typeEmbedding.defined())
        hidden = hidden + (typeIds.defined() ? torch::embedding(stack.typeEmbedding, typeIds) : stack.typeEmbedding[0]);
    hidden = hidden + torch::embedding(table, positions + m_spec.positionOffset);
    if (recorded)
        *recorded = hidden;
    if (m_spec.embeddingNorm)
        hidden = normalize(hidden, stack.embeddingNorm);
    return stack.projection.weight.defined() ? stack.projection(hidden) : hidden;
}

/// [T] or [B, T], before the offset; −1 stands for padding where padding does not count (FORMATS 3.1).
torch::Tensor Transformer::encoderPositions(const torch::Tensor &ids) const
{
    if (m_spec.positions != Positions::LearnedPastPadding)
        return torch::arange(ids.size(1), ids.options());
    const auto real = ids.ne(m_spec.generation.padId).to(torch::kInt64);
    return real.cumsum(1) * real - 1;
}

/// [B, T, H·Dh] → [B, H, T, Dh]
torch::Tensor Transformer::splitHeads(const torch::Tensor &projected, std::int64_t heads,
                                      std::int64_t headWidth) const
{
    return projected.view({projected.size(0), projected.size(1), heads, headWidth}).transpose(1, 2);
}

KeyValue Transformer::project(const torch::Tensor &input, const AttentionWeights &weights,
                              std::int64_t headWidth) const
{
    return {splitHeads(weights.key(input), weights.heads, headWidth),
            splitHeads(weights.value(input), weights.heads, headWidth)};
}

/// query [B, H, T, Dh] already scaled; memory [B, H, S, Dh]; bias broadcasts to [B, H, T, S] → gated [B, H, T, Dh].
torch::Tensor Transformer::attend(const torch::Tensor &query, const KeyValue &memory, const torch::Tensor &bias,
                                  const AttentionCall &call) const
{
    auto scores = torch::matmul(query, memory.key.transpose(2, 3));
    if (bias.defined())
        scores = scores + bias;
    const auto probabilities = torch::softmax(scores, -1);
    auto context = torch::matmul(probabilities, memory.value);
    if (call.recorder) {
        auto &tensors = call.recorder->tensors;
        if (call.recorder->probabilities)
            tensors[Recorder::place(call.kind, call.layer, "probabilities")] = probabilities;
        if (call.recorder->contexts)
            tensors[Recorder::place(call.kind, call.layer, "context")] = context;
        if (call.recorder->values)
            tensors[Recorder::place(call.kind, call.layer, "value")] = memory.value;
    }
    const LayerGate &gate = call.gates.at(call.kind, call.layer);
    if (gate.gate.defined()) {
        const auto factor = broadcastGate(gate.gate);
        context = context * factor;
        if (gate.replacement.defined())
            context = context
                      + (1 - factor) * replacementAt(gate.replacement, context.size(2), call.positions);
    }
    return context;
}

namespace {

void recordInput(const torch::Tensor &hidden, HeadKind kind, int layer, Recorder *recorder)
{
    if (recorder && recorder->inputs)
        recorder->tensors[Recorder::place(kind, layer, "input")] = hidden;
}

void recordFeedForward(const torch::Tensor &hidden, bool decoder, int layer, Recorder *recorder)
{
    if (recorder && recorder->inputs)
        recorder->tensors[Recorder::feedForwardPlace(decoder, layer)] = hidden;
}

/// Where embeddings are to be recorded, if they are.
torch::Tensor *embeddingOf(const char *stack, Recorder *recorder)
{
    return recorder && recorder->inputs ? &recorder->tensors[std::string(stack) + ".embedding"] : nullptr;
}

} // namespace

template<typename MakeContext>
torch::Tensor Transformer::attentionSublayer(const torch::Tensor &hidden, const AttentionWeights &weights,
                                             Dropout *dropout, MakeContext &&makeContext) const
{
    const bool pre = m_spec.norm == NormPlacement::Pre;
    torch::Tensor output;
    if (weights.heads == 0) {
        output = weights.out.bias.expand_as(hidden); // every head removed: only the bias is left
    } else {
        const torch::Tensor input = pre ? normalize(hidden, weights.norm) : hidden;
        const torch::Tensor context = makeContext(input); // [B, H, T, Dh]
        output = weights.out(context.transpose(1, 2).reshape(
            {hidden.size(0), hidden.size(1), weights.out.weight.size(1)}));
    }
    const auto sum = addDropped(hidden, output, dropout);
    return pre ? sum : normalize(sum, weights.norm);
}

torch::Tensor Transformer::feedForward(const torch::Tensor &hidden, const LayerWeights &layer, Dropout *dropout) const
{
    const bool pre = m_spec.norm == NormPlacement::Pre;
    const torch::Tensor input = pre ? normalize(hidden, layer.feedForwardNorm) : hidden;
    const auto output = layer.feedForwardOut(activate(layer.feedForwardIn(input), m_spec.activation));
    const auto sum = addDropped(hidden, output, dropout);
    return pre ? sum : normalize(sum, layer.feedForwardNorm);
}

EncoderState Transformer::beginEncoder(const TokenBatch &source, Dropout *dropout, Recorder *recorder) const
{
    EncoderState state;
    state.dropout = dropout;
    const auto width = source.ids.size(1);
    state.hidden = embed(m_weights.encoder, source.ids, encoderPositions(source.ids), source.typeIds,
                         embeddingOf("encoder", recorder));
    if (dropout)
        state.hidden = (*dropout)(state.hidden);
    const auto valid = validPositions(source.lengths, width, device());
    state.keyBias = torch::zeros({source.ids.size(0), 1, 1, width}, options());
    state.keyBias.masked_fill_(valid.logical_not().view({-1, 1, 1, width}), headscope::hidden(dtype()));
    return state;
}

void Transformer::advanceEncoder(EncoderState &state, int toLayer, const HeadGates &gates,
                                 Recorder *recorder) const
{
    const std::int64_t headWidth = m_spec.encoder.headWidth;
    for (; state.layer < toLayer; ++state.layer) {
        const LayerWeights &layer = m_weights.encoder.layers[static_cast<std::size_t>(state.layer)];
        const AttentionCall call{HeadKind::Encoder, state.layer, gates, recorder, {}};
        recordInput(state.hidden, HeadKind::Encoder, state.layer, recorder);
        state.hidden = attentionSublayer(state.hidden, layer.self, state.dropout, [&](const torch::Tensor &input) {
            const auto query = splitHeads(layer.self.query(input) * std::pow(headWidth, -0.5), layer.self.heads,
                                          headWidth);
            return attend(query, project(input, layer.self, headWidth), state.keyBias, call);
        });
        recordFeedForward(state.hidden, false, state.layer, recorder);
        state.hidden = feedForward(state.hidden, layer, state.dropout);
    }
}

Memory Transformer::finishEncoder(const EncoderState &state) const
{
    return {m_spec.finalNorm ? normalize(state.hidden, m_weights.encoder.finalNorm) : state.hidden, state.keyBias};
}

Memory Transformer::encode(const TokenBatch &source, const HeadGates &gates, Recorder *recorder) const
{
    EncoderState state = beginEncoder(source, nullptr, recorder);
    advanceEncoder(state, m_spec.encoder.layers(), gates, recorder);
    return finishEncoder(state);
}

torch::Tensor Transformer::valueNorms(HeadKind kind, int layer, const torch::Tensor &values) const
{
    const auto index = static_cast<std::size_t>(layer);
    const AttentionWeights &weights = kind == HeadKind::Encoder ? m_weights.encoder.layers[index].self
                                      : kind == HeadKind::Cross ? m_weights.decoder.layers[index].cross
                                                                : m_weights.decoder.layers[index].self;
    // ‖W v‖² = vᵀ (Wᵀ W) v: [Dh, Dh] for each head instead of [D, Dh].
    const auto out = weights.out.weight.view({weights.out.weight.size(0), weights.heads, values.size(3)});
    const auto gram = torch::einsum("ohi,ohj->hij", {out, out}); // [H, Dh, Dh]
    return (torch::matmul(values, gram) * values).sum(3).clamp_min(0).sqrt();
}

torch::Tensor Transformer::classify(const torch::Tensor &first) const
{
    const auto dense = activate(m_weights.classifierDense(first), m_spec.classifier->activation);
    return m_weights.classifierOut(dense).to(torch::kFloat32);
}

std::vector<KeyValue> Transformer::crossKeyValues(const Memory &memory, int fromLayer) const
{
    std::vector<KeyValue> cross(static_cast<std::size_t>(m_spec.decoder->layers()));
    for (auto i = static_cast<std::size_t>(fromLayer); i < cross.size(); ++i) {
        const AttentionWeights &weights = m_weights.decoder.layers[i].cross;
        if (weights.heads > 0)
            cross[i] = project(memory.hidden, weights, m_spec.decoder->headWidth);
    }
    return cross;
}

DecoderState Transformer::beginDecoder(const TokenBatch &targetInput, Dropout *dropout, Recorder *recorder) const
{
    DecoderState state;
    state.dropout = dropout;
    const auto length = targetInput.ids.size(1);
    const auto positions = torch::arange(length, targetInput.ids.options());
    state.hidden = embed(m_weights.decoder, targetInput.ids, positions, {}, embeddingOf("decoder", recorder));
    if (dropout)
        state.hidden = (*dropout)(state.hidden);
    const auto future = positions.unsqueeze(0) > positions.unsqueeze(1);
    state.selfBias = torch::zeros({1, 1, length, length}, options());
    state.selfBias.masked_fill_(future.view({1, 1, length, length}), headscope::hidden(dtype()));
    return state;
}

torch::Tensor Transformer::embedTargets(const torch::Tensor &tokens, const torch::Tensor &positions) const
{
    return embed(m_weights.decoder, tokens.unsqueeze(1), positions.unsqueeze(1)).squeeze(1);
}

void Transformer::advanceDecoder(DecoderState &state, int toLayer, const std::vector<KeyValue> &cross,
                                 const torch::Tensor &memoryBias, const HeadGates &gates,
                                 std::vector<KeyValue> *selfOut, Recorder *recorder) const
{
    const std::int64_t headWidth = m_spec.decoder->headWidth;
    const double scale = std::pow(headWidth, -0.5);
    for (; state.layer < toLayer; ++state.layer) {
        const auto index = static_cast<std::size_t>(state.layer);
        const LayerWeights &layer = m_weights.decoder.layers[index];
        recordInput(state.hidden, HeadKind::Decoder, state.layer, recorder);
        state.hidden = attentionSublayer(state.hidden, layer.self, state.dropout, [&](const torch::Tensor &input) {
            const auto query = splitHeads(layer.self.query(input) * scale, layer.self.heads, headWidth);
            const KeyValue self = project(input, layer.self, headWidth);
            if (selfOut)
                (*selfOut)[index] = self;
            return attend(query, self, state.selfBias, {HeadKind::Decoder, state.layer, gates, recorder, {}});
        });
        recordInput(state.hidden, HeadKind::Cross, state.layer, recorder);
        state.hidden = attentionSublayer(state.hidden, layer.cross, state.dropout, [&](const torch::Tensor &input) {
            const auto query = splitHeads(layer.cross.query(input) * scale, layer.cross.heads, headWidth);
            return attend(query, cross[index], memoryBias, {HeadKind::Cross, state.layer, gates, recorder, {}});
        });
        recordFeedForward(state.hidden, true, state.layer, recorder);
        state.hidden = feedForward(state.hidden, layer, state.dropout);
    }
}

torch::Tensor Transformer::finishDecoder(const DecoderState &state) const
{
    return m_spec.finalNorm ? normalize(state.hidden, m_weights.decoder.finalNorm) : state.hidden;
}

torch::Tensor Transformer::logits(const torch::Tensor &hidden) const
{
    // Not linear(…, bias): Hugging Face adds the bias after the product.
    auto logits = torch::linear(hidden, m_weights.outputWeight).to(torch::kFloat32);
    return m_weights.outputBias.defined() ? logits.add_(m_weights.outputBias) : logits;
}

DecodeCache Transformer::beginDecoding(const Memory &memory, std::int64_t beams) const
{
    DecodeCache cache;
    cache.cross = crossKeyValues(memory);
    for (KeyValue &layer : cache.cross) {
        if (layer.key.defined()) { // read at every step: worth being contiguous
            layer.key = layer.key.contiguous();
            layer.value = layer.value.contiguous();
        }
    }
    cache.memoryBias = memory.keyBias;
    cache.beams = beams;
    const std::int64_t rows = memory.hidden.size(0) * beams;
    cache.lengths.assign(static_cast<std::size_t>(rows), 0);
    for (const LayerWeights &layer : m_weights.decoder.layers) {
        const auto empty = torch::zeros({rows, layer.self.heads, 16, m_spec.decoder->headWidth}, options());
        cache.self.push_back({empty, empty.clone()});
    }
    return cache;
}

namespace {

/// Makes room for one more position.
void growCache(std::vector<KeyValue> &layers, std::int64_t needed)
{
    for (KeyValue &layer : layers) {
        const std::int64_t capacity = layer.key.size(2);
        if (capacity >= needed)
            continue;
        const std::vector<std::int64_t> padding{0, 0, 0, std::max(needed, capacity * 3 / 2) - capacity};
        layer.key = torch::constant_pad_nd(layer.key, padding);
        layer.value = torch::constant_pad_nd(layer.value, padding);
    }
}

} // namespace

torch::Tensor Transformer::decodeStep(DecodeCache &cache, const torch::Tensor &tokens, const HeadGates &gates) const
{
    const std::int64_t rows = cache.rows();
    const std::int64_t sentences = rows / cache.beams;
    const std::int64_t headWidth = m_spec.decoder->headWidth;
    const double scale = std::pow(headWidth, -0.5);
    const auto [shortest, longest] = std::ranges::minmax(cache.lengths);
    const bool uniform = shortest == longest;
    const std::int64_t visible = longest + 1;
    growCache(cache.self, visible);
    const HeadGates selfGates = cache.beams > 1 ? gates.repeatRows(cache.beams) : gates;

    const auto positions = torch::tensor(cache.lengths, torch::kInt64).to(device()); // [B]
    torch::Tensor selfBias;
    torch::Tensor rowIndex;
    if (!uniform) {
        const auto later = torch::arange(visible, positions.options()).unsqueeze(0) > positions.unsqueeze(1);
        selfBias = torch::zeros({rows, 1, 1, visible}, options());
        selfBias.masked_fill_(later.view({rows, 1, 1, visible}), headscope::hidden(dtype()));
        rowIndex = torch::arange(rows, positions.options());
    }
    const auto store = [&](torch::Tensor &into, const torch::Tensor &projected) { // [B, H, 1, Dh]
        if (uniform)
            into.select(2, longest).copy_(projected.squeeze(2));
        else
            into.index_put_({rowIndex, Slice(), positions}, projected.squeeze(2));
        return into.narrow(2, 0, visible);
    };

    auto hidden = embed(m_weights.decoder, tokens.view({rows, 1}), positions.view({rows, 1}));
    for (int i = 0; i < m_spec.decoder->layers(); ++i) {
        const auto index = static_cast<std::size_t>(i);
        const LayerWeights &layer = m_weights.decoder.layers[index];
        hidden = attentionSublayer(hidden, layer.self, nullptr, [&](const torch::Tensor &input) {
            const auto query = splitHeads(layer.self.query(input) * scale, layer.self.heads, headWidth);
            const KeyValue fresh = project(input, layer.self, headWidth);
            const KeyValue self{store(cache.self[index].key, fresh.key), store(cache.self[index].value, fresh.value)};
            return attend(query, self, selfBias, {HeadKind::Decoder, i, selfGates, nullptr, positions.view({rows, 1})});
        });
        hidden = attentionSublayer(hidden, layer.cross, nullptr, [&](const torch::Tensor &input) {
            // The beams of a sentence are so many queries to the same memory.
            const auto query = (layer.cross.query(input) * scale)
                                   .view({sentences, cache.beams, layer.cross.heads, headWidth})
                                   .transpose(1, 2);
            const auto context = attend(query, cache.cross[index], cache.memoryBias,
                                        {HeadKind::Cross, i, gates, nullptr,
                                         positions.view({sentences, cache.beams})});
            return context.transpose(1, 2).reshape({rows, layer.cross.heads, 1, headWidth});
        });
        hidden = feedForward(hidden, layer);
    }
    for (std::int64_t &length : cache.lengths)
        ++length;
    if (m_spec.finalNorm)
        hidden = normalize(hidden, m_weights.decoder.finalNorm);
    return logits(hidden.squeeze(1));
}

} // namespace headscope
