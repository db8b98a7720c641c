#pragma once

#include "core/analysis/similarityspec.h"
#include "core/base/jobcontrol.h"
#include "core/results/manifest.h"
#include "core/results/similarityresult.h"
#include "core/task/task.h"
#include "core/tokenize/tokenizer.h"

namespace headscope {

/// Distances between all heads of a kind of attention over a data set, and their surface statistics (Clark et al. 2019,
/// sections 3 and 6): one pass in which attention is looked at and forgotten; what is kept is a
/// value per pair of heads, and two per example and layer. Nothing is published before the end.
SimilarityResult similarity(const Task &task, const Tokenizer *tokenizer, const SimilaritySpec &spec, Manifest manifest,
                            const JobControl &control);

} // namespace headscope
