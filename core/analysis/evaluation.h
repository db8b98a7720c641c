#pragma once

#include "core/analysis/evaluationspec.h"
#include "core/base/jobcontrol.h"
#include "core/engine/engine.h"
#include "core/results/evaluationresult.h"
#include "core/results/manifest.h"
#include "core/task/task.h"

#include <cstdint>
#include <optional>

/// Analyses throw Cancelled and Failure; the session turns both into Results. `manifest` goes into every result,
/// partial ones included.
namespace headscope {

/// The score of the model under one mask, over growing blocks of examples. With `resident` blocks only what the mask
/// changes is computed; without, every example is decoded once. With `scores` a set without references gives outputs
/// and no metrics.
EvaluationResult evaluate(const Task &task, const EvaluationSpec &spec, Manifest manifest, ResidentBlocks *resident,
                          const JobControl &control, const Publish<EvaluationResult> &publish);

/// The primary metric's statistics of every example under the whole model, in the order in which they are visited:
/// equal for models of the same examples.
StatisticsTable wholeModelTable(const Task &task, const RunOptions &run, const JobControl &control);

/// The first example of which the whole model says what is no number (NaN); nothing: there is none.
std::optional<std::int64_t> firstWithoutNumber(const Task &task, const RunOptions &run, const JobControl &control);

} // namespace headscope
