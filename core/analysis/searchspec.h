#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/base/ranges.h"
#include "core/results/pruningresult.h"
#include "core/results/searchresult.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace headscope {

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

template<typename Visitor>
void describe(Visitor &visit, SearchSpec &spec)
{
    visit.choices("kinds", spec.kinds, "Candidates (default: all)");
    visit.integer("step", spec.step, IntegerRange{0},
                  "Heads removed between two budgets; 0 = a tenth of the "
                  "candidates");
    visit.choice("rounding", spec.rounding, "How tenths of the candidates become whole heads");
    visit.integer("samples", spec.samples, IntegerRange{0}, "Examples for gradients and factors; 0 = all");
    visit.integer("mini-batch", spec.miniBatch, IntegerRange{1}, "Examples per gradient");
    visit.integer("resamples", spec.resamples, IntegerRange{0, kMostResamples},
                  "Resamples of the bootstrap intervals and tests; default: as many as `ablate` has");
}

// parts of the work
inline constexpr Phase kPhaseSearching{"searching masks"};
inline constexpr Phase kPhaseMasks{"measuring masks", MaskCost::ManyHeads};

template<>
struct AnalysisOf<SearchSpec>
{
    using Result = SearchResult;
    static constexpr std::array kPhases{kPhaseSearching, kPhaseMasks};
    static constexpr AnalysisInfo kInfo{
        .name = "search",
        .summary = "Find masks from gradients alone: Fisher search, rearrangement, rescaling (Kwon 2022)",
        .footer
        = "The result: \"fisher\" (a value per head: the mean over mini-batches, where importance --reduction fisher has\n"
          "the sum) and \"points\", one per budget, with pruned, fraction,\n"
          "attention_macs (what is left of attention's multiply-adds) and three masks, each on top of the one\n"
          "before: \"search\", \"rearranged\", \"rescaled\", with mask, objective (block Fisher information that is\n"
          "lost), score, delta, ci_low, ci_high; \"rescaled\" has \"scales\", a factor per head that stays.\n"
          "--format csv: a line per budget and mask.",
        .group = CommandGroup::Needed,
        .example = "search --model MODEL_DIR --data dev.tsv --search-on train.tsv",
        .infers = true,
        .keepsWork = true,
        .goesByMetric = true,
        .runsManyMasks = true};
    static constexpr SecondData<SearchSpec> kSecond{
        &SearchSpec::searchOnOther, "search-on",
        "Take gradients and factors from this data set, training data for instance"};
    static SearchResult compute(const SearchSpec &spec, AnalysisInput &input, Manifest manifest,
                                const JobControl &control, const Publish<SearchResult> &publish);
};

} // namespace headscope
