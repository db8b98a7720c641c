#pragma once

#include "core/model/positions.h"
#include "core/model/transformer.h"

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace headscope {

/// A part of a walk that can be seen and replaced.
enum class WalkPart {
    Query,       ///< [B, H, T, Dq] as scores are made of it: scaled, normed, turned
    Key,         ///< [B, H, S, Dq], for every head
    Value,       ///< [B, H, S, Dh], for every head
    Pattern,     ///< [B, H, T, S], probabilities
    Context,     ///< [B, H, T, Dh], before the gate
    FeedForward, ///< [B, T, D], what the layer puts out, before its norm
};

/// The walk over padded batches [B, T, D] by LibTorch: the plain one. With a cache, rows are the next position of
/// sequences (T = 1), whose keys and values the cache keeps.
class PaddedExecutor
{
public:
    using Matrix = torch::Tensor;

    /// Keeps references. `scoreBias`: what the stack's attention to itself adds to scores. `positions` [T] or [B, T]:
    /// of the rows, from 0.
    PaddedExecutor(const Transformer &model, Side side, const WalkInputs &around, torch::Tensor scoreBias,
                   torch::Tensor positions, Dropout *dropout = nullptr, DecodeCache *cache = nullptr)
        : m_model(model), m_side(side), m_weights(model.weights().stack(side)), m_around(around),
          m_scoreBias(std::move(scoreBias)), m_positions(std::move(positions)), m_dropout(dropout), m_cache(cache)
    {
    }

    void arrive(int place, const torch::Tensor &hidden) const;
    torch::Tensor normalize(int place, const torch::Tensor &x) const;
    torch::Tensor normalizeOutput(int place, const torch::Tensor &x) const;
    /// [B, H, T, Dh]; undefined where no head is left.
    torch::Tensor attend(int place, const AttentionSpec &attention, const torch::Tensor &x,
                         const torch::Tensor &hidden);
    torch::Tensor gate(int place, const AttentionSpec &attention, const torch::Tensor &context) const;
    torch::Tensor close(int place, const AttentionSpec &attention, const torch::Tensor &context,
                        const torch::Tensor &hidden) const;
    torch::Tensor feedForward(int place, const FeedForwardSpec &feedForward, const torch::Tensor &x) const;
    static torch::Tensor scale(const torch::Tensor &output, double by) { return output * by; }
    torch::Tensor add(const torch::Tensor &hidden, const torch::Tensor &output) const;

protected:
    /// Sees queries, keys, values and patterns before they are used, and may put others in their places.
    std::function<void(int place, WalkPart part, torch::Tensor &value)> onPart{};

private:
    KeyValue ownKeys(int place, const AttentionSpec &attention, const torch::Tensor &x);
    KeyValue store(int place, const KeyValue &fresh) const;
    torch::Tensor withAngles(const torch::Tensor &heads, const AttentionSpec &attention);
    torch::Tensor scoreBias(const AttentionSpec &attention, std::int64_t keys);
    torch::Tensor withinReach(const torch::Tensor &bias, std::int64_t reach, std::int64_t keys);
    torch::Tensor scoresOfDistances(const AttentionSpec &attention, const AttentionWeights &weights,
                                    const torch::Tensor &query, const torch::Tensor &key) const;
    const LayerGate &gateAt(int place, const AttentionSpec &attention) const
    {
        return m_around.gates.at(attention.kind, m_model.spec().stack(m_side)->at(place).layer);
    }
    torch::Tensor &record(int place, const char *what) const;

    const Transformer &m_model;
    Side m_side;
    const StackWeights &m_weights;
    const WalkInputs &m_around;
    torch::Tensor m_scoreBias;
    torch::Tensor m_positions;
    /// Tensors that are the same in all layers of a kind: by rotary positions, and by reach.
    std::vector<std::pair<RotarySpec, RotaryAngles>> m_angles;
    std::map<std::int64_t, torch::Tensor> m_withinReach;
    Dropout *m_dropout;
    DecodeCache *m_cache;
};

} // namespace headscope
