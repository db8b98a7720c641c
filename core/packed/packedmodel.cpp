#include "core/packed/packedmodel.h"

#include "core/model/positions.h"
#include "core/model/projections.h"
#include "core/packed/attention.h"
#include "core/tensor/indextensor.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace headscope {
namespace {

const float *floats(const torch::Tensor &tensor)
{
    return tensor.data_ptr<float>();
}

torch::Tensor joinedBiases(const Linear &a, const Linear &b)
{
    if (!a.bias.defined() && !b.bias.defined())
        return {};
    const auto options = (a.bias.defined() ? a.bias : b.bias).options();
    const auto biasOf = [&](const Linear &linear) {
        return linear.bias.defined() ? linear.bias : torch::zeros({linear.weight.size(0)}, options);
    };
    return torch::cat({biasOf(a), biasOf(b)});
}

/// Applies rotary positions to the first `heads` heads of every row.
void applyRotary(Rows &rows, std::int64_t heads, const AttentionSpec &attention,
                 std::span<const std::int64_t> positions)
{
    if (!attention.rotary || rows.count() == 0)
        return;
    const auto angles
        = rotaryAngles(*attention.rotary, attention.headWidth, indexTensor(positions, torch::kCPU), torch::kFloat32);
    const std::int64_t width = angles.cosines.size(1);
    for (std::int64_t r = 0; r < rows.count(); ++r)
        (angles.neighbours ? kernels::applyRotaryToNeighbours : kernels::applyRotary)(
            rows.row(r), heads, attention.headWidth, width, floats(angles.cosines) + r * width,
            floats(angles.sines) + r * width);
}

/// Norms the first `heads` heads of every row, in place.
void normalizeHeadRows(const HeadNorm &how, const Norm &norm, Rows &rows, std::int64_t heads, std::int64_t headWidth)
{
    const auto epsilon = static_cast<float>(how.epsilon);
    const std::int64_t width = how.together ? heads * headWidth : headWidth;
    // So many stretches of the row at a time have the same weights.
    const std::int64_t together = how.together || how.ownWeights ? 1 : heads;
    const auto zeros = how.kind == NormKind::Layer && !norm.bias.defined() ? torch::zeros({width}) : torch::Tensor();
    for (std::int64_t r = 0; r < rows.count(); ++r) {
        for (std::int64_t h = 0; h < (how.ownWeights ? heads : 1); ++h) {
            float *row = rows.row(r) + h * width;
            const float *weight = floats(norm.weight) + h * width;
            if (how.kind == NormKind::Rms)
                kernels::normalizeByRoot(row, together, width, weight, epsilon, row);
            else
                kernels::normalize(row, together, width, weight,
                                   zeros.defined() ? floats(zeros) : floats(norm.bias) + h * width, epsilon, row);
        }
    }
}

void findRows(const KeyRows &keys, std::vector<const float *> &rows)
{
    rows.resize(static_cast<std::size_t>(keys.size()));
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = keys.scattered.empty() ? keys.rows->row(keys.first + static_cast<std::int64_t>(i))
                                         : keys.scattered[i].rows->row(keys.scattered[i].row);
}

/// [heads, queries, keys]
torch::Tensor scoresOfDistances(const AttentionSpec &attention, const DistanceHeads &distances,
                                const kernels::Attention &call)
{
    auto keys = torch::empty({call.keys, attention.keyWidth()});
    for (std::int64_t j = 0; j < call.keys; ++j)
        std::copy_n(call.rows[j], attention.keyWidth(), keys.data_ptr<float>() + j * attention.keyWidth());
    const auto ofHeads = [&](const torch::Tensor &rows) {
        return rows.unflatten(1, {-1, attention.headWidth}).transpose(0, 1);
    };
    const auto queries = torch::from_blob(const_cast<float *>(call.query), {call.queries, attention.queryWidth()});
    const auto rows = distanceRows(*attention.disentangled, std::max(call.queries, call.keys));
    // The kernel scales what it multiplies; what is added to that is scaled here.
    return distanceScores(attention, distances.selectRows(rows), ofHeads(queries * attention.scale), ofHeads(keys))
        .contiguous();
}

} // namespace

