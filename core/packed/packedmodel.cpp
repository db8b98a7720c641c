#include "core/packed/packedmodel.h"


#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace headscope {
namespace {

/// Columns of the vocabulary that run as one product: their weights stay in the cache while all rows go by.
constexpr std::int64_t kVocabularyPart = 1024;
constexpr float kNothing = -std::numeric_limits<float>::infinity();

const float *floats(const torch::Tensor &tensor) { return tensor.data_ptr<float>(); }

} // namespace

bool PackedModel::canRun(const Transformer &model)
{
    return hasPackedProducts() && model.device().is_cpu() && model.dtype() == torch::kFloat32;
}

PackedModel::PackedModel(std::shared_ptr<const Transformer> model, Products products)
    : m_model(std::move(model)), m_products(products)
{
    const torch::NoGradGuard noGrad;
    const TransformerSpec &spec = m_model->spec();
    const TransformerWeights &weights = m_model->weights();
    for (const LayerWeights &layer : weights.encoder.layers)
        m_encoder.push_back(packLayer(layer, spec.encoder));
    for (const LayerWeights &layer : weights.decoder.layers)
        m_decoder.push_back(packLayer(layer, *spec.decoder));
    for (std::int64_t first = 0; weights.outputWeight.defined() && first < weights.outputWeight.size(0);
         first += kVocabularyPart) {
        const std::int64_t count = std::min(kVocabularyPart, weights.outputWeight.size(0) - first);
        m_output.emplace_back(weights.outputWeight.narrow(0, first, count),
                              weights.outputBias.defined() ? weights.outputBias.narrow(0, first, count) : torch::Tensor(),
                              products);
    }
}

PackedModel::Attention PackedModel::packAttention(const AttentionWeights &weights, std::int64_t headWidth) const
{
    Attention packed;
    packed.heads = weights.heads;
    packed.headWidth = headWidth;
    packed.norm = weights.norm;
    packed.outBias = weights.out.bias;
    if (weights.heads == 0)
        return packed;
    const auto biases = [](const Linear &a, const Linear &b) {
        return a.bias.defined() ? torch::cat({a.bias, b.bias}) : torch::Tensor();
    };
    packed.query = PackedLinear(weights.query.weight, weights.query.bias, m_products);
    packed.keyValue = PackedLinear(torch::cat({weights.key.weight, weights.value.weight}),
                                   biases(weights.key, weights.value), m_products);
    packed.out = PackedLinear(weights.out.weight, weights.out.bias, m_products);
    return packed;
}

PackedModel::Layer PackedModel::packLayer(const LayerWeights &weights, const StackSpec &stack) const
{
    Layer layer;
    layer.self = packAttention(weights.self, stack.headWidth);
    if (stack.cross)
        layer.cross = packAttention(weights.cross, stack.headWidth);
    layer.feedForwardIn = PackedLinear(weights.feedForwardIn.weight, weights.feedForwardIn.bias, m_products);
    layer.feedForwardOut = PackedLinear(weights.feedForwardOut.weight, weights.feedForwardOut.bias, m_products);
    layer.feedForwardNorm = weights.feedForwardNorm;
    return layer;
}

void PackedModel::normalize(const float *input, std::int64_t rows, const Norm &norm, float *output) const
{
    kernels::normalize(input, rows, spec().width, floats(norm.weight), floats(norm.bias),
                       static_cast<float>(spec().normEpsilon), output);
}

Rows PackedModel::attentionInput(const Attention &attention, const Rows &hidden) const
{
    if (spec().norm == NormPlacement::Post)
        return hidden;
    Rows input(hidden.count(), hidden.width());
    normalize(hidden.row(0), hidden.count(), attention.norm, input.row(0));
    return input;
}

Rows PackedModel::queries(const Attention &attention, const Rows &input) const
{
    Rows output(input.count(), attention.width());
    if (attention.heads > 0)
        attention.query(input.row(0), input.count(), output.row(0));
    return output;
}

Rows PackedModel::keysAndValues(const Attention &attention, const Rows &input) const
{
    Rows output(input.count(), 2 * attention.width());
    if (attention.heads > 0)
        attention.keyValue(input.row(0), input.count(), output.row(0));
    return output;
}

