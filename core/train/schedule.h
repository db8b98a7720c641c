#pragma once

#include "core/train/trainingconfig.h"

#include <cstdint>

namespace headscope {

/// The learning rate of update `step` (from 1) of `totalSteps`. During the warm-up it rises linearly; then it falls
/// with 1/√step (Vaswani et al. 2017, eq. 3, scaled to its peak), as half a cosine to zero at totalSteps
/// (Loshchilov and Hutter 2017), or stays.
double learningRate(const ScheduleConfig &schedule, std::int64_t step, std::int64_t totalSteps);

} // namespace headscope
