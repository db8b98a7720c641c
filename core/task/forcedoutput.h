#pragma once

#include "core/task/examples.h"
#include "core/task/runner.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace headscope {

/// Decoder output under teacher forcing at the positions that count only: hidden [ΣT, D], the tokens wanted there [ΣT],
/// and the row of the batch each belongs to [ΣT].
struct ForcedOutput
{
    torch::Tensor hidden;
    torch::Tensor wanted;
    torch::Tensor rows;
};
/// Sees the hidden states between two layers, [B, T, D].
using LayerListener = std::function<void(const torch::Tensor &hidden)>;
/// The rest of a stack, layer by layer.
void runLayers(const Transformer &model, StackState &state, const WalkInputs &around, const LayerListener &onLayer);
ForcedOutput forcedOutput(const Transformer &model, const Examples &examples, const std::vector<std::int64_t> &ids,
                          const HeadGates &gates, Dropout *dropout = nullptr, const LayerListener &onLayer = {},
                          Recorder *recorder = nullptr);

/// The output that a classifier reads, [B, D]. `source` and `prefix`: what encoder and decoder read; nothing for a
/// stack that the model does not have.
torch::Tensor classifiedOutput(const Transformer &model, const TokenBatch *source, const TokenBatch *prefix,
                               const HeadGates &gates, Dropout *dropout = nullptr, const LayerListener &onLayer = {},
                               Recorder *recorder = nullptr);
torch::Tensor classifiedOutput(const Transformer &model, const Examples &examples, const std::vector<std::int64_t> &ids,
                               const HeadGates &gates, Dropout *dropout = nullptr, const LayerListener &onLayer = {},
                               Recorder *recorder = nullptr);

/// −ln p of the tokens `wanted` [N] by `logits` [N, V], summed over each example's; `rows` [N]: whose they are.
LossBatch lossOf(const torch::Tensor &wanted, const torch::Tensor &logits, const torch::Tensor &rows,
                 std::int64_t examples);

/// −ln p of the targets, summed over each example's.
LossBatch targetLoss(const Transformer &model, const Examples &examples, const std::vector<std::int64_t> &ids,
                     const HeadGates &gates, Recorder *recorder = nullptr);

} // namespace headscope
