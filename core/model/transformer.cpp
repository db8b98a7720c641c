#include "core/model/transformer.h"

#include "core/model/paddedexecutor.h"
#include "core/model/positions.h"
#include "core/model/projections.h"
#include "core/tensor/indextensor.h"

#include <torch/types.h>

#include <algorithm>
#include <limits>

namespace headscope {
namespace {

/// [B, 1, 1, T], hiding what lies past the ends of rows.
torch::Tensor paddingBias(const TokenBatch &tokens, const Transformer &model)
{
    const auto width = tokens.ids.size(1);
    const auto valid = validPositions(tokens.lengths, width, model.device());
    auto bias = torch::zeros({tokens.ids.size(0), 1, 1, width}, model.options());
    return bias.masked_fill_(valid.logical_not().view({-1, 1, 1, width}), hiddenScore(model.dtype()));
}

/// [1, 1, T, T], hiding what comes later.
torch::Tensor causalBias(std::int64_t length, const Transformer &model)
{
    return torch::full({1, 1, length, length}, hiddenScore(model.dtype()), model.options()).triu_(1);
}

bool isCausal(const StackSpec &stack)
{
    return std::ranges::any_of(stack.subLayers,
                               [](const SubLayer &sub) { return sub.attention() && sub.attention()->causal; });
}

} // namespace

double hiddenScore(torch::ScalarType dtype)
{
    return dtype == torch::kBFloat16 ? -3.3895e38 : static_cast<double>(std::numeric_limits<float>::lowest());
}

torch::Tensor capped(const torch::Tensor &x, double cap)
{
    return cap > 0 ? torch::tanh(x / cap) * cap : x;
}

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
    case Activation::ReluSquared:
        return torch::relu(input).square();
    }
    return input;
}

