#include "core/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headscope {

double learningRate(const ScheduleConfig &schedule, std::int64_t step, std::int64_t totalSteps)
{
    const double peak = schedule.learningRate;
    const std::int64_t warmup = schedule.warmupSteps;
    if (step < warmup)
        return peak * static_cast<double>(step) / static_cast<double>(warmup);
    switch (schedule.kind) {
    case ScheduleKind::InverseSqrt:
        return peak * std::sqrt(static_cast<double>(std::max<std::int64_t>(1, warmup)) / static_cast<double>(step));
    case ScheduleKind::Cosine: {
        const double length = static_cast<double>(std::max<std::int64_t>(1, totalSteps - warmup));
        const double progress = std::min(1.0, static_cast<double>(step - warmup) / length);
        return peak * 0.5 * (1 + std::cos(std::numbers::pi * progress));
    }
    case ScheduleKind::Constant:
        break;
    }
    return peak;
}

} // namespace headscope
