#pragma once

#include "core/results/gradientsresult.h"
#include "ui/charts/lineseries.h"

namespace headscope {

/// What share of the attention of the heads of one kind goes to the first token, to delimiters, punctuation and words,
/// a line each over the layers (Clark et al. 2019, Figure 2); and how much the loss follows a weight on one of them
/// (its Figure 3). Means over heads and tokens.
LineSeries makeLayerAttention(const AttentionGradientsResult &result, HeadKind kind);
LineSeries makeLayerGradients(const AttentionGradientsResult &result, HeadKind kind);

} // namespace headscope
