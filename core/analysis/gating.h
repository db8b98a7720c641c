#pragma once

#include "core/analysis/gatingspec.h"
#include "core/base/jobcontrol.h"
#include "core/engine/workfolder.h"
#include "core/results/gatingresult.h"
#include "core/results/manifest.h"
#include "core/task/task.h"

namespace headscope {

/// Causal head gating (Nam et al. 2025): gates G = σ(z) of all heads, z fitted by Adam to the mean loss per target
/// token, from a random beginning of each seed; then, from there, with ± λ Σ z added. Its signs here: + pulls to 0
/// (G⁻), − to 1 (G⁺). z stays within ± 4. Facilitation is G⁻, interference 1 − G⁺, irrelevance G⁺ (1 − G⁻). A partial
/// result has fewer seeds.
GatingResult gating(const Task &task, const GatingSpec &spec, Manifest manifest, const JobControl &control,
                    const Publish<GatingResult> &publish, const KeptWork &kept = {});

} // namespace headscope