bool PackedModel::canRun(const Transformer &model)
{
    return hasPackedProducts() && model.device().is_cpu() && model.dtype() == torch::kFloat32;
}

PackedModel::PackedModel(std::shared_ptr<const Transformer> model, Products products, const Execution &execution)
    : RowModel(std::move(model)), m_products(products)
{
    const torch::NoGradGuard noGrad;
    const TransformerWeights &weights = m_model->weights();
    std::vector<std::function<void()>> works;
    for (const Side side : kBothSides) {
        const auto &stack = spec().stack(side);
        auto &packed = side == Side::Encoder ? m_encoder : m_decoder;
        packed.resize(stack ? stack->subLayers.size() : 0);
        for (int place = 0; place < std::ssize(packed); ++place) {
            works.emplace_back([this, side, place, &weights, &stack, &to = packed[static_cast<std::size_t>(place)]] {
                to = pack(stack->at(place), weights.stack(side).at(place), weights.stack(side));
            });
        }
    }
    m_output = VocabularyProduct(weights.outputWeight, weights.outputBias, m_products, works);
    execution.parallelFor(std::ssize(works), [&](std::int64_t i) {
        works[static_cast<std::size_t>(i)]();
        if (weights.forgetPages) // of what has been laid out: it would be there twice
            weights.forgetPages();
    });
}

PackedModel::SubLayerProducts PackedModel::pack(const SubLayer &sub, const SubLayerWeights &weights,
                                                const StackWeights &stack) const
{
    const auto packed = [&](const Linear &linear) { return PackedLinear(linear.weight, linear.bias, m_products); };
    SubLayerProducts products;
    if (const AttentionSpec *attention = sub.attention()) {
        const AttentionWeights &own = weights.attention();
        products.outBias = own.out.bias;
        if (attention->heads.empty())
            return products;
        const Linear keys = keyMap(*attention, own);
        products.query = packed(queryMap(*attention, own));
        products.keyValue
            = PackedLinear(torch::cat({keys.weight, own.value.weight}), joinedBiases(keys, own.value), m_products);
        products.out = packed(own.out);
        if (attention->disentangled)
            products.distances
                = distanceHeads(*attention, own, distanceTable(*attention->disentangled, stack, spec().norm));
        if (attention->headsPerKey > 1 || attention->sharesProjections()) {
            products.keyPlaces = attention->keyPlaces();
            products.valuePlaces = attention->valuePlaces();
        }
    } else {
        products.layer = packLayer(*sub.feedForward(), weights.feedForward());
    }
    return products;
}

/// Routers decide, and are small: their products are exact.
PackedModel::LayerProducts PackedModel::packLayer(const FeedForwardSpec &what, const FeedForwardWeights &weights) const
{
    const auto packed
        = [](const Linear &linear, Products kind) { return PackedLinear(linear.weight, linear.bias, kind); };
    LayerProducts products;
    if (what.width > 0) {
        products.in = packed(weights.in, m_products);
        if (what.gated)
            products.gate = packed(weights.gate, m_products);
        products.out = packed(weights.out, m_products);
    }
    if (!what.experts)
        return products;
    products.router = packed(weights.router, Products::Exact);
    if (what.width > 0 && what.experts->gatesShared)
        products.sharedGate = packed(weights.sharedGate, Products::Exact);
    for (const FeedForwardWeights &expert : weights.experts)
        products.experts.push_back(packLayer(what.expert(), expert));
    return products;
}

Rows PackedModel::normalize(const Norm &norm, Rows x) const
{
    Rows output = x.isAlone() ? x : Rows(x.count(), x.width());
    const auto epsilon = static_cast<float>(spec().norm.epsilon);
    if (spec().norm.kind == NormKind::Layer)
        kernels::normalize(x.row(0), x.count(), x.width(), floats(norm.weight), floats(norm.bias), epsilon,
                           output.row(0));
    else
        kernels::normalizeByRoot(x.row(0), x.count(), x.width(), floats(norm.weight), epsilon, output.row(0));
    return output;
}