Rows PackedModel::encoderContext(int layer, const Rows &hidden, const Sequences &sequences,
                                 const HeadFactors &factors) const
{
    const Attention &attention = encoderAttention(layer);
    const Rows input = attentionInput(attention, hidden);
    const Rows keyValues = keysAndValues(attention, input);
    return contexts(attention, queries(attention, input), sequences, ownKeys(keyValues, sequences), false, factors);
}

Rows PackedModel::firstContext(int layer, const Rows &hidden, const Sequences &sequences,
                               const HeadFactors &factors) const
{
    const Attention &attention = encoderAttention(layer);
    const Rows input = attentionInput(attention, hidden);
    const Rows keyValues = keysAndValues(attention, input);
    return contexts(attention, queries(attention, firstRows(input, sequences)), Sequences::ofOneRow(sequences.count()),
                    ownKeys(keyValues, sequences), false, factors);
}

Rows PackedModel::crossContext(int layer, const Rows &middle, const Sequences &sequences,
                               std::span<const KeyRows> memory, const HeadFactors &factors) const
{
    const Attention &attention = crossAttention(layer);
    return contexts(attention, queries(attention, attentionInput(attention, middle)), sequences, memory, false, factors);
}

Rows PackedModel::closed(const Rows &hidden, const Rows &output, const Norm &norm) const
{
    Rows sum(output.count(), output.width());
    kernels::add(hidden.row(0), output.row(0), output.count() * output.width(), sum.row(0));
    if (spec().norm == NormPlacement::Post)
        normalize(sum.row(0), sum.count(), norm, sum.row(0));
    return sum;
}

Rows PackedModel::closeAttention(const Attention &attention, const Rows &hidden, const Rows &context) const
{
    Rows output(context.count(), hidden.width());
    if (attention.heads > 0)
        attention.out(context.row(0), context.count(), output.row(0));
    else
        output.tensor().copy_(attention.outBias.expand({context.count(), hidden.width()}));
    return closed(hidden, output, attention.norm);
}

Rows PackedModel::feedForward(HeadKind stack, int layer, const Rows &hidden) const
{
    const Layer &l = (stack == HeadKind::Encoder ? m_encoder : m_decoder)[static_cast<std::size_t>(layer)];
    Rows input = hidden;
    if (spec().norm == NormPlacement::Pre) {
        input = Rows(hidden.count(), hidden.width());
        normalize(hidden.row(0), hidden.count(), l.feedForwardNorm, input.row(0));
    }
    Rows output(hidden.count(), hidden.width());
    Rows inner(std::min(hidden.count(), PackedLinear::kSlice), l.feedForwardIn.outputs());
    for (std::int64_t first = 0; first < hidden.count(); first += PackedLinear::kSlice) {
        const std::int64_t rows = std::min(PackedLinear::kSlice, hidden.count() - first);
        l.feedForwardIn(input.row(first), rows, inner.row(0));
        kernels::activate(inner.row(0), rows * inner.width(), spec().activation);
        l.feedForwardOut(inner.row(0), rows, output.row(first));
    }
    return closed(hidden, output, l.feedForwardNorm);
}

Rows PackedModel::finish(HeadKind stack, Rows hidden) const
{
    if (!spec().finalNorm)
        return hidden;
    const StackWeights &weights = stack == HeadKind::Encoder ? m_model->weights().encoder : m_model->weights().decoder;
    Rows output(hidden.count(), hidden.width());
    normalize(hidden.row(0), hidden.count(), weights.finalNorm, output.row(0));
    return output;
}

void PackedModel::forScores(const Rows &hidden, const AdjustScores &take) const
{
    Rows scores(std::min(hidden.count(), PackedLinear::kSlice), kVocabularyPart);
    std::int64_t column = 0;
    for (const PackedLinear &part : m_output) {
        for (std::int64_t first = 0; first < hidden.count(); first += PackedLinear::kSlice) {
            const std::int64_t rows = std::min(PackedLinear::kSlice, hidden.count() - first);
            part(hidden.row(first), rows, scores.row(0));
            take(scores.row(0), first, rows, column, part.outputs());
        }
        column += part.outputs();
    }
}

std::vector<PackedModel::Choice> PackedModel::choices(const Rows &hidden, const AdjustScores &adjust) const
{
    std::vector<kernels::Best> best(static_cast<std::size_t>(hidden.count()), {kNothing, kNothing, 0});
    forScores(hidden, [&](float *scores, std::int64_t firstRow, std::int64_t rows, std::int64_t firstColumn,
                          std::int64_t columns) {
        adjust(scores, firstRow, rows, firstColumn, columns);
        kernels::updateBest(scores, rows, columns, firstColumn, best.data() + firstRow);
    });
    std::vector<Choice> choices;
    choices.reserve(best.size());
    for (const kernels::Best &b : best)
        choices.push_back({b.index, b.first - b.second});
    return choices;
}

