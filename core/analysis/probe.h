#pragma once

#include "core/analysis/input.h"

#include <string>

namespace headscope {

/// Dependency trees read off attention between words (Clark et al. 2019, section 5; METHODS 3.7), trained on the second
/// data set or a part of the first, beside baselines. Of the attention that reads the examples' own text. Refuses data
/// without trees. Nothing is published before the end.
ProbeResult compute(const ProbeSpec &spec, AnalysisInput &input, Manifest manifest, const JobControl &control,
                    const Publish<ProbeResult> &publish);
std::string contentOf(const ProbeSpec &spec, const Dataset &dataset, const JobControl &control);

} // namespace headscope
