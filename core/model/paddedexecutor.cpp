#include "core/model/paddedexecutor.h"

#include "core/model/disentangled.h"
#include "core/model/experts.h"
#include "core/model/hiddenkeys.h"
#include "core/model/projections.h"
#include "core/tensor/halfkernels.h"
#include "core/tensor/indextensor.h"

#include <torch/types.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace headscope {
namespace {

using torch::indexing::Slice;

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

/// The contexts [B, H, T, Dh] that replace those of heads at `positions` [T] or [B, T].
torch::Tensor replacementAt(const torch::Tensor &replacement, const torch::Tensor &positions)
{
    if (replacement.dim() == 2)
        return replacement.view({1, replacement.size(0), 1, replacement.size(1)});
    const auto index = positions.remainder(replacement.size(2));
    if (index.dim() == 1)
        return replacement.index_select(2, index);
    return replacement.gather(
        2, index.view({index.size(0), 1, index.size(1), 1}).expand({-1, replacement.size(1), -1, replacement.size(3)}));
}

/// Keys or values [B, Hk, S, ·] as every head reads them, [B, H, S, ·]. `places`: of every head among them.
torch::Tensor forEveryHead(const torch::Tensor &shared, const std::vector<std::int64_t> &places)
{
    if (shared.size(1) == std::ssize(places)) // each has its own
        return shared;
    return shared.index_select(1, indexTensor(places, shared.device()));
}

} // namespace

torch::Tensor &PaddedExecutor::record(int place, const char *what) const
{
    return m_around.recorder->tensors[subLayerName(m_side, m_model.spec().stack(m_side)->at(place)) + '.' + what];
}

void PaddedExecutor::arrive(int place, const torch::Tensor &hidden) const
{
    if (m_around.recorder && m_around.recorder->inputs)
        record(place, "input") = hidden;
}

torch::Tensor PaddedExecutor::normalize(int place, const torch::Tensor &x) const
{
    return headscope::normalize(x, m_weights.at(place).norm, m_model.spec().norm);
}

torch::Tensor PaddedExecutor::normalizeOutput(int place, const torch::Tensor &x) const
{
    return headscope::normalize(x, m_weights.at(place).outputNorm, m_model.spec().norm);
}

/// Heads [B, H, T, Dh] turned as their positions ask for.
torch::Tensor PaddedExecutor::withAngles(const torch::Tensor &heads, const AttentionSpec &attention)
{
    if (!attention.rotary)
        return heads;
    auto found = std::ranges::find(m_angles, *attention.rotary, &std::pair<RotarySpec, RotaryAngles>::first);
    if (found == m_angles.end()) {
        RotaryAngles angles = rotaryAngles(*attention.rotary, attention.headWidth, m_positions, heads.options());
        if (m_positions.dim() == 2)
            angles = angles.unsqueezed(1);
        found = m_angles.insert(m_angles.end(), {*attention.rotary, std::move(angles)});
    }
    return rotated(heads, found->second);
}

KeyValue PaddedExecutor::ownKeys(int place, const AttentionSpec &attention, const torch::Tensor &x)
{
    const AttentionWeights &weights = m_weights.at(place).attention();
    KeyValue own{withAngles(headKeys(attention, weights, x), attention), headValues(attention, weights, x)};
    if (m_around.ownKeys)
        (*m_around.ownKeys)[static_cast<std::size_t>(place)] = own;
    return m_cache ? store(place, own) : own;
}

/// Puts the keys and values of the next position, [B, Hk, 1, Dh], after those in the cache.
KeyValue PaddedExecutor::store(int place, const KeyValue &fresh) const
{
    KeyValue &kept = m_cache->self[static_cast<std::size_t>(place)];
    const auto [shortest, longest] = std::ranges::minmax(m_cache->lengths);
    const auto into = [&](torch::Tensor &all, const torch::Tensor &next) {
        if (shortest == longest)
            all.select(2, longest).copy_(next.squeeze(2));
        else
            all.index_put_({torch::arange(next.size(0), m_positions.options()), Slice(), m_positions.squeeze(1)},
                           next.squeeze(2));
        return all.narrow(2, 0, longest + 1);
    };
    return {into(kept.key, fresh.key), into(kept.value, fresh.value)};
}

/// `bias` that also hides keys more than `reach` positions away; it may be undefined.
torch::Tensor PaddedExecutor::withinReach(const torch::Tensor &bias, std::int64_t reach, std::int64_t keys)
{
    torch::Tensor &known = m_withinReach[reach];
    if (!known.defined()) {
        const auto distances = torch::arange(keys, m_positions.options()) - m_positions.unsqueeze(-1); // [(B,) T, S]
        const auto hidden = (distances.abs() > reach).view({-1, 1, distances.size(-2), keys});
        const auto open = bias.defined() ? bias : torch::zeros({1, 1, 1, keys}, m_model.options());
        known = torch::where(hidden, torch::full({}, hiddenScore(open.scalar_type()), open.options()), open);
    }
    return known;
}