std::vector<kernels::Scored> PackedModel::likeliest(const Rows &hidden, std::int64_t count, const AdjustScores &before,
                                                    const AdjustScores &behind, bool renormalize) const
{
    const auto rowCount = static_cast<std::size_t>(hidden.count());
    std::vector<kernels::Scored> top(rowCount * static_cast<std::size_t>(count), {kNothing, 0});
    std::vector<kernels::Exponentials> sums(rowCount, {kNothing, 0});
    forScores(hidden, [&](float *scores, std::int64_t firstRow, std::int64_t rows, std::int64_t firstColumn,
                          std::int64_t columns) {
        before(scores, firstRow, rows, firstColumn, columns);
        if (!renormalize)
            kernels::addExponentials(scores, rows, columns, sums.data() + firstRow);
        behind(scores, firstRow, rows, firstColumn, columns);
        if (renormalize) // what log-probabilities are shifted by falls out again
            kernels::addExponentials(scores, rows, columns, sums.data() + firstRow);
        kernels::updateTop(scores, rows, columns, firstColumn, count, top.data() + firstRow * count);
    });
    for (std::size_t r = 0; r < rowCount; ++r) {
        for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
            float &score = top[r * static_cast<std::size_t>(count) + k].score;
            score = score - sums[r].largest - std::log(sums[r].sum);
        }
    }
    return top;
}

float PackedModel::largestMarginError(const Rows &hidden, const PackedModel &other, const Rows &otherHidden) const
{
    constexpr std::int64_t kCount = kNear + 1;
    std::vector<kernels::Scored> top(static_cast<std::size_t>(hidden.count() * kCount), {kNothing, -1});
    forScores(hidden, [&](const float *scores, std::int64_t firstRow, std::int64_t rows, std::int64_t firstColumn,
                          std::int64_t columns) {
        kernels::updateTop(scores, rows, columns, firstColumn, kCount, top.data() + firstRow * kCount);
    });
    std::vector<float> errors(top.size(), 0); // of the single logits
    other.forScores(otherHidden, [&](const float *scores, std::int64_t firstRow, std::int64_t rows,
                                     std::int64_t firstColumn, std::int64_t columns) {
        for (std::int64_t i = firstRow * kCount; i < (firstRow + rows) * kCount; ++i) {
            const kernels::Scored &token = top[static_cast<std::size_t>(i)];
            if (token.index >= firstColumn && token.index < firstColumn + columns)
                errors[static_cast<std::size_t>(i)]
                    = scores[(i / kCount - firstRow) * columns + token.index - firstColumn] - token.score;
        }
    });
    float largest = 0;
    for (std::size_t i = 0; i < errors.size(); ++i)
        largest = std::max(largest, std::abs(errors[i] - errors[i / kCount * kCount]));
    return largest;
}

float PackedModel::largestLogitDifference(const Rows &hidden, const torch::Tensor &logits) const
{
    float largest = 0;
    std::int64_t column = 0;
    for (const PackedLinear &part : m_output) {
        Rows own(hidden.count(), part.outputs());
        part(hidden.row(0), hidden.count(), own.row(0));
        const auto given = logits.narrow(1, column, part.outputs());
        largest = std::max(largest, (own.tensor() - given).abs().max().item<float>());
        column += part.outputs();
    }
    return largest;
}

Rows contexts(const PackedModel::Attention &attention, const Rows &queries, const Sequences &sequences,
              std::span<const KeyRows> keys, bool causal, const HeadFactors &factors)
{
    std::int64_t longest = 0;
    for (const KeyRows &key : keys)
        longest = std::max(longest, key.count);
    return contexts(
        attention, queries, sequences, [&](std::int64_t s) { return keys[static_cast<std::size_t>(s)]; }, longest,
        causal, factors);
}