Rows PackedModel::prepared(const AttentionSpec &attention, const Norm &norm, Rows rows, std::int64_t projected,
                           const std::vector<int> &left) const
{
    if (attention.clip > 0)
        kernels::clip(rows.row(0), rows.count() * rows.width(), static_cast<float>(attention.clip));
    if (!attention.headNorm)
        return rows;
    const std::int64_t width = attention.headWidth;
    const bool together = attention.headNorm->together;
    normalizeHeadRows(*attention.headNorm, norm, rows, projected, width);
    if (projected == std::ssize(left) || !together)
        return rows;
    const std::int64_t behind = rows.width() - projected * width;
    Rows chosen(rows.count(), std::ssize(left) * width + behind);
    for (std::int64_t r = 0; r < rows.count(); ++r) {
        float *to = chosen.row(r);
        for (const int head : left)
            to = std::copy_n(rows.row(r) + head * width, width, to);
        std::copy_n(rows.row(r) + projected * width, behind, to);
    }
    return chosen;
}

Rows PackedModel::queries(Side side, int place, const Rows &x, std::span<const std::int64_t> positions) const
{
    const AttentionSpec &own = attention(side, place);
    if (own.heads.empty())
        return {x.count(), 0};
    Rows output(x.count(), own.projectedQueries() * own.scoreWidth());
    at(side, place).query(x.row(0), x.count(), output.row(0));
    output = prepared(own, m_model->weights().stack(side).at(place).attention().queryNorm, std::move(output),
                      own.projectedQueries(), own.heads);
    applyRotary(output, own.headCount(), own, positions);
    return output;
}

Rows PackedModel::keysAndValues(Side side, int place, const Rows &x, std::span<const std::int64_t> positions) const
{
    const AttentionSpec &own = attention(side, place);
    if (own.heads.empty())
        return {x.count(), 0};
    const std::int64_t projected = own.projectedKeys();
    Rows output(x.count(), projected * own.scoreWidth() + own.valueWidth());
    at(side, place).keyValue(x.row(0), x.count(), output.row(0));
    output = prepared(own, m_model->weights().stack(side).at(place).attention().keyNorm, std::move(output), projected,
                      own.headNorm ? own.keyHeads() : std::vector<int>());
    applyRotary(output, own.keyCount(), own, positions);
    return output;
}

namespace {

/// The part of a call that is the same for all sequences, without weights.
kernels::Attention callOf(const AttentionSpec &own)
{
    kernels::Attention call;
    call.heads = own.headCount();
    call.scoreWidth = own.scoreWidth();
    call.headWidth = own.headWidth;
    call.scale = static_cast<float>(own.scale);
    call.valueOffset = own.keyWidth();
    call.causal = own.causal;
    call.reach = own.reach.value_or(-1);
    call.cap = static_cast<float>(own.scoreCap);
    return call;
}

/// Scores by distances up to those of the longest sequence of keys; the call points to what is returned.
torch::Tensor addRelative(const torch::Tensor &bias, const AttentionSpec &own, std::int64_t longest,
                          kernels::Attention &call)
{
    const std::int64_t furthest = std::max<std::int64_t>(1, longest) - 1;
    auto relative = relativeScores(bias, own, furthest, furthest).to(torch::kFloat32);
    call.relative = floats(relative);
    call.relativeStride = relative.size(1);
    call.relativeCenter = furthest;
    return relative;
}

} // namespace

