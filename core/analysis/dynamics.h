#pragma once

#include "core/analysis/input.h"

#include <string>

namespace headscope {

/// What the checkpoints of a training run say of their heads (METHODS 1.8): every number is that of the single analysis
/// on that checkpoint, which is kept on disk and not computed again. Published after every checkpoint. Throws Failure
/// for checkpoints with other heads than the open model's.
DynamicsResult compute(const DynamicsSpec &spec, AnalysisInput &input, Manifest manifest, const JobControl &control,
                       const Publish<DynamicsResult> &publish);
void check(const DynamicsSpec &spec);
std::string contentOf(const DynamicsSpec &spec, const Dataset &dataset, const JobControl &control);

} // namespace headscope
