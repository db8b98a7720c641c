#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/specoptions.h"
#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/results/dynamicsresult.h"
#include "core/results/importanceresult.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// Heads over training: what each checkpoint of a run says of its heads, and how many it can do without (Michel et al.
/// 2019, section 6).
struct DynamicsSpec
{
    RunOptions run{};
    std::string runs{};                      ///< the folder with the checkpoints
    std::vector<std::int64_t> checkpoints{}; ///< by their numbers; empty = all
    std::int64_t logSpaced = 0;              ///< so many of them, about equally far apart in logarithms; 0 = all
    std::vector<HeadKind> kinds{};           ///< what is pruned; empty = all
    ImportanceReduction reduction = ImportanceReduction::Token;
    ImportanceNormalization normalization = ImportanceNormalization::Layer;
    bool curvesOnly = false;        ///< neither ablation nor confidence
    bool roles = false;             ///< of heads, too
    bool spread = false;            ///< of the heads of a layer, too
    bool orderOnOther = false;      ///< importance is estimated on the other data slot
    std::int64_t batchExamples = 0; ///< of importance, as in ImportanceSpec
    ExampleLoss exampleLoss = ExampleLoss::Sum;
    std::string keep{}; ///< where results of checkpoints are kept; empty: where the session keeps work
};

template<typename Visitor>
void describe(Visitor &visit, DynamicsSpec &spec)
{
    visit.text("runs", spec.runs, "DIR",
               "The folder with the checkpoints: epoch-001, checkpoint-500, step1000, ...; or of Hugging Face's cache "
               "the folder of a model (models--org--name), whose fetched branches they are");
    visit.integers("checkpoints", spec.checkpoints, IntegerRange{0}, "Only those with these numbers; default: all");
    visit.integer("log-spaced", spec.logSpaced, IntegerRange{0},
                  "So many of them, about equally far apart in the logarithms of their numbers, with the first and the "
                  "last; one with the number 0 comes besides; 0 = all");
    visit.choices("kinds", spec.kinds, "Candidates of pruning (default: all)");
    visit.choice("reduction", spec.reduction, "The reduction of importance, as in `importance`");
    visit.choice("normalize", spec.normalization, "The normalisation of importance, as in `importance`");
    visit.integer("batch-examples", spec.batchExamples, IntegerRange{0},
                  "The batches of importance, as in `importance`");
    visit.choice("example-loss", spec.exampleLoss, "The loss of importance, as in `importance`");
    visit.flag("curves-only", spec.curvesOnly,
               "Skip ablation and confidence, which take longer than the rest together");
    visit.flag("roles", spec.roles, "Roles of heads at each checkpoint, as in `roles`");
    visit.flag("spread", spec.spread, "How far the heads of a layer are apart at each checkpoint, as in `similarity`");
    visit.text(
        "keep", spec.keep, "DIR",
        "Folder in which the results of each checkpoint are kept, so that none is computed twice; default: in the "
        "user's folder for what can be made anew, for 90 days");
}

// parts of the work
inline constexpr Phase kPhaseOpening{"opening %1"};

template<>
struct AnalysisOf<DynamicsSpec>
{
    using Result = DynamicsResult;
    static constexpr std::array kPhases{kPhaseOpening};
    static constexpr AnalysisInfo kInfo{
        .name = "dynamics",
        .summary = "Follow heads over training: importance, ablation and pruning of every checkpoint",
        .footer
        = "The result: \"checkpoints\" by their numbers, each with score (of the full model), heads (importance,\n"
          "delta, confidence, roles) and curve (pruned, fraction, score, and relative: score by that of the same\n"
          "checkpoint). Of a run with gates (l0, subset) everything is measured without the heads that were\n"
          "closed at a checkpoint (closed), and checkpoints with closed heads have no curve. --model opens the last\n"
          "checkpoint unless it is given. Results of checkpoints are kept by the hash of their weights (--keep): the\n"
          "same command goes on where it was stopped.\n"
          "--format csv: lines of curves, heads and spreads, told apart by the column \"what\".",
        .group = CommandGroup::Training,
        .example = "dynamics --runs RUN_DIR --source test.en --reference test.fr --roles --spread",
        .keepsWork = true,
        .goesByMetric = true,
        .runsManyMasks = true};
    static constexpr SecondData<DynamicsSpec> kSecond{
        &DynamicsSpec::orderOnOther, "order-on",
        "Estimate importance, and with it the order of pruning, on this data set"};
    static std::vector<std::string> remarks(const DynamicsResult &result); ///< checkpoints with the same weights
    static void check(const DynamicsSpec &spec);
    static std::string contents(const DynamicsSpec &spec, const Dataset &dataset, const JobControl &control);
    /// Where results are kept changes none of them.
    static DynamicsSpec canonical(DynamicsSpec spec)
    {
        spec.keep.clear();
        return spec;
    }
    /// Heads at the checkpoints of a training run (Michel et al. 2019, section 6): every number is that of the single
    /// analysis on that checkpoint, which is kept on disk and not computed again. Published after every checkpoint.
    /// Throws Failure for checkpoints with other heads than the open model's.
    static DynamicsResult compute(const DynamicsSpec &spec, AnalysisInput &input, Manifest manifest,
                                  const JobControl &control, const Publish<DynamicsResult> &publish);
};

} // namespace headscope
