#pragma once

#include "core/analysis/neededspec.h"
#include "core/base/jobcontrol.h"
#include "core/data/dataset.h"
#include "core/results/manifest.h"
#include "core/results/neededresult.h"
#include "core/task/task.h"
#include "core/tokenize/tokenizer.h"

namespace headscope {

/// Minimal sets of heads of one example: sufficient ones, with which alone its output stays, and those without which it
/// is another. Small sets come from leaving out what can be left out (minimalset.h): heads can hide each other, so
/// other orders may give other sets. `tokenizer` may be null. Throws Failure for an example, a token or heads that are
/// not there, and for regressions, which have no output to keep.
NeededResult needed(const Task &task, const Dataset &dataset, const Tokenizer *tokenizer, const NeededSpec &spec,
                    Manifest manifest, const JobControl &control);

} // namespace headscope
