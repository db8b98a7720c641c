#pragma once

#include "core/analysis/input.h"
#include "core/engine/engine.h"
#include "core/engine/workfolder.h"

namespace headscope {

/// Second differences of the score for pairs of heads: Δ without both − Δ without each, by the paired bootstrap, with
/// Benjamini and Hochberg's correction over the pairs measured (METHODS 7.12). Where there are more pairs than `spec`
/// allows, those with the largest mixed derivative of the loss by the two gates, which |Σ_b g_b,i g_b,j| over examples
/// b stands for (Fisher information instead of the Hessian, as in Kwon et al. 2022). Nothing is published before the
/// end.
InteractionsResult interactions(const Task &task, const InteractionsSpec &spec, Manifest manifest,
                                ResidentBlocks *resident, const JobControl &control, const KeptWork &kept = {});

InteractionsResult compute(const InteractionsSpec &spec, AnalysisInput &input, Manifest manifest,
                           const JobControl &control, const Publish<InteractionsResult> &publish);

} // namespace headscope
