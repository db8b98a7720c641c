#pragma once

#include "core/analysis/input.h"

namespace headscope {

/// OV and QK of every head and the composition of every two (Elhage et al. 2021), by products of Dh × Dh. Nothing is
/// published before the end.
WeightsResult compute(const WeightsSpec &spec, AnalysisInput &input, Manifest manifest, const JobControl &control,
                      const Publish<WeightsResult> &publish);

} // namespace headscope