Rows PackedModel::attend(Side side, int place, const Rows &queries, const Sequences &sequences, const KeySource &keys,
                         const RowGates &gates) const
{
    const AttentionSpec &own = attention(side, place);
    Rows context(queries.count(), own.width());
    if (own.heads.empty())
        return context;
    std::vector<float> scratch(
        static_cast<std::size_t>(kernels::attentionScratch(keys.longest, own.scoreWidth(), own.headWidth)));
    std::vector<const float *> rows, next;
    kernels::Attention call = callOf(own);
    const SubLayerProducts &products = at(side, place);
    if (!products.keyPlaces.empty()) {
        call.keyPlaces = products.keyPlaces.data();
        call.valuePlaces = products.valuePlaces.data();
    }
    const AttentionWeights &weights = m_model->weights().stack(side).at(place).attention();
    const auto sinks = own.sinks ? weights.sinks.contiguous() : torch::Tensor();
    if (own.sinks)
        call.sinks = floats(sinks);
    const auto relative = own.addsDistances()
                            ? addRelative(m_model->weights().stack(side).relativeBias, own, keys.longest, call)
                            : torch::Tensor();
    if (sequences.count() > 0)
        findRows(keys.of(0), next);
    for (std::int64_t s = 0; s < sequences.count(); ++s) {
        rows.swap(next);
        if (s + 1 < sequences.count())
            findRows(keys.of(s + 1), next);
        else
            next.clear();
        call.nextRows = next.data();
        call.nextKeys = std::ssize(next);
        call.rows = rows.data();
        call.keys = std::ssize(rows);
        call.query = queries.row(sequences.first(s));
        call.queries = sequences.length(s);
        call.context = context.row(sequences.first(s));
        call.windows = gates.empty() ? nullptr : gates[static_cast<std::size_t>(s)].windows;
        torch::Tensor added;
        if (own.disentangled && call.queries > 0 && call.keys > 0) {
            added = scoresOfDistances(own, products.distances, call);
            call.added = floats(added);
        }
        kernels::attend(call, scratch.data());
    }
    return context;
}

Rows PackedModel::gate(const AttentionSpec &attention, Rows context, const Sequences &sequences,
                       std::span<const std::int64_t> positions, const RowGates &gates) const
{
    if (std::ranges::all_of(gates, &RowGate::isOpen))
        return context;
    if (!context.isAlone()) { // its old content is still needed
        Rows own(context.count(), context.width());
        own.tensor().copy_(context.tensor());
        context = std::move(own);
    }
    for (std::size_t i = 0; i < gates.size(); ++i) {
        const RowGate &gate = gates[i];
        const auto s = static_cast<std::int64_t>(i);
        if (gate.factors)
            kernels::scaleHeads(context.row(sequences.first(s)), sequences.length(s), attention.headCount(),
                                attention.headWidth, gate.factors);
        for (std::int64_t t = 0; gate.shares && t < sequences.length(s); ++t) {
            const std::int64_t row = sequences.first(s) + t;
            kernels::addHeads(context.row(row), attention.headCount(), attention.headWidth, gate.shares,
                              gate.instead->row(gate.first + positions[static_cast<std::size_t>(row)] % gate.count));
        }
    }
    return context;
}

Rows PackedModel::close(Side side, int place, const Rows &context) const
{
    const SubLayerProducts &own = at(side, place);
    Rows output(context.count(), spec().width);
    if (context.width() > 0)
        own.out(context.row(0), context.count(), output.row(0));
    else if (own.outBias.defined())
        output.tensor().copy_(own.outBias.expand({context.count(), spec().width}));
    else
        output.tensor().zero_();
    return output;
}

Rows PackedModel::feedForward(Side side, int place, const Rows &x) const
{
    Rows output(x.count(), x.width());
    runLayer(*spec().stack(side)->at(place).feedForward(), at(side, place).layer, x, output);
    return output;
}

