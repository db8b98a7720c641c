#pragma once

#include "core/analysis/takeoverspec.h"
#include "core/base/jobcontrol.h"
#include "core/results/manifest.h"
#include "core/results/takeoverresult.h"
#include "core/task/patchingpairs.h"
#include "core/task/task.h"

namespace headscope {

/// How direct contributions to the difference of two answers' logits (directEffects()) change when a head is removed,
/// on the clean texts of `pairs`: those of other heads that make good what was lost are backup heads (Wang et al.
/// 2022), all of it together is self-repair (McGrath et al. 2023; Rushing and Nanda 2024). Contexts of resampling are
/// those of other texts, aligned by position from the left. Throws Failure for a head that is not there or is masked.
TakeoverResult takeover(const Task &task, const PatchingPairs &pairs, const TakeoverSpec &spec, Manifest manifest,
                        const JobControl &control);

} // namespace headscope