Rows contexts(const PackedModel::Attention &attention, const Rows &queries, const Sequences &sequences,
              const std::function<KeyRows(std::int64_t sequence)> &keysOf, std::int64_t longest, bool causal,
              const HeadFactors &factors)
{
    Rows context(queries.count(), attention.width());
    if (attention.heads == 0)
        return context;
    std::vector<float> scratch(static_cast<std::size_t>(kernels::attentionScratch(longest, attention.headWidth)));
    kernels::Attention call;
    call.heads = attention.heads;
    call.headWidth = attention.headWidth;
    call.scale = static_cast<float>(std::pow(static_cast<double>(attention.headWidth), -0.5));
    call.keyStride = 2 * attention.width();
    call.causal = causal;
    for (std::int64_t s = 0; s < sequences.count(); ++s) {
        const KeyRows own = keysOf(s);
        call.query = queries.row(sequences.first(s));
        call.queries = sequences.length(s);
        call.key = own.keyValue;
        call.value = own.keyValue + attention.width();
        call.keys = own.count;
        call.context = context.row(sequences.first(s));
        kernels::attend(call, scratch.data());
    }
    scaleContexts(context, attention, sequences, factors);
    return context;
}

void scaleContexts(Rows &context, const PackedModel::Attention &attention, const Sequences &sequences,
                   const HeadFactors &factors)
{
    for (std::size_t s = 0; s < factors.size(); ++s) {
        const auto index = static_cast<std::int64_t>(s);
        if (factors[s])
            kernels::scaleHeads(context.row(sequences.first(index)), sequences.length(index), attention.heads,
                                attention.headWidth, factors[s]);
    }
}

Rows withoutPadding(const torch::Tensor &padded, const Sequences &sequences)
{
    Rows rows(sequences.rows(), padded.size(2));
    const auto dense = padded.contiguous();
    for (std::int64_t s = 0; s < sequences.count(); ++s)
        std::memcpy(rows.row(sequences.first(s)), dense[s].data_ptr<float>(),
                    static_cast<std::size_t>(sequences.length(s) * padded.size(2)) * sizeof(float));
    return rows;
}

std::vector<KeyRows> ownKeys(const Rows &keyValues, const Sequences &sequences)
{
    std::vector<KeyRows> keys;
    for (std::int64_t s = 0; s < sequences.count(); ++s)
        keys.push_back({keyValues.row(sequences.first(s)), sequences.length(s)});
    return keys;
}

Rows gather(const Rows &from, const Sequences &sequences, std::span<const std::int64_t> chosen)
{
    Sequences lengths;
    for (std::int64_t s : chosen)
        lengths.add(sequences.length(s));
    return gather(from, sequences, chosen, lengths);
}

Rows gather(const Rows &from, const Sequences &sequences, std::span<const std::int64_t> chosen,
            const Sequences &lengths)
{
    Rows to(lengths.rows(), from.width());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const auto s = static_cast<std::int64_t>(i);
        std::memcpy(to.row(lengths.first(s)), from.row(sequences.first(chosen[i])),
                    static_cast<std::size_t>(lengths.length(s) * from.width()) * sizeof(float));
    }
    return to;
}

Rows gatherRows(const Rows &from, std::span<const std::int64_t> rows)
{
    Rows to(std::ssize(rows), from.width());
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::memcpy(to.row(static_cast<std::int64_t>(i)), from.row(rows[i]),
                    static_cast<std::size_t>(from.width()) * sizeof(float));
    return to;
}

Rows joined(std::span<const Rows> parts)
{
    std::int64_t count = 0;
    for (const Rows &part : parts)
        count += part.count();
    Rows whole(count, parts.front().width());
    std::int64_t next = 0;
    for (const Rows &part : parts) {
        std::memcpy(whole.row(next), part.row(0), static_cast<std::size_t>(part.count() * part.width()) * sizeof(float));
        next += part.count();
    }
    return whole;
}

Rows firstRows(const Rows &from, const Sequences &sequences)
{
    Rows to(sequences.count(), from.width());
    for (std::int64_t s = 0; s < sequences.count(); ++s)
        std::memcpy(to.row(s), from.row(sequences.first(s)), static_cast<std::size_t>(from.width()) * sizeof(float));
    return to;
}

PackedModels::PackedModels(std::shared_ptr<const Transformer> model) : m_model(std::move(model)) {}

const PackedModel &PackedModels::with(Products products) const
{
    const auto i = static_cast<std::size_t>(products);
    std::call_once(m_made[i], [&] { m_packed[i] = std::make_unique<PackedModel>(m_model, products); });
    return *m_packed[i];
}

} // namespace headscope