namespace {

/// Inner columns [rows, F] by their gates, which are spoilt.
void closeGates(const FeedForwardSpec &what, float *inner, float *gates, std::int64_t count)
{
    if (what.limit > 0) {
        const auto limit = static_cast<float>(what.limit);
        kernels::limit(gates, count, limit);
        kernels::clip(inner, count, limit);
        kernels::scale(inner, count, 1, 1);
    }
    kernels::activate(gates, count, what.activation);
    kernels::multiply(inner, gates, count);
}

/// The experts of a row by its router's scores, best first, and their weights.
void chooseExperts(const Experts &experts, const float *scores, std::int64_t *chosen, float *weights)
{
    std::vector<std::int64_t> order(static_cast<std::size_t>(experts.count));
    std::iota(order.begin(), order.end(), 0);
    const auto isBetter = [&](std::int64_t a, std::int64_t b) { // what is no number comes last
        if (std::isnan(scores[a]) || std::isnan(scores[b]))
            return std::isnan(scores[b]) && (!std::isnan(scores[a]) || a < b);
        return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
    };
    std::partial_sort(order.begin(), order.begin() + experts.chosen, order.end(), isBetter);
    float sum = 0;
    for (std::int64_t e = 0; e < (experts.normalized ? experts.chosen : experts.count); ++e)
        sum += std::exp(scores[order[static_cast<std::size_t>(e)]] - scores[order.front()]);
    for (std::int64_t k = 0; k < experts.chosen; ++k) {
        chosen[k] = order[static_cast<std::size_t>(k)];
        weights[k] = std::exp(scores[chosen[k]] - scores[order.front()]) / sum;
    }
}

} // namespace

void PackedModel::runLayer(const FeedForwardSpec &what, const LayerProducts &own, const Rows &x, Rows &output) const
{
    if (what.width == 0)
        output.tensor().zero_();
    Rows inner(std::min(x.count(), PackedLinear::kSlice), what.width);
    Rows gates = what.gated ? Rows(inner.count(), what.width) : Rows();
    for (std::int64_t first = 0; what.width > 0 && first < x.count(); first += PackedLinear::kSlice) {
        const std::int64_t rows = std::min(PackedLinear::kSlice, x.count() - first);
        own.in(x.row(first), rows, inner.row(0));
        if (what.gated) {
            own.gate(x.row(first), rows, gates.row(0));
            closeGates(what, inner.row(0), gates.row(0), rows * what.width);
        } else {
            kernels::activate(inner.row(0), rows * what.width, what.activation);
        }
        own.out(inner.row(0), rows, output.row(first));
    }
    if (what.experts)
        addExperts(what, own, x, output);
}

/// Rows go through the experts sorted by these: each expert's lie one after the other.
void PackedModel::addExperts(const FeedForwardSpec &what, const LayerProducts &own, const Rows &x, Rows &output) const
{
    const Experts &experts = *what.experts;
    const std::int64_t width = x.width();
    if (what.width > 0 && experts.gatesShared) {
        Rows share(x.count(), 1);
        own.sharedGate(x.row(0), x.count(), share.row(0));
        for (std::int64_t r = 0; r < x.count(); ++r)
            kernels::scale(output.row(r), width, 1 / (1 + std::exp(-*share.row(r))));
    }
    Rows scores(x.count(), experts.count);
    own.router(x.row(0), x.count(), scores.row(0));
    std::vector<std::int64_t> chosen(static_cast<std::size_t>(x.count() * experts.chosen));
    std::vector<float> weights(chosen.size());
    std::vector<std::vector<std::int64_t>> choicesOf(static_cast<std::size_t>(experts.count)); // row·K + k
    for (std::int64_t r = 0; r < x.count(); ++r) {
        const std::int64_t first = r * experts.chosen;
        chooseExperts(experts, scores.row(r), chosen.data() + first, weights.data() + first);
        for (std::int64_t c = first; c < first + experts.chosen; ++c)
            choicesOf[static_cast<std::size_t>(chosen[static_cast<std::size_t>(c)])].push_back(c);
    }
    const FeedForwardSpec expert = what.expert();
    for (std::int64_t e = 0; e < experts.count; ++e) {
        const auto &choices = choicesOf[static_cast<std::size_t>(e)];
        if (choices.empty())
            continue;
        Rows read(std::ssize(choices), width), made(std::ssize(choices), width);
        for (std::int64_t i = 0; i < read.count(); ++i)
            std::copy_n(x.row(choices[static_cast<std::size_t>(i)] / experts.chosen), width, read.row(i));
        runLayer(expert, own.experts[static_cast<std::size_t>(e)], read, made);
        for (std::int64_t i = 0; i < read.count(); ++i) {
            const std::int64_t choice = choices[static_cast<std::size_t>(i)];
            kernels::addScaled(output.row(choice / experts.chosen), made.row(i),
                               weights[static_cast<std::size_t>(choice)], width);
        }
    }
}

