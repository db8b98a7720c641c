#pragma once

#include "core/analysis/input.h"

namespace headscope {

/// Energies of query and key projections, and what scores are made of (EnergyResult).
EnergyResult compute(const EnergySpec &spec, AnalysisInput &input, Manifest manifest, const JobControl &control,
                     const Publish<EnergyResult> &publish);

} // namespace headscope
