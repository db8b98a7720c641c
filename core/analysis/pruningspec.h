#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/specoptions.h"
#include "core/base/headref.h"
#include "core/base/headunit.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/base/ranges.h"
#include "core/results/importanceresult.h"
#include "core/results/pruningresult.h"
#include "core/task/runoptions.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Scores while more and more heads are removed.
namespace headscope {

/// By what heads are removed, those that seem least needed first. All but the random ones rest on data.
inline constexpr std::array<std::string_view, 7> kPruningOrders{
    "importance", "ablation",
    "shapley",   ///< what a head adds to the score
    "relevance", ///< its share of the layer's relevance, by layer-wise relevance propagation (Voita et al. 2019)
    "gating",    ///< how far it facilitates rather than interferes, by gates pulled both ways (Nam 2025)
    "greedy",    ///< the score without each of those that are left, after every removal
    "random"};

struct PruningSpec
{
    RunOptions run{};
    HeadUnit by = HeadUnit::Head;     ///< what is removed at a time: steps, and heads left in a layer, count these
    std::string order = "importance"; ///< one of kPruningOrders, or a file with one head a line
    std::int64_t step = 0;            ///< heads per step; 0 = 10 % of the candidates
    bool reestimate = false;          ///< importance again before every step
    std::vector<HeadKind> kinds{};    ///< candidates; empty = all
    std::int64_t atLeastPerLayer = 0; ///< heads never removed in a layer
    std::int64_t randomOrders = 10;   ///< for order random
    ImportanceReduction reduction = ImportanceReduction::Token;
    ImportanceNormalization normalization = ImportanceNormalization::Layer;
    std::optional<std::int64_t> resamples{};    ///< none: as many as a sweep has
    bool reverse = false;                       ///< the other way round: what seems most needed goes first
    StepRounding rounding = StepRounding::Down; ///< of tenths
    bool orderOnOther = false;                  ///< the order is chosen on the other data slot
    bool eachKind = false; ///< a curve for each kind of attention (of `kinds`) by itself: Michel et al.'s Figure 4
    std::int64_t greedyStep = 1;    ///< order greedy: heads that go in a round, before all others are measured again
    std::int64_t batchExamples = 0; ///< of importance, as in ImportanceSpec
    ExampleLoss exampleLoss = ExampleLoss::Sum;
    bool rescale = false; ///< heads that stay in a layer are scaled: rescaledHeads()
};

/// Whether an order is the name of a file.
inline bool isFileOfOrder(std::string_view order)
{
    return std::ranges::find(kPruningOrders, order) == kPruningOrders.end();
}

/// Whether the order is chosen by data; random ones and files are not.
inline bool isChosenByData(const PruningSpec &spec)
{
    return spec.order != "random" && !isFileOfOrder(spec.order);
}

template<typename Visitor>
void describe(Visitor &visit, PruningSpec &spec)
{
    visit.text(
        "order", spec.order, "NAME|FILE",
        "importance, ablation, shapley, relevance, gating (each as the command of that name has it), random, greedy (at every step the head whose removal leaves the best score, all others "
        "measured anew), or a file with the heads in the order of removal (or a JSON result of ablate, importance or shapley)");
    visit.choice("by", spec.by,
                 "The unit that is removed at a time: heads, or groups of heads that share a key-value head; --step, "
                 "--greedy-step and --at-least count these");
    visit.integer("step", spec.step, IntegerRange{0},
                  "Heads removed between two points; 0 = a tenth of the "
                  "candidates");
    visit.choice("rounding", spec.rounding, "How tenths of the candidates become whole heads");
    visit.flag("reverse", spec.reverse, "Reverse the order: the heads that seem most needed are removed first");
    visit.integer("greedy-step", spec.greedyStep, IntegerRange{1},
                  "For --order greedy: heads to remove before all others are measured again");
    visit.flag(
        "each-kind", spec.eachKind,
        "A curve for each kind of attention (of --kinds) by itself, with percentages of that kind; JSON: \"curves\"");
    visit.flag("reestimate", spec.reestimate, "Estimate importance again before every step");
    visit.flag("rescale", spec.rescale, kRescaleHelp);
    visit.choices("kinds", spec.kinds, "Candidates (default: all)");
    visit.integer("at-least", spec.atLeastPerLayer, IntegerRange{0}, "Heads never removed in a layer");
    visit.integer("random-orders", spec.randomOrders, IntegerRange{1, kMostRepeats}, "For --order random");
    visit.choice("reduction", spec.reduction, "The reduction of importance, as in `importance`");
    visit.choice("normalize", spec.normalization, "The normalisation of importance, as in `importance`");
    visit.integer("batch-examples", spec.batchExamples, IntegerRange{0},
                  "The batches of importance, as in `importance`");
    visit.choice("example-loss", spec.exampleLoss, "The loss of importance, as in `importance`");
    visit.integer(
        "resamples", spec.resamples, IntegerRange{0, kMostResamples},
        "Resamples of the bootstrap intervals and tests, and of the sweep of --order ablation; default: as many as `ablate` has");
}

// parts of the work
inline constexpr Phase kPhaseChoosing{"choosing head %1", MaskCost::OneHead};
inline constexpr Phase kPhaseStep{"measuring a step", MaskCost::ManyHeads};
inline constexpr Phase kPhasePruning{"pruning", MaskCost::ManyHeads};

template<>
struct AnalysisOf<PruningSpec>
{
    using Result = PruningResult;
    static constexpr std::array kPhases{kPhaseChoosing, kPhaseStep, kPhasePruning};
    static constexpr AnalysisInfo kInfo{
        .name = "prune",
        .summary = "Measure the score while more and more heads "
                   "are removed",
        .group = CommandGroup::Needed,
        .example = "prune --model MODEL_DIR --data dev.tsv --export SMALLER_DIR --export-form small",
        .infers = true,
        .keepsWork = true,
        .goesByMetric = true,
        .runsManyMasks = true};
    static constexpr SecondData<PruningSpec> kSecond{
        &PruningSpec::orderOnOther, "order-on",
        "Choose the order on this data set, so that the curve is measured on data that did not influence it"};
    static bool usesSecond(const PruningSpec &spec) { return isChosenByData(spec); }
    /// Refuses importance that is estimated again with heads rescaled (the estimates are of heads that are not), and an
    /// order that there is not. Throws Failure.
    static void check(const PruningSpec &spec);
    static std::string contents(const PruningSpec &spec, const Dataset &dataset, const JobControl &control);
    static PruningResult compute(const PruningSpec &spec, AnalysisInput &input, Manifest manifest,
                                 const JobControl &control, const Publish<PruningResult> &publish);
};

} // namespace headscope
