#pragma once

#include "core/analysis/input.h"

namespace headscope {

/// McNemar's table of every head (McNemar 1947; METHODS 1.2): examples by whether the model has them right with and
/// without the head. Looks at the outputs of the finished sweep over the heads, where that has run on
/// these data, else runs it. Refuses a metric that does not say right or wrong. Nothing is published before the end.
ContingencyResult compute(const ContingencySpec &spec, AnalysisInput &input, Manifest manifest,
                          const JobControl &control, const Publish<ContingencyResult> &publish);

} // namespace headscope
