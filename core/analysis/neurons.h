#pragma once

#include "core/analysis/sentenceinput.h"
#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/results/attentionresult.h"
#include "core/results/neuronresult.h"

namespace headscope {

/// Queries, keys, scores and weights of one head on the sentence that `shown` is of, its decoder reading the same
/// tokens, by a pass that ends at the head's layer. Throws Failure where the model has no such head.
NeuronResult neurons(const Transformer &model, const Tokenizer &tokenizer, const AttentionResult &shown,
                     const HeadRef &head, const HeadMask &mask, Manifest manifest, const JobControl &control);

} // namespace headscope
