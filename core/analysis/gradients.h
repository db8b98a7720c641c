#pragma once

#include "core/analysis/gradientsspec.h"
#include "core/base/jobcontrol.h"
#include "core/results/gradientsresult.h"
#include "core/results/manifest.h"
#include "core/task/task.h"
#include "core/tokenize/tokenizer.h"

namespace headscope {

/// Derivatives of the loss by attention weights, by class of key (Clark et al. 2019, section 3.2). L is
/// the loss of an example as importance() takes it. One backward pass gives ∂L/∂c of every context c = P v, and
/// ∂L/∂P_ts = ⟨∂L/∂c_t, v_s⟩: what changes if this weight alone does, rows then not summing to 1. Σ_s P_ts ∂L/∂P_ts is
/// the derivative by a gate on the head and token, of which importance is the mean absolute value. Rows of padding are
/// left out, all other tokens are queries. `tokenizer` may be null: then nothing is punctuation. Nothing is published
/// before the end.
AttentionGradientsResult attentionGradients(const Task &task, const Tokenizer *tokenizer,
                                            const AttentionGradientsSpec &spec, Manifest manifest,
                                            const JobControl &control);

} // namespace headscope