Rows PackedModel::scale(Rows output, double by) const
{
    kernels::scale(output.row(0), output.count() * output.width(), static_cast<float>(by));
    return output;
}

Rows PackedModel::add(const Rows &a, Rows b) const
{
    kernels::add(a.row(0), b.row(0), b.count() * b.width(), b.row(0));
    return b;
}

void PackedModel::forScores(const Rows &behindStack, const VocabularyProduct::TakeScores &take) const
{
    m_output.forScores(outputHidden(behindStack), [&](float *scores, std::int64_t firstRow, std::int64_t rows,
                                                      std::int64_t firstColumn, std::int64_t columns) {
        if (spec().logitCap > 0)
            kernels::cap(scores, rows * columns, static_cast<float>(spec().logitCap));
        take(scores, firstRow, rows, firstColumn, columns);
    });
}

void PackedModel::forLogits(const Rows &hidden, const TakeLogits &take) const
{
    forScores(hidden, [&](float *scores, std::int64_t firstRow, std::int64_t rows, std::int64_t firstColumn,
                          std::int64_t columns) {
        auto logits = torch::from_blob(scores, {rows, columns}, torch::kFloat32);
        take(logits, firstRow, firstColumn);
    });
}

void PackedModel::expectChoices(std::int64_t rows, const Execution &execution) const
{
    constexpr std::int64_t kFewestRows = 512; // fewer take less time than laying out the screen
    if (m_products == Products::Exact && rows >= kFewestRows && TokenScreen::isWorthIt(*this))
        screenTokens(execution);
}

void PackedModel::screenTokens(const Execution &execution) const
{
    std::call_once(m_screenOnce, [&] {
        m_screenMade = std::make_unique<TokenScreen>(*this, execution);
        m_screen = m_screenMade.get();
    });
}

std::vector<RowModel::Choice> PackedModel::choicesOfLogits(const Rows &hidden, const ScoreEdits &edits) const
{
    const TokenScreen *screen = m_screen;
    if (!screen)
        return choicesOfAll(hidden, edits);
    std::vector<Choice> choices;
    std::vector<std::int64_t> open;
    ScoreEdits openEdits = edits;
    openEdits.changes.clear();
    for (const auto &choice : screen->choices(outputHidden(hidden), edits)) {
        if (!choice) {
            open.push_back(std::ssize(choices));
            if (!edits.changes.empty())
                openEdits.changes.push_back(edits.changes[choices.size()]);
        }
        choices.push_back(choice.value_or(Choice()));
    }
    if (open.empty())
        return choices;
    const std::vector<Choice> found = choicesOfAll(gatherRows(hidden, open), openEdits);
    for (std::size_t i = 0; i < open.size(); ++i)
        choices[static_cast<std::size_t>(open[i])] = found[i];
    return choices;
}

/// By the product with the whole vocabulary.
std::vector<RowModel::Choice> PackedModel::choicesOfAll(const Rows &hidden, const ScoreEdits &edits) const
{
    std::vector<kernels::Best> best(static_cast<std::size_t>(hidden.count()),
                                    {kernels::kNothing, kernels::kNothing, 0});
    forScores(hidden, [&](float *scores, std::int64_t firstRow, std::int64_t rows, std::int64_t firstColumn,
                          std::int64_t columns) {
        ban(edits.bannedLogits, scores, rows, firstColumn, columns);
        banChoices(edits, scores, firstRow, rows, firstColumn, columns);
        kernels::updateBest(scores, rows, columns, firstColumn, best.data() + firstRow);
    });
    std::vector<Choice> choices;
    choices.reserve(best.size());
    for (const kernels::Best &b : best)
        choices.push_back({b.index, b.first - b.second});
    return choices;
}

