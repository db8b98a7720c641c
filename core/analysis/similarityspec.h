#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/base/ranges.h"
#include "core/results/similarityresult.h"
#include "core/task/runoptions.h"

#include <array>
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

template<typename Visitor>
void describe(Visitor &visit, SimilaritySpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.choice(
        "distance", spec.distance,
        "Distance of map, clusters and spread: the root of the mean Jensen-Shannon divergence, which is a metric, or "
        "the divergence, as in Clark et al.'s code");
    visit.choice("linkage", spec.linkage, "Distance of clusters: mean, largest or smallest distance of their members");
    visit.choice(
        "average", spec.average,
        "Average of surface statistics: over the tokens that have such a key, or as Clark et al.'s code does: over examples, by "
        "all tokens, punctuation being . and ,");
    visit.real("smoothing", spec.smoothing, Range{0, 0.5},
               "Mix rows with this much uniform attention before they are compared; Clark et al.: 0.001");
    visit.flag("own-output", spec.ownOutput,
               "Force the decoder to the model's own greedy output, not to the references (always done without "
               "references)");
    visit.integer("resamples", spec.resamples, IntegerRange{0, kMostResamples},
                  "Resamples of the bootstrap intervals of the spread; 0 = none");
}

// parts of the work
inline constexpr Phase kPhaseSimilarity{"similarity"};

template<>
struct AnalysisOf<SimilaritySpec>
{
    using Result = SimilarityResult;
    static constexpr std::array kPhases{kPhaseSimilarity};
    static constexpr AnalysisInfo kInfo{
        .name = "similarity",
        .summary = "Compare what heads attend to: distances, map, clusters, and what they look at on the surface",
        .footer
        = "The result: \"heads\" with mean attention to the token itself, its neighbours, the first token,\n"
          "delimiters and punctuation, entropies, and the behaviour that follows (Clark et al. 2019, figures\n"
          "2, 4 and 6); \"kinds\" with the Jensen-Shannon divergence of every two heads of a kind of attention,\n"
          "their map (x, y, stress) and dendrogram (merges, order); \"layers\" with how far the heads of a\n"
          "layer are from each other, with an interval. --format csv: a line per head.",
        .group = CommandGroup::Roles,
        .example = "similarity --model MODEL_DIR --conllu test.conllu",
        .needsHeads = false,
        .needsReferences = false};
    static SimilarityResult compute(const SimilaritySpec &spec, AnalysisInput &input, Manifest manifest,
                                    const JobControl &control, const Publish<SimilarityResult> &publish);
};

} // namespace headscope
