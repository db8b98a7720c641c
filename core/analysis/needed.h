#pragma once

#include "core/analysis/input.h"
#include "core/analysis/neededspec.h"

namespace headscope {

/// Minimal sets of heads of one example: sufficient ones, with which alone its output stays, and those without which it
/// is another. Small sets come from leaving out what can be left out (minimalset.h): heads can hide each other, so
/// other orders may give other sets. `tokenizer` may be null. Throws Failure for an example, a token or heads that are
/// not there, and for regressions, which have no output to keep.
NeededResult needed(const Task &task, const Dataset &dataset, const Tokenizer *tokenizer, const NeededSpec &spec,
                    Manifest manifest, const JobControl &control);

NeededResult compute(const NeededSpec &spec, AnalysisInput &input, Manifest manifest, const JobControl &control,
                     const Publish<NeededResult> &publish);
/// Throws Failure (usage) without an example, and for --replace resample.
void check(const NeededSpec &spec);

} // namespace headscope
