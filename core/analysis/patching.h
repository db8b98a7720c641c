#pragma once

#include "core/analysis/patchspec.h"
#include "core/base/jobcontrol.h"
#include "core/engine/workfolder.h"
#include "core/results/manifest.h"
#include "core/results/patchresult.h"
#include "core/task/patchingpairs.h"
#include "core/task/task.h"

namespace headscope {

/// Activation patching of heads, and of heads at positions, over a set of pairs, with attribution patching beside it
/// (Vig et al. 2020; Wang et al. 2022; Nanda 2023). Partial results have fewer pairs. `kept`: where it
/// goes on from what was done before.
PatchResult patch(const Task &task, const PatchingPairs &pairs, const PatchSpec &spec, Manifest manifest,
                  const JobControl &control, const Publish<PatchResult> &publish, const KeptWork &kept = {});

} // namespace headscope
