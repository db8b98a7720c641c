#pragma once

#include "core/analysis/input.h"

namespace headscope {

/// Distances between all heads of a kind of attention over a data set, and their surface statistics (Clark et al. 2019,
/// sections 3 and 6; METHODS 3.2, 3.3, 3.8): one pass in which attention is looked at and forgotten; what is kept is a
/// value per pair of heads, and two per example and layer. Nothing is published before the end.
SimilarityResult similarity(const Task &task, const Tokenizer *tokenizer, const SimilaritySpec &spec, Manifest manifest,
                            const JobControl &control);

SimilarityResult compute(const SimilaritySpec &spec, AnalysisInput &input, Manifest manifest, const JobControl &control,
                         const Publish<SimilarityResult> &publish);

} // namespace headscope
