#pragma once

#include "core/analysis/confidencespec.h"
#include "core/base/jobcontrol.h"
#include "core/engine/workfolder.h"
#include "core/results/confidenceresult.h"
#include "core/results/manifest.h"
#include "core/task/task.h"

namespace headscope {

/// Confidence of every head (Voita et al. 2019, section 4): the largest attention weight, averaged over
/// query tokens. The decoder of a translation model is forced to the references or, without references, to the model's
/// own greedy output. Special tokens (start, end, padding, [CLS], [SEP]) count neither as queries nor as keys, and the
/// remaining weights are not renormalised; sentences with fewer than two real keys are left out. Of a group that shares
/// a key–value head: the mean over the queries of all its heads, which is the mean of their confidences.
ConfidenceResult confidence(const Task &task, const ConfidenceSpec &spec, Manifest manifest, const JobControl &control,
                            const Publish<ConfidenceResult> &publish, const KeptWork &kept = {});

} // namespace headscope
