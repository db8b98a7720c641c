#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/base/headref.h"
#include "core/base/headunit.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/base/ranges.h"
#include "core/results/importanceresult.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>

/// Importance of heads by gradients.
namespace headscope {

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

template<typename Visitor>
void describe(Visitor &visit, ImportanceSpec &spec)
{
    visit.mask("mask", spec.mask);
    visit.choice(
        "by", spec.by,
        "The unit that is estimated: each head, or all heads that share a key-value head as one (masked heads mask "
        "their whole groups too)");
    visit.choice(
        "reduction", spec.reduction,
        "Sum of which the absolute value is taken: every token, example or batch; fisher: the sum over batches of squares "
        "(Fisher information, of which `search` takes the mean over batches). "
        "Which examples are a batch only --seed and the size of batches decide");
    visit.choice(
        "normalize", spec.normalization,
        "layer: divide by the l2 norm of each layer; global: by that of all heads; bertology: by layer, then map all "
        "heads to 0-1, as Hugging Face's script does");
    visit.integer(
        "batch-examples", spec.batchExamples, IntegerRange{0},
        "For batch and fisher: examples in a batch; default: as many as fit into --batch-tokens with padding where that is "
        "given, else 32 as in Michel et al.'s and Kwon et al.'s scripts (Hugging Face's has 1: batch is then example)");
    visit.choice(
        "example-loss", spec.exampleLoss,
        "Whose gradient: the sum of an example's losses over its target tokens, or their mean; of labels the same");
}

// parts of the work
inline constexpr Phase kPhaseImportance{"importance"};

template<>
struct AnalysisOf<ImportanceSpec>
{
    using Result = ImportanceResult;
    static constexpr std::array kPhases{kPhaseImportance};
    static constexpr AnalysisInfo kInfo{.name = "importance",
                                        .summary = "Estimate each head's importance from gradients",
                                        .group = CommandGroup::Needed,
                                        .example = "importance --model MODEL_DIR --source test.en --reference test.fr",
                                        .keepsWork = true};
    static ImportanceResult compute(const ImportanceSpec &spec, AnalysisInput &input, Manifest manifest,
                                    const JobControl &control, const Publish<ImportanceResult> &publish);
};

} // namespace headscope
