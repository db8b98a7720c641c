#pragma once

#include "core/analysis/pathsspec.h"
#include "core/results/manifest.h"
#include "core/task/patchingpairs.h"
#include "core/task/task.h"

namespace headscope {

/// Direct paths between heads over a set of pairs: path patching (Wang et al. 2023) of every sender, receiver and
/// input, or edge attribution by gradients (Syed et al. 2023), with intervals, tests and Benjamini-Hochberg over all of
/// them.
PathsResult paths(const Task &task, const PatchingPairs &pairs, const PathsSpec &spec, Manifest manifest,
                  const JobControl &control, const Publish<PathsResult> &publish = {});

} // namespace headscope
