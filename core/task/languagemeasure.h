#pragma once

#include "core/metrics/tokenmetrics.h"
#include "core/task/measure.h"

#include <memory>
#include <string>

namespace headscope {

/// How well text was predicted token by token, from what ScoringRunner puts into outputs.
/// `windows`: as tokenMetrics() has it.
std::unique_ptr<Measure> tokenMeasure(TokenContext context, const std::string &windows = {});

} // namespace headscope