std::vector<std::vector<ScoredToken>> PackedModel::likeliestOfLogits(const Rows &hidden, std::int64_t count,
                                                                     const ScoreEdits &edits) const
{
    const auto rowCount = static_cast<std::size_t>(hidden.count());
    std::vector<kernels::Scored> top(rowCount * static_cast<std::size_t>(count), {kernels::kNothing, 0});
    std::vector<kernels::Exponentials> sums(rowCount, {kernels::kNothing, 0});
    forScores(hidden, [&](float *scores, std::int64_t firstRow, std::int64_t rows, std::int64_t firstColumn,
                          std::int64_t columns) {
        ban(edits.bannedLogits, scores, rows, firstColumn, columns);
        if (!edits.renormalize)
            kernels::addExponentials(scores, rows, columns, sums.data() + firstRow);
        banChoices(edits, scores, firstRow, rows, firstColumn, columns);
        if (edits.renormalize) // what log-probabilities are shifted by falls out again
            kernels::addExponentials(scores, rows, columns, sums.data() + firstRow);
        kernels::updateTop(scores, rows, columns, firstColumn, count, top.data() + firstRow * count);
    });
    std::vector<std::vector<ScoredToken>> likeliest(rowCount);
    for (std::size_t r = 0; r < rowCount; ++r) {
        for (std::int64_t k = 0; k < count; ++k) {
            const kernels::Scored &token = top[r * static_cast<std::size_t>(count) + static_cast<std::size_t>(k)];
            if (token.score > kernels::kNothing)
                likeliest[r].push_back(
                    {static_cast<float>(static_cast<double>(token.score) - sums[r].largest - std::log(sums[r].sum)),
                     token.index});
        }
    }
    return likeliest;
}

std::vector<RowModel::Forced> PackedModel::forced(const Rows &hidden, std::span<const std::int64_t> tokens) const
{
    std::vector<Forced> result(tokens.size());
    std::vector<kernels::Best> best(tokens.size(), {kernels::kNothing, kernels::kNothing, 0});
    std::vector<kernels::Exponentials> sums(tokens.size(), {kernels::kNothing, 0});
    forScores(hidden, [&](float *scores, std::int64_t firstRow, std::int64_t rows, std::int64_t firstColumn,
                          std::int64_t columns) {
        kernels::addExponentials(scores, rows, columns, sums.data() + firstRow);
        kernels::updateBest(scores, rows, columns, firstColumn, best.data() + firstRow);
        for (std::int64_t r = 0; r < rows; ++r) {
            const std::int64_t column = tokens[static_cast<std::size_t>(firstRow + r)] - firstColumn;
            if (column >= 0 && column < columns)
                result[static_cast<std::size_t>(firstRow + r)].logProbability = scores[r * columns + column];
        }
    });
    for (std::size_t r = 0; r < result.size(); ++r) {
        result[r].logProbability = result[r].logProbability - sums[r].largest - std::log(sums[r].sum);
        result[r].best = best[r].index;
    }
    return result;
}

std::int64_t packedBytes(const Transformer &model, Products products)
{
    const std::int64_t numbers = productWeights(model);
    switch (products) {
    case Products::Exact: // and bytes to screen tokens by
        return numbers * 4 + (model.weights().outputWeight.defined() ? model.weights().outputWeight.numel() : 0);
    case Products::Split:
        return numbers * 3 * 2; // laid out for three products
    case Products::Half:
        return numbers * 2;
    case Products::Byte:
        return numbers;
    }
    return 0;
}

} // namespace headscope
