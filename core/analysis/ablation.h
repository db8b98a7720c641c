#pragma once

#include "core/analysis/ablationspec.h"
#include "core/base/jobcontrol.h"
#include "core/engine/engine.h"
#include "core/engine/workfolder.h"
#include "core/results/ablationresult.h"
#include "core/results/manifest.h"
#include "core/task/task.h"

#include <functional>

namespace headscope {

/// Removes one head at a time (or all others of its layer) and measures by how much the score changes
/// (Michel et al. 2019, sections 3.2 and 3.3), with a paired bootstrap for every head.
/// Beside its p stand approximate randomisation, the paired t-test and McNemar's exact test (complete results only).
/// Partial results cover the same examples for every head they contain: heads appear one by one on the first block of
/// examples, from then on all of them refine together after every block.
/// `reference`: the set that mean and resample take contexts from; none: the evaluated one. With several draws
/// (resample) the statistics of an example are the mean over its draws. `kept`: where the sweep goes on from what was
/// done before, unless the spec names a journal. `onDone` hears what a complete sweep came to, example by example.
AblationResult ablate(const Task &task, const AblationSpec &spec, Manifest manifest, ResidentBlocks *resident,
                      const JobControl &control, const Publish<AblationResult> &publish,
                      const Task *reference = nullptr, const KeptWork &kept = {},
                      const std::function<void(const EngineState &)> &onDone = {});

} // namespace headscope
