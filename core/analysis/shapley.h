#pragma once

#include "core/analysis/shapleyspec.h"
#include "core/base/jobcontrol.h"
#include "core/engine/engine.h"
#include "core/engine/workfolder.h"
#include "core/results/manifest.h"
#include "core/results/shapleyresult.h"
#include "core/task/task.h"

namespace headscope {

/// Shapley values of heads (Shapley 1953; of attention heads: Held and Yang 2023) by sampling orders of removal
/// (Castro et al. 2009) in antithetic pairs (Mitchell et al. 2022), cut short where `spec` says so (Ghorbani and Zou
/// 2019); exact by all sets of heads where these are few. Whatever was sampled, the values sum to score of all − score
/// of none. Partial results have fewer orders.
ShapleyResult shapley(const Task &task, const ShapleySpec &spec, Manifest manifest, ResidentBlocks *resident,
                      const JobControl &control, const Publish<ShapleyResult> &publish, const KeptWork &kept = {});

} // namespace headscope
