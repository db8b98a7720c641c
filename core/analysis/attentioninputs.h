#pragma once

#include "core/base/jobcontrol.h"
#include "core/model/spec.h"
#include "core/model/transformer.h"
#include "core/task/task.h"

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace headscope {

/// The states of a padded batch that one attention reads.
struct AttentionInput
{
    HeadKind kind = HeadKind::Encoder;
    int layer = 0;
    const AttentionSpec &spec;
    const AttentionWeights &weights;
    torch::Tensor queries; ///< [B, T, D], what its queries are made from
    torch::Tensor keys;    ///< [B, S, D], what its keys are made from
    torch::Tensor visible; ///< [B, 1, T, S] bool: the query is a token, and sees the key
};

/// Calls `visit` for every attention with heads on the examples `ids`, one batch after the other. The decoder is forced
/// to the references or, without references, to the model's own output.
void forEachAttentionInput(const Task &task, const std::vector<std::int64_t> &ids, const RunOptions &run,
                           const JobControl &control, const std::function<void(const AttentionInput &)> &visit);

/// `count` examples (0: all), drawn by the seed.
std::vector<std::int64_t> someExamples(const Task &task, std::int64_t count, const RunOptions &run);

/// Scores [B, H, T, S] of these inputs by an attention's projections, scaled, in float64; without relative or rotary
/// positions.
torch::Tensor scoresOf(const AttentionSpec &spec, const AttentionWeights &weights, const AttentionInput &input);

/// x [B, H, T, S] minus its mean over the keys that each query sees; 0 elsewhere.
torch::Tensor centredOverKeys(const torch::Tensor &x, const torch::Tensor &visible);

/// Attention [B, H, T, S] by scores; 0 where nothing is seen.
torch::Tensor attentionBy(const torch::Tensor &scores, const torch::Tensor &visible);

} // namespace headscope
