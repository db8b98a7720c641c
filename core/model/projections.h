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

/// x [B, T, D] → [B, H, T, Dq], not scaled.
torch::Tensor headQueries(const AttentionSpec &attention, const AttentionWeights &weights, const torch::Tensor &x);
/// y [B, S, D] → [B, Hk, S, Dq].
torch::Tensor headKeys(const AttentionSpec &attention, const AttentionWeights &weights, const torch::Tensor &y);

/// Queries and keys as plain linear maps, for executors that have no others: x [D] → queries of all heads [H·Dq], y [D]
/// → keys [Hk·Dq].
Linear queryMap(const AttentionSpec &attention, const AttentionWeights &weights);
Linear keyMap(const AttentionSpec &attention, const AttentionWeights &weights);

} // namespace headscope
