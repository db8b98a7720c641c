#pragma once

#include "core/results/relevanceresult.h"
#include "ui/heatmap/heatmappainter.h"

namespace headscope {

/// What each token contributes to each output of an example: a row for every output (of a classifier its label), a
/// column for every token of the source, then of the output so far. Empty for results of more than one example.
HeatMapPicture tokenPicture(const RelevanceResult &relevance);

} // namespace headscope
