#pragma once

#include "core/analysis/findspec.h"
#include "core/analysis/input.h"

#include <string>

namespace headscope {

/// The examples in which a head gives most weight to what is looked for, in one pass over the attention of the data
/// set; tokens that attend are no special ones. What has been found so far is published. Throws Failure for a head that
/// the model does not have, parts of speech without trees or of a text that has none, and a token without a tokenizer.
FindResult compute(const FindSpec &spec, AnalysisInput &input, Manifest manifest, const JobControl &control,
                   const Publish<FindResult> &publish);
/// Throws Failure (usage) without a head, and for more than one thing to look for.
void check(const FindSpec &spec);
/// The trees, which are no part of the data set's hash.
std::string contentOf(const FindSpec &spec, const Dataset &dataset, const JobControl &control);

} // namespace headscope
