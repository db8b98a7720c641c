#pragma once

#include "core/model/spec.h"
#include "core/model/weights.h"

#include <torch/types.h>

#include <cstdint>

/// Queries and keys of heads from their projections, whether each head has its own or all share them (spec.h). Shared
/// projections give every head queries ((x W_Q) ∘ m_h, e_h) and all of them the key (y W_K, y c_0, y c_1, …), whose
/// products are the scores; e_h is a unit vector.
///
/// Letters: B rows, T positions, H heads, Hk keys of a position, Dq their width (scoreWidth()), D width.
namespace headscope {

/// Projected rows [B, T, H·Dh] → [B, H, T, Dh].
torch::Tensor splitHeads(const torch::Tensor &projected, std::int64_t headWidth);

/// Heads [..., n, Dh] by themselves, each by its own weights [n, Dh] where they have them.
torch::Tensor normalizeHeads(const torch::Tensor &heads, const Norm &norm, const HeadNorm &how);

/// The steps between projections and positions: clipping, norms, and the choice of the heads that are there, where
/// more were projected. Queries of x [..., projectedQueries() · Dq] → [..., H·Dq], keys [..., projectedKeys() · Dq] →
/// [..., Hk·Dq], values [..., Hk·Dh] → the same.
torch::Tensor preparedQueries(const AttentionSpec &attention, const AttentionWeights &weights,
                              const torch::Tensor &projected);
torch::Tensor preparedKeys(const AttentionSpec &attention, const AttentionWeights &weights,
                           const torch::Tensor &projected);
torch::Tensor preparedValues(const AttentionSpec &attention, const torch::Tensor &projected);

/// x [B, T, D] → [B, H, T, Dq], not scaled.
torch::Tensor headQueries(const AttentionSpec &attention, const AttentionWeights &weights, const torch::Tensor &x);
/// y [B, S, D] → [B, Hk, S, Dq].
torch::Tensor headKeys(const AttentionSpec &attention, const AttentionWeights &weights, const torch::Tensor &y);
/// y [B, S, D] → [B, Hk, S, Dh].
torch::Tensor headValues(const AttentionSpec &attention, const AttentionWeights &weights, const torch::Tensor &y);

/// The projections as linear maps, for executors that know no others: x [D] → queries [projectedQueries() · Dq], y [D]
/// → keys [projectedKeys() · Dq].
Linear queryMap(const AttentionSpec &attention, const AttentionWeights &weights);
Linear keyMap(const AttentionSpec &attention, const AttentionWeights &weights);

} // namespace headscope
