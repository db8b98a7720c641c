#pragma once

#include "core/analysis/importancespec.h"
#include "core/base/jobcontrol.h"
#include "core/engine/workfolder.h"
#include "core/results/importanceresult.h"
#include "core/results/manifest.h"
#include "core/task/task.h"

#include <cstdint>
#include <vector>

namespace headscope {

/// Head importance I_h = E|∂L/∂ξ_h| from one backward pass per batch (Michel et al. 2019, section 4.1).
/// L is the negative log-likelihood of the reference, summed over an example's tokens (ExampleLoss::Mean: their mean).
/// Before normalisation:
///   Token   Σ_b Σ_t |a_bt| / valid query positions   (Michel's published code)
///   Example Σ_b |Σ_t a_bt| / examples                (the paper's formula)
///   Batch   Σ_batches |Σ_bt a_bt| / examples
///   Fisher  Σ_batches (Σ_bt a_bt)²                   (Kwon et al. 2022, who take a batch's mean loss)
/// with a_bt = ⟨c_bt, ∂L/∂c_bt⟩, the derivative by a gate on that head and position. Batches are examples in an order
/// that the seed decides, spec.batchExamples of them, or as many as fit into run.batchTokens with padding; a batch that
/// takes several passes has the sum of their gradients. Memory, threads and how much runs side by side change none of
/// it. Normalisation: see ImportanceNormalization. A layer of zeros stays zero. Masked heads get 0.
ImportanceResult importance(const Task &task, const ImportanceSpec &spec, Manifest manifest, const JobControl &control,
                            const Publish<ImportanceResult> &publish, const KeptWork &kept = {});

/// ∂L/∂ξ_h of mini-batches: [mini-batches][heads, in the order of the layout].
using HeadGradients = std::vector<std::vector<double>>;

/// Gradients by one gate per head, L the mean loss of `miniBatch` examples (in the order of `ids`; the last mini-batch
/// may be smaller), as Kwon et al. (2022) take them. Without any mask.
HeadGradients miniBatchGradients(const Task &task, const std::vector<std::int64_t> &ids, std::int64_t miniBatch,
                                 const RunOptions &run, const JobControl &control);

} // namespace headscope
