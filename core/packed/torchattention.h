#pragma once

#include "core/base/keywindow.h"
#include "core/model/disentangled.h"
#include "core/model/spec.h"
#include "core/packed/rows.h"

#include <torch/types.h>

#include <vector>

namespace headscope {

class KeptIndices;

/// Attention over rows by LibTorch: queries, and keys and values of each sequence in the same order.
struct TorchAttention
{
    const AttentionSpec &spec;
    const torch::Tensor &relativeBias; ///< the stack's table; undefined: none
    torch::Tensor queries;             ///< [R, Q]
    Sequences querySequences;
    torch::Tensor keyValues; ///< [S, K], keys first
    Sequences keySequences;
    const DistanceHeads &distances;   ///< of every row of the stack's table; of disentangled attention
    std::vector<KeyWindow> windows{}; ///< of every head, sequence by sequence; empty: all see all keys
    torch::Tensor sinks{};            ///< [H]; undefined: none
    KeptIndices *kept = nullptr;      ///< where index tensors are looked for; null: nowhere
};

/// Whether the device has a kernel for it. Nothing is padded then.
bool canFuse(const TorchAttention &attention);
/// Contexts [R, A]. Precondition: canFuse().
torch::Tensor attendFused(const TorchAttention &attention);
/// Attention by products over padded sequences: sequences of similar length together, as many at once as a bound on
/// memory allows.
torch::Tensor attendPadded(const TorchAttention &attention);

} // namespace headscope
