#pragma once

#include "core/metrics/tokenmetrics.h"
#include "core/task/measure.h"

#include <memory>

namespace headscope {

/// How well text was predicted token by token, from what ScoringRunner puts into outputs.
std::unique_ptr<Measure> tokenMeasure(TokenContext context);

} // namespace headscope
