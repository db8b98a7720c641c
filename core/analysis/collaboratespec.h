#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/specoptions.h"
#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/results/collaborateresult.h"
#include "core/task/runoptions.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// The model with query and key projections that its heads share, at several widths of them.
struct CollaborateSpec
{
    RunOptions run{};
    std::vector<std::int64_t> ranks{};    ///< D̃_k; empty: 3/4, 1/2, 1/3 and 1/6 of the widest attention's dimensions
    std::vector<HeadKind> kinds{};        ///< of attention; empty: all
    std::vector<SharingMethod> methods{}; ///< empty: both
    std::vector<std::int64_t> prune{};    ///< heads removed as well: before sharing, after it, and without it
    std::int64_t iterations = 200;
    double tolerance = 1e-6;
    double ridge = 1e-8;
    std::int64_t restarts = 1;
    bool publishedScale = false;
    bool mixing = false;         ///< keep mixing matrices
    std::int64_t sentences = 32; ///< that scores and attention are compared on; 0 = all
    bool alsoOnOther = false;    ///< score the other data slot, too
    std::int64_t resamples = 1000;
};

template<typename Visitor>
void describe(Visitor &visit, CollaborateSpec &spec)
{
    visit.integers(
        "ranks", spec.ranks, IntegerRange{1},
        "Columns of the shared query and key projections; default: 3/4, 1/2, 1/3 and 1/6 of those that all heads of an "
        "attention have together");
    visit.choices("kinds", spec.kinds, "Attentions that share (default: all)");
    visit.choices(
        "methods", spec.methods,
        "cp: the sum of products that is nearest to all heads together; svd: the largest singular triplets of single "
        "heads, which share nothing (default: both)");
    visit.integers(
        "prune", spec.prune, IntegerRange{0},
        "Remove this many heads as well, the least important of the full model first: before sharing, after it, and "
        "without sharing");
    visit.integer("iterations", spec.iterations, IntegerRange{1, kMostRepeats},
                  "Most iterations of alternating least squares");
    visit.real("tolerance", spec.tolerance, Range{0, 1},
               "Stop when an iteration reduces the relative error by "
               "less");
    visit.real("ridge", spec.ridge, Range{0, 1},
               "Regularisation of the normal equations: added to the diagonal, "
               "relative to its mean");
    visit.integer("restarts", spec.restarts, IntegerRange{0, kMostRepeats},
                  "Restarts from random factors, besides the start from single heads; the best fit counts");
    visit.flag(
        "published-scale", spec.publishedScale,
        "Divide scores as the published code does, by the root of the width by the number of heads; heads were trained "
        "with the root of their own width");
    visit.flag("mixing", spec.mixing, "Keep the mixing matrices");
    visit.integer("sentences", spec.sentences, IntegerRange{0},
                  "Examples that scores and attention are compared on; 0 = all");
    visit.integer("resamples", spec.resamples, IntegerRange{0, kMostResamples},
                  "Resamples for the bootstrap intervals of scores; 0 = none");
}

template<>
struct AnalysisOf<CollaborateSpec>
{
    using Result = CollaborateResult;
    static constexpr AnalysisInfo kInfo{
        .name = "collaborate",
        .summary = "Share query and key projections between heads, and score the model with fewer dimensions",
        .footer
        = "Cordonnier et al. 2020: collaborative attention by tensor decomposition. The result: \"points\", the whole\n"
          "model first, then one for every method and width, with parameters, score_parameters, compression (of query\n"
          "and key projections), break_even (the length in tokens up to which scores cost fewer multiply-adds: every\n"
          "head multiplies all shared columns), multiply_adds (of the scores of a sequence of \"length\" tokens), seconds\n"
          "(of factorization), error, logit_error, divergence, score, delta, other_score, on_front\n"
          "(whether no other point has as few parameters and as good a score, and one of them better), and\n"
          "\"layers\". With --prune, points without sharing as well, and both orders. --export DIR writes the model with the first of --ranks, by the first of --methods.\n"
          "--format csv: a line per point.",
        .group = CommandGroup::Roles,
        .example = "collaborate --model MODEL_DIR --source a.en --reference a.fr --ranks 256,128 --also-on b.en b.fr",
        .goesByMetric = true};
    static constexpr SecondData<CollaborateSpec> kSecond{&CollaborateSpec::alsoOnOther, "also-on",
                                                         "Score this data set, too: out-of-domain data for instance"};
    static std::vector<std::string> remarks(
        const CollaborateResult &result); ///< the Pareto front, where heads were removed as well
    /// Scores of the model with query and key projections that its heads share (CollaborateResult). Publishes after
    /// every point.
    static CollaborateResult compute(const CollaborateSpec &spec, AnalysisInput &input, Manifest manifest,
                                     const JobControl &control, const Publish<CollaborateResult> &publish);
};

} // namespace headscope