/// Terms that are added to the scores of [B, H, T, S]; undefined: nothing.
torch::Tensor PaddedExecutor::scoreBias(const AttentionSpec &attention, std::int64_t keys)
{
    torch::Tensor bias = attention.readsMemory() ? m_around.cross->bias : m_scoreBias;
    if (attention.reach && *attention.reach < keys - 1)
        bias = withinReach(bias, *attention.reach, keys);
    if (!attention.addsDistances())
        return bias;
    const auto before = m_positions.max().item<std::int64_t>();
    const auto scores = relativeScores(m_weights.relativeBias, attention, before, keys - 1).to(m_model.options());
    const auto distances
        = torch::arange(keys, m_positions.options()) - m_positions.unsqueeze(-1) + before; // [(B,) T, S]
    auto relative = scores.index_select(1, distances.flatten())
                        .view({attention.headCount(), -1, distances.size(-2), keys})
                        .transpose(0, 1); // [B or 1, H, T, S]
    return bias.defined() ? relative + bias : relative;
}

torch::Tensor PaddedExecutor::scoresOfDistances(const AttentionSpec &attention, const AttentionWeights &weights,
                                                const torch::Tensor &query, const torch::Tensor &key) const
{
    const Disentangled &disentangled = *attention.disentangled;
    const auto table = distanceTable(disentangled, m_weights, m_model.spec().norm);
    const auto rows = distanceRows(disentangled, std::max(query.size(2), key.size(2))).to(table.device());
    return distanceScores(attention, distanceHeads(attention, weights, table.index_select(0, rows)), query, key);
}

torch::Tensor PaddedExecutor::attend(int place, const AttentionSpec &attention, const torch::Tensor &x,
                                     const torch::Tensor &)
{
    if (attention.heads.empty())
        return {};
    if (m_around.recorder && m_around.recorder->inputs)
        record(place, "read") = x;
    const AttentionWeights &weights = m_weights.at(place).attention();
    auto query = headQueries(attention, weights, x);
    if (attention.scale != 1)
        query = query * attention.scale;
    query = withAngles(query, attention);
    const bool beamsShare = attention.readsMemory() && m_cache;
    if (beamsShare) // the beams of a sentence are so many queries to the same memory
        query = query.view({-1, m_cache->beams, attention.headCount(), attention.scoreWidth()}).transpose(1, 2);
    const KeyValue keys = attention.readsMemory() ? m_around.cross->keys[static_cast<std::size_t>(place)]
                                                  : ownKeys(place, attention, x);
    auto value = forEveryHead(keys.value, attention.valuePlaces());
    auto key = forEveryHead(keys.key, attention.keyPlaces());
    if (onPart) {
        onPart(place, WalkPart::Query, query);
        onPart(place, WalkPart::Key, key);
        onPart(place, WalkPart::Value, value);
    }
    const auto products = matrixProduct(query, key.transpose(2, 3));
    auto scores = capped(products, attention.scoreCap);
    if (attention.disentangled)
        scores = scores + scoresOfDistances(attention, weights, query, key);
    const auto bias = scoreBias(attention, scores.size(3));
    if (bias.defined())
        scores = scores + bias;
    if (const LayerGate &gate = gateAt(place, attention); !gate.windows.empty())
        scores = scores.masked_fill(hiddenByWindows(gate.windows, attention.headCount(),
                                                    m_positions.dim() == 1 ? m_positions.unsqueeze(0) : m_positions,
                                                    scores.size(3)),
                                    hiddenScore(scores.scalar_type()));
    auto probabilities = attentionWeights(scores, weights.sinks);
    if (onPart)
        onPart(place, WalkPart::Pattern, probabilities);
    if (m_around.recorder && m_around.recorder->differentiable && !probabilities.requires_grad())
        probabilities.requires_grad_(true);
    auto context = matrixProduct(probabilities, value);
    if (const Recorder *recorder = m_around.recorder) {
        if (recorder->probabilities)
            record(place, "probabilities") = probabilities;
        if (recorder->contexts)
            record(place, "context") = context;
        if (recorder->values)
            record(place, "value") = value;
        if (recorder->scores) {
            record(place, "query") = query;
            record(place, "key") = key;
            record(place, "bias") = attention.scoreCap > 0 || attention.disentangled ? scores - products : bias;
            record(place, "scores") = scores;
        }
    }
    return beamsShare ? context.transpose(1, 2).reshape({x.size(0), attention.headCount(), 1, attention.headWidth})
                      : context;
}

torch::Tensor PaddedExecutor::gate(int place, const AttentionSpec &attention, const torch::Tensor &context) const
{
    const LayerGate &gate = gateAt(place, attention);
    if (!gate.gate.defined() || !context.defined())
        return context;
    const auto factor = broadcastGate(gate.gate);
    const auto gated = context * factor;
    return gate.replacement.defined() ? gated + (1 - factor) * replacementAt(gate.replacement, m_positions) : gated;
}

torch::Tensor PaddedExecutor::close(int place, const AttentionSpec &, const torch::Tensor &context,
                                    const torch::Tensor &hidden) const
{
    const Linear &out = m_weights.at(place).attention().out;
    if (!context.defined()) // every head removed: only the bias is left
        return out.bias.defined() ? out.bias.expand_as(hidden) : torch::zeros_like(hidden);
    return out(context.transpose(1, 2).flatten(2));
}

torch::Tensor PaddedExecutor::feedForward(int place, const FeedForwardSpec &feedForward, const torch::Tensor &x) const
{
    return throughFeedForward(feedForward, m_weights.at(place).feedForward(), x);
}

torch::Tensor PaddedExecutor::add(const torch::Tensor &hidden, const torch::Tensor &output) const
{
    return m_dropout ? m_dropout->add(hidden, output) : hidden + output;
}

} // namespace headscope
