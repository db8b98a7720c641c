#pragma once

#include "core/analysis/interactionsspec.h"
#include "core/base/jobcontrol.h"
#include "core/engine/engine.h"
#include "core/engine/workfolder.h"
#include "core/results/interactionsresult.h"
#include "core/results/manifest.h"
#include "core/task/task.h"

namespace headscope {

/// Second differences of the score for pairs of heads: Δ without both − Δ without each, by the paired bootstrap, with
/// Benjamini and Hochberg's correction over the pairs measured (the guide's numbers.md, Patching, circuits, Shapley
/// values). Where there are more pairs than `spec` allows, those with the largest mixed derivative of the loss by the
/// two gates, which |Σ_b g_b,i g_b,j| over examples b stands for (Fisher information instead of the Hessian, as in Kwon
/// et al. 2022). Nothing is published before the end.
InteractionsResult interactions(const Task &task, const InteractionsSpec &spec, Manifest manifest,
                                ResidentBlocks *resident, const JobControl &control, const KeptWork &kept = {});

} // namespace headscope
