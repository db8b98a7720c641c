#pragma once

#include "core/model/paddedexecutor.h"
#include "core/task/pairruns.h"

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace headscope {

/// Sees a part of a run, and may put another in its place.
using EditPart = std::function<void(Side side, int place, WalkPart part, torch::Tensor &value)>;

/// readOfPairs() of runs in which parts are seen and replaced, [B, D]. Gradients flow if grad mode is on.
torch::Tensor readOfEditedPairs(const Transformer &model, const PatchingPairs &all,
                                const std::vector<std::int64_t> &pairs, bool isClean, const HeadGates &gates,
                                const EditPart &edit, const JobControl &control);

} // namespace headscope
