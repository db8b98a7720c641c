#pragma once

#include "core/analysis/speedspec.h"
#include "core/base/jobcontrol.h"
#include "core/results/manifest.h"
#include "core/results/speedresult.h"
#include "core/task/task.h"

namespace headscope {

/// Examples per second of the model, of the model under a mask, and of the model without the masked heads, on the plain
/// LibTorch path: one forward pass per batch for classifiers, one search (greedy or beams, by the run's decoding) for
/// translation. Inputs lie on the device before the clock starts; results stay there, and the device is waited for. All
/// threads work on the current batch. Throws Cancelled or Failure.
///
/// Precondition: spec.mask.
SpeedResult measureSpeed(const Task &task, const SpeedSpec &spec, Manifest manifest, const JobControl &control,
                         const Publish<SpeedResult> &publish);

} // namespace headscope
