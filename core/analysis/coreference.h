#pragma once

#include "core/analysis/coreferencespec.h"
#include "core/analysis/input.h"

#include <string>

namespace headscope {

/// Accuracy of every head as one that chooses antecedents (Clark et al. 2019, section 4.3; METHODS 3.6), in one pass
/// over the documents. Refuses a data set without coreference, and a model folder without a tokenizer. Nothing is
/// published before the end.
CoreferenceResult compute(const CoreferenceSpec &spec, AnalysisInput &input, Manifest manifest,
                          const JobControl &control, const Publish<CoreferenceResult> &publish);
/// The mentions, which are no part of the data set's hash.
std::string contentOf(const CoreferenceSpec &spec, const Dataset &dataset, const JobControl &control);

} // namespace headscope
