#pragma once

#include "core/model/transformer.h"
#include "core/task/patchingpairs.h"

#include <cstdint>
#include <vector>

namespace headscope {

/// The terms that heads add to the difference of the answers' logits by themselves, not by way of later sub-layers:
/// their outputs at the position that says the answer, with all norms' scales held at what they are in the run.
struct DirectEffects
{
    std::vector<std::vector<double>> heads; ///< pair by pair, heads in the order of the layout
    std::vector<double> rest;               ///< of embeddings, feed-forward layers and biases
};

/// Direct effects on the clean or the corrupt texts of the pairs `some`, run under `gates` (direct logit attribution;
/// Elhage et al. 2021, Wang et al. 2022): heads and rest sum to the difference of the logits in that run.
DirectEffects directEffects(const Transformer &model, const PatchingPairs &all, const std::vector<std::int64_t> &some,
                            bool isClean, const HeadGates &gates);

} // namespace headscope
