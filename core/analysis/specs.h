#pragma once

#include "core/base/headref.h"
#include "core/base/headunit.h"
#include "core/base/keywindow.h"
#include "core/base/shard.h"
#include "core/results/results.h"
#include "core/task/runoptions.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What can be asked of each analysis: plain values with the defaults that users see.
namespace headscope {

/// For intervals of groups of examples (paradigms of minimal pairs), of which there are many; scores of whole sets:
/// scoreResamples().
inline constexpr std::int64_t kGroupResamples = 1000;

struct AblationSpec
{
    RunOptions run{};
    HeadMask mask{};              ///< heads already masked throughout
    HeadUnit by = HeadUnit::Head; ///< what is removed at a time; masked heads are their whole units too
    bool allButOne = false;
    Replacement replacement = Replacement::Zero;
    std::optional<std::int64_t> resamples{}; ///< none: as many as Holm's correction over all heads needs; 0: no tests
    /// A head is left alone once its delta is known to ± this (half of the 95 % interval, in units of the metric).
    /// 0: every example is used for every head.
    double precision = 0;
    double sampleRatio = 1; ///< size of a resample by that of the data set; compare-mt draws 0.5
    /// Mean and resample: contexts are those of the other data slot, as they should be (METHODS 7.1); else of the
    /// evaluated set itself.
    bool referenceFromOther = false;
    std::int64_t draws = 1; ///< resample: number of random examples that replace each example in turn
    bool rescale = false;   ///< heads that stay in a layer are scaled by its heads over them: rescaledHeads()
    std::optional<std::int64_t> fitExamples{}; ///< optimal: that constants are fitted to; none: kUsualFitExamples
    std::optional<std::int64_t> fitSteps{};    ///< optimal: of the descent; none: kUsualFitSteps
    std::optional<std::int64_t> sinks{};       ///< window: keys from the beginning; none: kUsualSinks
    std::optional<std::int64_t> window{};      ///< window: nearer to the query than this; none: kUsualNeighbours
    // Not what is computed, but how:
    std::string journal{}; ///< a file that keeps what is done, and from which the same sweep goes on; empty: none
    Shard shard{}; ///< the part of it that is computed now, for its journal; its result is of these examples alone
};

inline constexpr std::int64_t kUsualFitExamples = 64;
inline constexpr std::int64_t kUsualFitSteps = 20;
inline std::int64_t fitExamplesOf(const AblationSpec &spec)
{
    return spec.fitExamples.value_or(kUsualFitExamples);
}
inline std::int64_t fitStepsOf(const AblationSpec &spec)
{
    return spec.fitSteps.value_or(kUsualFitSteps);
}
/// What heads see that `spec` narrows.
inline KeyWindow windowOf(const AblationSpec &spec)
{
    return {spec.sinks.value_or(kUsualSinks), spec.window.value_or(kUsualNeighbours)};
}

/// All-but-one ablation of two data sets: each layer's head is chosen by the other slot, and reported on this one
/// (METHODS 1.3).
struct BestHeadsSpec : AblationSpec
{
    bool chooseOnOther = true; ///< else by this set itself, which flatters the heads
};

/// The largest attention weights of heads (METHODS 2.1), in their usual form; RolesSpec has choices.
struct ConfidenceSpec
{
    RunOptions run{};
    HeadUnit by = HeadUnit::Head; ///< whose queries a mean is over
};

struct ImportanceSpec
{
    RunOptions run{};
    HeadMask mask{};
    HeadUnit by = HeadUnit::Head; ///< what a gate is of; masked heads are their whole units too
    ImportanceReduction reduction = ImportanceReduction::Token;
    ImportanceNormalization normalization = ImportanceNormalization::Layer;
    /// Reductions Batch and Fisher: examples of a batch. 0: kUsualBatchExamples, or where run.batchTokens is given, as
    /// many as fit into that.
    std::int64_t batchExamples = 0;
    ExampleLoss exampleLoss = ExampleLoss::Sum;
};
/// Michel et al.'s and Kwon et al.'s scripts have 32; Hugging Face's run_bertology.py has 1, with which Batch is
/// Example.
inline constexpr std::int64_t kUsualBatchExamples = 32;

/// The importance that `spec` (of pruning, of dynamics) goes by.
template<typename Spec>
ImportanceSpec importanceOf(const Spec &spec, const HeadMask &mask = {})
{
    HeadUnit by = HeadUnit::Head;
    if constexpr (requires { spec.by; })
        by = spec.by;
    return {.run = spec.run,
            .mask = mask,
            .by = by,
            .reduction = spec.reduction,
            .normalization = spec.normalization,
            .batchExamples = spec.batchExamples,
            .exampleLoss = spec.exampleLoss};
}

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

/// Kwon et al. (2022): which heads to remove, and by what to scale the others, from gradients alone.
struct SearchSpec
{
    RunOptions run{};
    std::vector<HeadKind> kinds{}; ///< candidates; empty = all
    std::int64_t step = 0;         ///< heads from budget to budget; 0 = 10 % of the candidates
    StepRounding rounding = StepRounding::Down;
    std::int64_t samples = 512;              ///< examples that gradients and factors are taken from; 0 = all
    std::int64_t miniBatch = 32;             ///< examples per gradient
    bool searchOnOther = false;              ///< they are of the other data slot
    std::optional<std::int64_t> resamples{}; ///< none: as many as a sweep has
};

struct EvaluationSpec
{
    RunOptions run{};
    HeadMask mask{};
    HeadUnit by = HeadUnit::Head;            ///< masked heads are their whole units
    std::optional<HeadMask> against{};       ///< compare with this mask, example by example
    bool outputs = false;                    ///< keep every example's output
    bool scores = false;                     ///< and its score, which costs a full decoding
    std::optional<std::int64_t> resamples{}; ///< none: as many as a sweep has; 0: no interval
    bool rescale = false;                    ///< heads that stay in a layer are scaled: rescaledHeads()
};

} // namespace headscope
