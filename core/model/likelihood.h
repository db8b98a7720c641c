#pragma once

#include <torch/types.h>

namespace headscope {

/// ln p of `tokens` [N] by `logits` [N, V] → [N] in double precision; gradients flow into the logits. The sum over the
/// vocabulary is taken of exp(logit − largest) in the logits' own precision (float32 at least), pairwise, everything
/// behind it in double: LibTorch's log_softmax adds up in float32, lane by lane, which is wrong by 1e-5 for
/// vocabularies of 50,000 tokens.
torch::Tensor logProbabilitiesOf(const torch::Tensor &tokens, const torch::Tensor &logits);

} // namespace headscope
