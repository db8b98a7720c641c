#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/specoptions.h"
#include "core/base/jobcontrol.h"
#include "core/base/phase.h"
#include "core/results/manifest.h"
#include "core/results/weightsresult.h"
#include "core/task/runoptions.h"

#include <array>

namespace headscope {

/// Circuits of heads, by their weights: what they read, write and compose with.
struct WeightsSpec
{
    RunOptions run{};
    bool withoutComposition = false;
    bool values = false; ///< singular values and eigenvalues of every head
};

template<typename Visitor>
void describe(Visitor &visit, WeightsSpec &spec)
{
    visit.flag("without-composition", spec.withoutComposition, "Leave the composition of pairs of heads out");
    visit.flag("values", spec.values, "All singular values and eigenvalues of every head");
}

// parts of the work
inline constexpr Phase kPhaseComposing{"composing heads"};
inline constexpr Phase kPhaseWeights{"looking at weights"};

template<>
struct AnalysisOf<WeightsSpec>
{
    using Result = WeightsResult;
    static constexpr std::array kPhases{kPhaseComposing, kPhaseWeights};
    static constexpr AnalysisInfo kInfo{
        .name = "weights",
        .summary = "Find what the weights of heads copy, match and compose with, without any data: OV and QK circuits",
        .footer
        = "Elhage et al. 2021. No data set is needed. The result: \"heads\" with \"ov\" (what a head writes for what it\n"
          "reads) and \"qk\" (its scores): norm, effective_rank, eigenvalue_score (the sum of eigenvalues by that of\n"
          "their absolute values: near 1 a head copies, or attends to what is like the query), vocabulary_score (the\n"
          "same from tokens to tokens) and bias_norm; \"composition\": how much of what earlier heads write each head's\n"
          "queries, keys and values read, beside that of random matrices (\"random\"). Weights of norms are folded into\n"
          "what reads through them; with rotary positions QK is that of distance 0 (\"rotary\").\n"
          "--format csv: a line per head.",
        .group = CommandGroup::Roles,
        .example = "weights --model MODEL_DIR --out weights.json",
        .needsData = false,
        .needsReferences = false};
    /// OV and QK of every head and the composition of every two (Elhage et al. 2021), by products of Dh × Dh. Nothing
    /// is published before the end.
    static WeightsResult compute(const WeightsSpec &spec, AnalysisInput &input, Manifest manifest,
                                 const JobControl &control, const Publish<WeightsResult> &publish);
};

} // namespace headscope
