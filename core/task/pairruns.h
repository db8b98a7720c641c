#pragma once

#include "core/model/transformer.h"
#include "core/task/patchingpairs.h"

#include <torch/types.h>

#include <cstdint>
#include <vector>

/// Whole runs of texts of pairs, in padded batches. `pairs`: which; `isClean`: of their clean texts, else of the
/// corrupt ones.
namespace headscope {

/// Nothing for a stack that the model does not have.
struct PairBatches
{
    TokenBatch source, prefix;
};
PairBatches pairBatches(const Transformer &model, const PatchingPairs &all, const std::vector<std::int64_t> &pairs,
                        bool isClean);

/// The states that answers are read from, [B, D]. `recorder` may be null.
torch::Tensor readOfPairs(const Transformer &model, const PatchingPairs &all, const std::vector<std::int64_t> &pairs,
                          bool isClean, const HeadGates &gates, Recorder *recorder, const JobControl &control);

/// The same from the output of the last stack [B, T, D].
torch::Tensor readOfHidden(const Transformer &model, const PatchingPairs &all, const std::vector<std::int64_t> &pairs,
                           const PairBatches &batches, const torch::Tensor &hidden);

/// Logits of tokens, or of labels, from what answers are read from: [B, V].
torch::Tensor answerLogits(const Transformer &model, const PatchingPairs &all, const torch::Tensor &read);

} // namespace headscope
