#pragma once

#include "core/model/transformer.h"
#include "core/relevance/recordingexecutor.h"
#include "core/relevance/rule.h"
#include "core/relevance/tracedweights.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace headscope {

/// Relevances of one sentence: K traces, one from the model's first choice at each position of the decoder, or one
/// from the largest logit of a classifier (a regression's only output). Each starts with a relevance of 1. Letters
/// as in rule.h.
struct RelevanceTrace
{
    /// For every attention layer that has heads Σ R over positions and the head's context, [K, H], float64.
    std::map<std::pair<HeadKind, int>, torch::Tensor> heads;
    torch::Tensor source; ///< Σ|R| over the embedding of every token of the encoder, [K, S], float64; undefined: none
    torch::Tensor prefix; ///< Σ|R| over the embedding of every token of the decoder's input, [K, T]; undefined: none
    torch::Tensor total;  ///< Σ R over all embeddings, [K], float64
    std::vector<std::int64_t> targets; ///< [K] the tokens or the label that were traced
};

/// Traces a Transformer's outputs back to its embeddings, by any rule: a walk that is recorded on a tape, and the way
/// back along it. All traces of a sentence go together: how an operation passes relevance on depends on the forward
/// pass only, so they are rows of the same products. Threads may share it.
class Traversal
{
public:
    /// Keeps references to all three. Masked heads must have been removed from the model (removeheads.h): their context
    /// must not exist, rather than be zeros that could receive a share of a bias. `messageNumbers`: instead of the
    /// rule's. Throws Failure (usage) for a model without outputs that could be traced back.
    Traversal(const Transformer &model, const PropagationRule &rule, const JobControl &control,
              std::int64_t messageNumbers = 0);

    /// One sentence without padding: what the encoder reads, and what the decoder reads; nothing for a stack that the
    /// model does not have. `from`: the first position of the decoder that is traced; there is one. Throws Cancelled.
    RelevanceTrace run(const TokenBatch *source, const TokenBatch *prefix, std::int64_t from = 0) const;

private:
    struct Forward;
    struct Origin;
    Taped throughStack(Side side, const TokenBatch &tokens, const Taped *memory, Forward &forward) const;
    Origin labelOrigin(const Taped &output, Forward &forward) const;
    Origin tokenOrigin(const Taped &decoded) const;
    torch::Tensor startMessage(const Origin &origin, std::int64_t first, std::int64_t count) const;
    RelevanceTrace traceBack(const Forward &forward, const Origin &origin, std::int64_t first,
                             std::int64_t count) const;
    torch::Tensor exact(const torch::Tensor &x) const { return x.defined() ? x.to(m_weights.type) : x; }

    const Transformer &m_model;
    const PropagationRule &m_rule;
    const JobControl &m_control;
    const TracedWeights m_weights;
    std::int64_t m_messageNumbers;
};

} // namespace headscope
