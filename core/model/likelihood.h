#pragma once

#include <torch/types.h>

namespace headscope {

/// ln p of `tokens` [N] by `logits` [N, V] → [N].
inline torch::Tensor logProbabilitiesOf(const torch::Tensor &tokens, const torch::Tensor &logits)
{
    return torch::log_softmax(logits, -1).gather(1, tokens.unsqueeze(1)).squeeze(1);
}

} // namespace headscope
