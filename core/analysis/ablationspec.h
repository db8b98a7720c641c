#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/specoptions.h"
#include "core/base/headref.h"
#include "core/base/headunit.h"
#include "core/base/jobcontrol.h"
#include "core/base/keywindow.h"
#include "core/base/phase.h"
#include "core/base/ranges.h"
#include "core/base/shard.h"
#include "core/results/ablationresult.h"
#include "core/results/bestheads.h"
#include "core/results/results.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Scores without each head.
namespace headscope {

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
    /// Mean and resample: contexts are those of the other data slot, as they should be (the guide's numbers.md,
    /// Ablation); else of the evaluated set itself.
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
/// The keys that heads see where `spec` narrows them.
inline KeyWindow windowOf(const AblationSpec &spec)
{
    return {spec.sinks.value_or(kUsualSinks), spec.window.value_or(kUsualNeighbours)};
}

/// All-but-one ablation of two data sets: each layer's head is chosen by the other slot, and reported on this one
/// (Michel et al. 2019, section 3.3).
struct BestHeadsSpec : AblationSpec
{
    bool chooseOnOther = true; ///< else by this set itself, which flatters the heads
};

template<typename Visitor>
void describe(Visitor &visit, AblationSpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.choice(
        "by", spec.by,
        "The unit that is removed at a time: a head, or all heads that share a key-value head (masked heads mask "
        "their whole groups too)");
    visit.flag("all-but-one", spec.allButOne, "Keep each head in turn as the only one of its layer");
    visit.choice(
        "replace", spec.replacement,
        "Replacement of a removed head's context: nothing (zero), its mean, that of other examples (resample), "
        "the constant that makes the loss lowest (optimal: Li and Janson 2024); window: nothing is removed, but "
        "the head sees only the first keys and those near the query (cross-attention is left out)");
    visit.integer(
        "fit-examples", spec.fitExamples, IntegerRange{1, kMostRepeats},
        "For --replace optimal: examples that constants are fitted to, in the order of the seed; default: 64");
    visit.integer("fit-steps", spec.fitSteps, IntegerRange{1, kMostRepeats},
                  "For --replace optimal: steps of the descent, for each head; default: 20");
    visit.integer("sinks", spec.sinks, IntegerRange{0, kLengthRange.most},
                  "For --replace window: keys from the beginning that a head still sees; default: 4");
    visit.integer(
        "window", spec.window, IntegerRange{1, kLengthRange.most},
        "For --replace window: a head still sees the keys at a distance from the query below this (1: its own "
        "only; of a decoder the last so many, of an encoder on both sides); default: 64");
    visit.integer("draws", spec.draws, IntegerRange{1, 1000},
                  "For --replace resample: number of random examples whose contexts replace each example's; results "
                  "average over them");
    visit.real(
        "sample-ratio", spec.sampleRatio, Range{1e-6, 1},
        "Size of a resample by the size of the data set; compare-mt draws 0.5, which makes its tests conservative");
    visit.integer(
        "resamples", spec.resamples, IntegerRange{0, kMostResamples},
        "Resamples of the paired bootstrap, and trials of approximate randomisation; 0 = no tests; default: as many as let a head "
        "be significant after Holm's correction over all heads of the model (80 a head, rounded up to thousands)");
    visit.real("precision", spec.precision, Range{0, kLargestReal},
               "Stop measuring a head once its delta is known to ± X (half of the 95 % interval, in units of the "
               "metric); 0: use every example for every head");
    visit.flag("rescale", spec.rescale, kRescaleHelp);
}

// parts of the work
inline constexpr Phase kPhaseAblating{"ablating heads", MaskCost::OneHead};
inline constexpr Phase kPhaseAllButOne{"keeping one head a layer", MaskCost::OneHead};
inline constexpr Phase kPhaseConstants{"fitting constants"};

template<>
struct AnalysisOf<AblationSpec>
{
    using Result = AblationResult;
    static constexpr std::array kPhases{kPhaseAblating, kPhaseAllButOne, kPhaseConstants};
    static constexpr AnalysisInfo kInfo{
        .name = "ablate",
        .summary = "Score the model without each of its heads in turn",
        .footer = "The result: \"heads\", each with delta: the score without the head minus that of the full model\n"
                  "(\"baseline\"), whatever the metric. Whether a delta above zero is a gain or a loss is said by\n"
                  "the baseline's \"better\": \"higher\" or, for loss and perplexity, \"lower\".",
        .group = CommandGroup::Needed,
        .example = "ablate --model MODEL_DIR --source test.en --reference test.fr --out in.json",
        .needsHeads = false,
        .infers = true,
        .keepsWork = true,
        .goesByMetric = true,
        .runsManyMasks = true};
    static constexpr SecondData<AblationSpec> kSecond{
        &AblationSpec::referenceFromOther, "reference-on",
        "For --replace mean, resample and optimal: the data set that contexts are taken from, or constants fitted to"};
    static bool usesSecond(const AblationSpec &spec) { return takesContexts(spec.replacement); }
    static bool isRemembered(const AblationSpec &spec) { return spec.shard.isAll(); }
    static std::vector<std::string> remarks(const AblationResult &result); ///< heads that changed nothing
    static void check(const AblationSpec &spec);
    static AblationResult compute(const AblationSpec &spec, AnalysisInput &input, Manifest manifest,
                                  const JobControl &control, const Publish<AblationResult> &publish);
};

template<>
struct AnalysisOf<BestHeadsSpec>
{
    using Result = BestHeadsResult;
    static constexpr AnalysisInfo kInfo{.name = "ablate",
                                        .summary = "",
                                        .hasCommand = false,
                                        .needsHeads = false,
                                        .infers = true,
                                        .goesByMetric = true,
                                        .runsManyMasks = true};
    static constexpr SecondData<BestHeadsSpec> kSecond{
        &BestHeadsSpec::chooseOnOther, "choose-on",
        "For --all-but-one: choose each layer's best head on this data set, and report that head; the result (\"result\": "
        "\"best-heads\") has a line per layer: chosen_delta, then what `ablate` says of the head, and the whole row"};
    static BestHeadsSpec canonical(BestHeadsSpec spec)
    {
        spec.allButOne = true;
        return spec;
    }
    static BestHeadsResult compute(const BestHeadsSpec &spec, AnalysisInput &input, Manifest manifest,
                                   const JobControl &control, const Publish<BestHeadsResult> &publish);
};

} // namespace headscope
