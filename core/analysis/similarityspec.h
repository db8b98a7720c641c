#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/base/headref.h"
#include "core/results/similarityresult.h"
#include "core/task/runoptions.h"

#include <cstdint>

namespace headscope {

/// How alike heads are over a data set, and what they look at on the surface.
struct SimilaritySpec
{
    RunOptions run{};
    HeadMask mask{}; ///< heads masked while attention is computed
    HeadDistance distance = HeadDistance::Root;
    Linkage linkage = Linkage::Average;
    SurfaceAverage average = SurfaceAverage::Tokens;
    double smoothing = 0;          ///< share of uniform attention that rows are mixed with before they are compared
    bool ownOutput = false;        ///< the decoder is forced to the model's own (greedy) output even if there are
                                   ///< references
    std::int64_t resamples = 1000; ///< of the spread's intervals
};

template<>
struct AnalysisOf<SimilaritySpec>
{
    using Result = SimilarityResult;
    static constexpr AnalysisInfo kInfo{
        .name = "similarity",
        .summary = "Compare what heads attend to: distances, map, clusters, and what they look at on the surface",
        .footer
        = "The result: \"heads\" with mean attention to the token itself, its neighbours, the first token,\n"
          "delimiters and punctuation, entropies, and the behaviour that follows (Clark et al. 2019, figures\n"
          "2, 4 and 6); \"kinds\" with the Jensen-Shannon divergence of every two heads of a kind of attention,\n"
          "their map (x, y, stress) and dendrogram (merges, order); \"layers\" with how far the heads of a\n"
          "layer are from each other, with an interval. --format csv: a line per head.",
        .needsHeads = false,
        .needsReferences = false};
};

} // namespace headscope