torch::Tensor normalize(const torch::Tensor &input, const Norm &norm, const NormSpec &spec)
{
    if (spec.kind == NormKind::Layer)
        return torch::layer_norm(input, {input.size(-1)}, norm.weight, norm.bias, spec.epsilon);
    const auto wide = input.scalar_type() == torch::kFloat64 ? input : input.to(torch::kFloat32);
    const auto squares = wide.square().mean(-1, true);
    return norm.weight * (wide * torch::rsqrt(squares + spec.epsilon)).to(input.scalar_type());
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

torch::Tensor validPositions(const std::vector<std::int64_t> &lengths, std::int64_t width, const torch::Device &device)
{
    const auto limit = torch::tensor(lengths, torch::kInt64).unsqueeze(1);
    return (torch::arange(width, torch::kInt64) < limit).to(device);
}

std::string Recorder::place(HeadKind kind, int layer, const char *what)
{
    const char *attention = kind == HeadKind::Cross ? ".cross." : ".self.";
    return std::string(sideName(sideOf(kind))) + '.' + std::to_string(layer) + attention + what;
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

void CrossKeys::select(const torch::Tensor &rows)
{
    for (KeyValue &place : keys)
        place = place.selectRows(rows);
    if (bias.defined())
        bias = bias.index_select(0, rows);
}

void DecodeCache::select(const torch::Tensor &rows, const torch::Tensor &sentences)
{
    for (KeyValue &place : self)
        place = place.selectRows(rows);
    const auto wanted = rows.cpu();
    const auto *row = wanted.data_ptr<std::int64_t>();
    std::vector<std::int64_t> kept;
    for (std::int64_t i = 0; i < wanted.size(0); ++i)
        kept.push_back(lengths[static_cast<std::size_t>(row[i])]);
    lengths = std::move(kept);
    if (sentences.defined())
        cross.select(sentences);
}

Transformer::Transformer(TransformerSpec spec, TransformerWeights weights)
    : m_spec(std::move(spec)), m_weights(std::move(weights)), m_layout(m_spec.layout())
{
    if (const auto table = positionTable(m_spec); table.defined())
        m_positions = table.to(options());
}

torch::Tensor Transformer::embed(Side side, const torch::Tensor &ids, const torch::Tensor &positions,
                                 const torch::Tensor &typeIds, torch::Tensor *recorded) const
{
    const StackWeights &stack = m_weights.stack(side);
    const torch::Tensor &table = stack.positionEmbedding.defined() ? stack.positionEmbedding : m_positions;
    auto hidden = torch::embedding(stack.embedding, ids).to(dtype());
    if (m_spec.projectsTokens)
        hidden = stack.projection(hidden);
    if (m_spec.embeddingScale != 1.0)
        hidden = hidden * m_spec.embeddingScale;
    if (stack.typeEmbedding.defined())
        hidden = hidden + (typeIds.defined() ? torch::embedding(stack.typeEmbedding, typeIds) : stack.typeEmbedding[0]);
    if (table.defined())
        hidden = hidden + torch::embedding(table, positions + m_spec.positions.offset);
    if (recorded)
        *recorded = hidden;
    if (m_spec.embeddingNorm)
        hidden = normalize(hidden, stack.embeddingNorm, m_spec.norm);
    return stack.projection.weight.defined() && !m_spec.projectsTokens ? stack.projection(hidden) : hidden;
}

StackState Transformer::begin(Side side, const TokenBatch &tokens, Dropout *dropout) const
{
    StackState state;
    state.side = side;
    state.dropout = dropout;
    // The decoder's padding comes after everything that counts, and its first token may be the padding id.
    const bool causal = isCausal(*m_spec.stack(side));
    state.hidden
        = embed(side, tokens.ids,
                causal ? torch::arange(tokens.ids.size(1), tokens.ids.options()) : positionsOf(tokens.ids, m_spec),
                tokens.typeIds);
    if (dropout)
        state.hidden = (*dropout)(state.hidden);
    state.scoreBias = causal ? causalBias(tokens.ids.size(1), *this) : paddingBias(tokens, *this);
    return state;
}

void Transformer::advance(StackState &state, int until, const WalkInputs &around) const
{
    const auto positions = torch::arange(state.hidden.size(1), torch::TensorOptions(torch::kInt64).device(device()));
    PaddedExecutor executor(*this, state.side, around, state.scoreBias, positions, state.dropout);
    walk(m_spec, state.side, state, until, executor);
}

void Transformer::advanceToEnd(StackState &state, const WalkInputs &around) const
{
    advance(state, m_spec.stack(state.side)->places(), around);
}

torch::Tensor Transformer::finish(Side side, const torch::Tensor &hidden) const
{
    return m_spec.finalNorm ? normalize(hidden, m_weights.stack(side).finalNorm, m_spec.norm) : hidden;
}

Memory Transformer::encode(const TokenBatch &source, const HeadGates &gates, Recorder *recorder) const
{
    StackState state = begin(Side::Encoder, source);
    advanceToEnd(state, {gates, nullptr, recorder});
    return finishEncoder(state);
}

CrossKeys Transformer::crossKeys(const Memory &memory) const
{
    CrossKeys cross;
    cross.bias = memory.keyBias;
    const StackSpec &stack = *m_spec.decoder;
    cross.keys.resize(stack.subLayers.size());
    for (int place = 0; place < stack.places(); ++place) {
        const AttentionSpec *attention = stack.at(place).attention();
        if (!attention || !attention->readsMemory() || attention->heads.empty())
            continue;
        const AttentionWeights &weights = m_weights.decoder.at(place).attention();
        cross.keys[static_cast<std::size_t>(place)]
            = {headKeys(*attention, weights, memory.hidden), headValues(*attention, weights, memory.hidden)};
    }
    return cross;
}

torch::Tensor Transformer::decode(const TokenBatch &targetInput, const Memory *memory, const HeadGates &gates,
                                  Recorder *recorder) const
{
    const CrossKeys cross = memory ? crossKeys(*memory) : CrossKeys();
    StackState state = begin(Side::Decoder, targetInput);
    advanceToEnd(state, {gates, &cross, recorder});
    return finish(state);
}

torch::Tensor Transformer::valueNorms(HeadKind kind, int layer, const torch::Tensor &values) const
{
    const auto weight = attention(kind, layer).out.weight.to(values.scalar_type());
    // ‖W v‖² = vᵀ (Wᵀ W) v: [Dh, Dh] for each head instead of [D, Dh].
    const auto out = weight.view({weight.size(0), -1, values.size(3)});
    const auto gram = torch::einsum("ohi,ohj->hij", {out, out}); // [H, Dh, Dh]
    return (torch::matmul(values, gram) * values).sum(3).clamp_min(0).sqrt();
}

torch::Tensor Transformer::outputHidden(const torch::Tensor &hidden) const
{
    if (m_spec.maskedLm)
        return normalize(activate(m_weights.maskedDense(hidden), m_spec.maskedLm->activation), m_weights.maskedNorm,
                         m_spec.norm);
    const auto read = m_spec.projectsTokens ? m_weights.outputProjection(hidden) : hidden;
    return m_spec.outputScale != 1 ? read * m_spec.outputScale : read;
}

torch::Tensor Transformer::logits(const torch::Tensor &hidden) const
{
    // Not linear(…, bias): Hugging Face adds the bias after the product.
    auto logits = Linear{m_weights.outputWeight, {}, {}}(outputHidden(hidden)).to(torch::kFloat32);
    if (m_weights.outputBias.defined())
        logits.add_(m_weights.outputBias);
    return capped(logits, m_spec.logitCap);
}

torch::Tensor Transformer::classifiedPosition(const torch::Tensor &hidden,
                                              const std::vector<std::int64_t> &lengths) const
{
    if (m_spec.classifier && m_spec.classifier->mean) {
        const auto counts = indexTensor(lengths, device()).unsqueeze(1);                            // [B, 1]
        const auto isThere = torch::arange(hidden.size(1), counts.options()).unsqueeze(0) < counts; // [B, T]
        return hidden.masked_fill(isThere.logical_not().unsqueeze(2), 0).sum(1) / counts.to(hidden.scalar_type());
    }
    if (m_spec.lastSide() == Side::Encoder)
        return hidden.select(1, 0);
    const auto rows = torch::arange(hidden.size(0), torch::TensorOptions(torch::kInt64).device(device()));
    return hidden.index({rows, indexTensor(lengths, device()) - 1});
}

torch::Tensor Transformer::classifierInput(const torch::Tensor &read) const
{
    if (!m_spec.classifier->dense)
        return read;
    const auto active = activate(m_weights.classifierDense(read), m_spec.classifier->activation);
    return m_spec.classifier->normed ? normalize(active, m_weights.classifierNorm, m_spec.norm) : active;
}

torch::Tensor Transformer::classify(const torch::Tensor &read) const
{
    return m_weights.classifierOut(classifierInput(read)).to(torch::kFloat32);
}

DecodeCache Transformer::beginDecoding(const Memory *memory, std::int64_t sentences, std::int64_t beams) const
{
    DecodeCache cache;
    if (memory)
        cache.cross = crossKeys(*memory);
    for (KeyValue &place : cache.cross.keys) {
        if (place.key.defined()) // read at every step: worth being contiguous
            place = {place.key.contiguous(), place.value.contiguous()};
    }
    cache.beams = beams;
    const std::int64_t rows = sentences * beams;
    cache.lengths.assign(static_cast<std::size_t>(rows), 0);
    for (const SubLayer &sub : m_spec.decoder->subLayers) {
        const AttentionSpec *attention = sub.attention();
        KeyValue &own = cache.self.emplace_back();
        if (!attention || attention->readsMemory() || attention->heads.empty())
            continue;
        own.key = torch::zeros({rows, attention->keyCount(), 16, attention->scoreWidth()}, options());
        own.value = torch::zeros({rows, std::ssize(attention->keyHeads()), 16, attention->headWidth}, options());
    }
    return cache;
}

namespace {

/// Makes room for one more position.
void growCache(std::vector<KeyValue> &places, std::int64_t needed)
{
    for (KeyValue &place : places) {
        const std::int64_t capacity = place.key.defined() ? place.key.size(2) : needed;
        if (capacity >= needed)
            continue;
        const std::vector<std::int64_t> padding{0, 0, 0, std::max(needed, capacity * 3 / 2) - capacity};
        place.key = torch::constant_pad_nd(place.key, padding);
        place.value = torch::constant_pad_nd(place.value, padding);
    }
}

} // namespace

torch::Tensor Transformer::decodeStep(DecodeCache &cache, const torch::Tensor &tokens, const HeadGates &gates,
                                      Recorder *recorder) const
{
    const std::int64_t rows = cache.rows();
    const auto [shortest, longest] = std::ranges::minmax(cache.lengths);
    const std::int64_t visible = longest + 1;
    growCache(cache.self, visible);
    const auto positions = indexTensor(cache.lengths, device()).unsqueeze(1); // [B, 1]
    torch::Tensor scoreBias;
    if (shortest != longest) {
        const auto later = torch::arange(visible, positions.options()).unsqueeze(0) > positions;
        scoreBias = torch::zeros({rows, 1, 1, visible}, options());
        scoreBias.masked_fill_(later.view({rows, 1, 1, visible}), hiddenScore(dtype()));
    }
    const HeadGates ofRows = cache.beams > 1 ? gates.repeatRows(cache.beams) : gates;
    const WalkInputs around{ofRows, &cache.cross, recorder};
    PaddedExecutor executor(*this, Side::Decoder, around, scoreBias, positions, nullptr, &cache);
    WalkState<torch::Tensor> state;
    state.hidden = embed(Side::Decoder, tokens.view({rows, 1}), positions);
    walk(m_spec, Side::Decoder, state, m_spec.decoder->places(), executor);
    for (std::int64_t &length : cache.lengths)
        ++length;
    return logits(finish(Side::Decoder, state.hidden).squeeze(1));
}

std::int64_t productWeights(const Transformer &model)
{
    std::int64_t numbers = model.weights().outputWeight.defined() ? model.weights().outputWeight.numel() : 0;
    for (const WeightSlot &slot : weightSlots(model.spec())) {
        const bool isLinear = isLargeMatrix(slot) && slot.name.ends_with(".weight");
        if (isLinear && !slot.name.starts_with("output."))
            numbers += slot.shape[0] * slot.shape[1];
    }
    return numbers;
}

} // namespace headscope
