#pragma once

#include "core/model/transformer.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace headscope {

/// Mean contexts μ_h of attention layers by their place, "encoder.2.self.context": [H, Dh] each, H the heads that the
/// layer has now. Places that are missing count as zeros.
using MeanContexts = std::map<std::string, torch::Tensor>;

/// The spec of the model without the heads of `mask`. Those that stay keep their addresses, so that heads can be taken
/// out again and again: in two steps or in one, the result is the same. Throws Failure (usage) for a head that is not
/// there.
TransformerSpec specWithout(const TransformerSpec &spec, const HeadMask &mask);

/// Σ of the entries of all tensors that a spec needs, once where layers share them, or where
/// attention and feed-forward layer have one norm.
std::int64_t parameterCount(const TransformerSpec &spec);

/// Takes heads out of an attention (the guide's numbers.md, Removed heads), from those of `spec` to those of `left`:
/// their rows of W_Q and its bias, rows of W_K and W_V that no head reads any longer, their columns of W_O; of shared
/// projections, their rows of the mixing matrix and of the content vectors. Where queries and keys are normed over all
/// heads, all rows of W_Q and W_K stay: the norm counts them. b_O stays, and so does the scale of scores; a layer
/// without any head adds b_O. With means [H, Dh], b_O grows by Σ W_O^(h) μ_h (the guide's numbers.md, Ablation): the
/// same as replacing the contexts of the removed heads by μ_h.
AttentionWeights removeHeads(const AttentionWeights &weights, const AttentionSpec &spec, const AttentionSpec &left,
                             const torch::Tensor &means = {});
/// The model in its unpruned shape with the outputs of the pruned one: W_O gets zeros in the columns of the removed
/// heads.
AttentionWeights silenceHeads(const AttentionWeights &weights, const AttentionSpec &spec, const AttentionSpec &left,
                              const torch::Tensor &means = {});
/// Zeros in the place of the heads of `whole` that `spec` lacks. On the CPU.
AttentionWeights inFullShape(const AttentionWeights &weights, const AttentionSpec &spec, const AttentionSpec &whole);

/// The model without the heads of `mask`: smaller, with the logits of the masked model (to rounding), or, with means,
/// those of mean ablation. Whatever stays the same is shared with `model`. Throws Failure (usage) for a head that is
/// not there.
Transformer withoutHeads(const Transformer &model, const HeadMask &mask, const MeanContexts &means = {});

/// A warning if a cross-attention has no head left: that layer does not see the source.
std::vector<std::string> headWarnings(const HeadLayout &layout);

} // namespace headscope
