#pragma once

#include "core/results/attentionresult.h"
#include "core/results/rolesresult.h"

#include <vector>

namespace headscope {

/// Weights of a head as `measure` has them, [queries · keys]: attention weights, or weights times the norms of what
/// is added for a key, every row divided by its sum or not (Kobayashi et al. 2020). Maps without norms (of older files)
/// give their weights.
std::vector<float> measuredWeights(const AttentionMap &map, AttentionMeasure measure);

/// Attention rollout of self-attention through all layers up to `layers` (Abnar and Zuidema 2020): Ã_L …
/// Ã_1 with Ã = (Ā + I) / 2, Ā the mean over the layer's heads that are not masked; rows sum to 1. [T · T]; empty: no
/// such attention. Unscaled norms count as shares. A layer whose heads are all masked or gone gives I.
std::vector<float> attentionRollout(const AttentionResult &result, HeadKind kind, AttentionMeasure measure, int layers);

} // namespace headscope
