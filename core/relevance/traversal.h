#pragma once

#include "core/model/transformer.h"
#include "core/relevance/rule.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace headscope {

/// Relevances of one sentence: K traces, one from the model's first choice at every position of the decoder, or one
/// from the largest logit of a classifier (a regression's only output). Each starts with a relevance of 1. Letters
/// as in rule.h.
struct RelevanceTrace
{
    /// Of every attention layer that has heads: Σ R over positions and the head's context, [K, H], float64.
    std::map<std::pair<HeadKind, int>, torch::Tensor> heads;
    torch::Tensor source; ///< Σ|R| over the embedding of every source token, [K, S], float64
    torch::Tensor prefix; ///< likewise of the decoder's input, [K, T]; undefined: a classifier
    torch::Tensor total;  ///< Σ R over all embeddings, [K], float64
    std::vector<std::int64_t> targets; ///< [K] the tokens or the label that were traced
};

/// Walks a Transformer's sub-layers from the output back to the embeddings, by any rule. All traces of a sentence
/// go together: how an operation passes relevance on depends on the forward pass only, so they are rows of the same
/// products. A layer without heads, which adds nothing but a bias, passes everything to its residual.
class Traversal
{
public:
    /// Keeps references to all three. A masked head must have been taken out of the model (removeHeads.h): its
    /// context is nothing, not zeros that a bias could be spread over. `messageNumbers`: instead of the rule's.
    Traversal(const Transformer &model, const PropagationRule &rule, const JobControl &control,
              std::int64_t messageNumbers = 0)
        : m_model(model), m_rule(rule), m_control(control), m_exact{rule.precision(model.dtype())},
          m_messageNumbers(messageNumbers > 0 ? messageNumbers : rule.messageNumbers())
    {
    }

    /// One sentence without padding. `target`: what the decoder reads; of a classifier, nothing. Throws Cancelled.
    RelevanceTrace run(const TokenBatch &source, const TokenBatch *target) const;

private:
    /// Into the numbers that the rule computes in.
    struct Exact
    {
        torch::ScalarType type;
        torch::Tensor operator()(const torch::Tensor &x) const;
        Linear operator()(const Linear &weights) const;
        Norm operator()(const Norm &weights) const;
    };
    struct Attention;

    RelevanceTrace runClassifier(const TokenBatch &source) const;
    RelevanceTrace runTranslation(const TokenBatch &source, const TokenBatch &target) const;
    Memory encode(const TokenBatch &source, Recorder &states, torch::Tensor &beforeNorm) const;
    torch::Tensor throughEncoder(torch::Tensor message, const Recorder &states, const torch::Tensor &beforeNorm,
                                 RelevanceTrace &trace) const;
    torch::Tensor throughFeedForward(const torch::Tensor &hidden, const LayerWeights &layer,
                                     const torch::Tensor &message) const;
    torch::Tensor throughAttention(const Attention &attention, const torch::Tensor &message,
                                   torch::Tensor *memoryMessage, RelevanceTrace &trace) const;
    torch::Tensor throughEmbedding(const Recorder &states, const char *stack, const StackWeights &weights,
                                   torch::Tensor message) const;
    torch::Tensor throughLinear(const torch::Tensor &x, const Linear &weights, const torch::Tensor &message) const;
    torch::Tensor throughNorm(const torch::Tensor &x, const Norm &norm, const torch::Tensor &message) const;

    const Transformer &m_model;
    const PropagationRule &m_rule;
    const JobControl &m_control;
    const Exact m_exact;
    std::int64_t m_messageNumbers;
};

} // namespace headscope
