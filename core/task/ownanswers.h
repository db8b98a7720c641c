#pragma once

#include "core/task/patchingpairs.h"
#include "core/task/task.h"

namespace headscope {

/// Pairs of the task's own texts, clean and corrupt alike, whose answer is what the model says and whose wrong answer
/// is what is next likely under `gates`: the label of a classifier, the token that a causal language model guesses
/// behind the whole text, as `predict` says it. Throws Failure for other models. `tokenizer` may be null: tokens are
/// then shown as ids.
PatchingPairs ownAnswers(const Task &task, const Tokenizer *tokenizer, const HeadGates &gates,
                         const JobControl &control);

} // namespace headscope
