#pragma once

#include "core/model/spec.h"

#include <torch/types.h>

#include <cstdint>
#include <vector>

/// Encodings of positions: tables, buckets of distances, angles.
namespace headscope {

/// The table that a computed kind of positions has, [positions + offset, width] in float32; undefined for the others.
torch::Tensor positionTable(const TransformerSpec &spec);

/// Positions of tokens [B, T], before the offset, as [T] or [B, T]; −1 stands for padding where padding does not count.
torch::Tensor positionsOf(const torch::Tensor &ids, const TransformerSpec &spec);

/// The bucket of key position − query position (Raffel et al. 2020).
std::int64_t relativeBucket(std::int64_t distance, const RelativeBuckets &relative);

/// Terms that are added to scores of `heads` (columns of `table` [buckets, ·]): by distance key − query from −(before)
/// to after, [H, before + 1 + after].
torch::Tensor relativeScores(const torch::Tensor &table, const RelativeBuckets &relative, const std::vector<int> &heads,
                             std::int64_t before, std::int64_t after);

/// Cosines and sines of the angles at positions [...], each [..., w] for the w columns of a head that are turned, times
/// what stretches them: halves repeat (Su et al. 2021, as in Llama).
struct RotaryAngles
{
    torch::Tensor cosines;
    torch::Tensor sines;
};
RotaryAngles rotaryAngles(const RotarySpec &rotary, std::int64_t headWidth, const torch::Tensor &positions,
                          const torch::TensorOptions &options);
/// Heads [..., Dh], their first w columns turned by angles that broadcast to these.
torch::Tensor rotated(const torch::Tensor &heads, const RotaryAngles &angles);

} // namespace headscope
