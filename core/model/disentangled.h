#pragma once

#include "core/model/spec.h"
#include "core/model/weights.h"

#include <torch/types.h>

#include <cstdint>

/// Disentangled attention (He et al. 2021): what scores get from the distances of queries and keys (spec.h).
///
/// Letters: H heads, T queries, S keys, Dh head width, D width.
namespace headscope {

/// Rows of a stack's table for the distances query − key of 1 − count … count − 1: [2·count − 1] int64. Those of
/// transformers' make_log_bucket_position, by the same operations in float32.
torch::Tensor distanceRows(const Disentangled &disentangled, std::int64_t count);

/// The stack's table, normed where the spec says so, [2·span, D].
torch::Tensor distanceTable(const Disentangled &disentangled, const StackWeights &stack, const NormSpec &norm);

/// Keys and queries that an attention makes of rows of the table, [H, rows, Dh]; undefined: its scores have no such
/// product.
struct DistanceHeads
{
    torch::Tensor keys;
    torch::Tensor queries;

    DistanceHeads selectRows(const torch::Tensor &rows) const;
};
/// `table` [rows, D].
DistanceHeads distanceHeads(const AttentionSpec &attention, const AttentionWeights &weights,
                            const torch::Tensor &table);

/// The products with distances of queries [..., H, T, Dh], scaled, at positions 0 …, and keys [..., H, S, Dh]: [..., H,
/// T, S], scaled. `distances`: one row for each that distanceRows() gives for max(T, S).
torch::Tensor distanceScores(const AttentionSpec &attention, const DistanceHeads &distances,
                             const torch::Tensor &queries, const torch::Tensor &keys);

} // namespace headscope
