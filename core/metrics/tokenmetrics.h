#pragma once

#include "core/metrics/metric.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// A language model's answer to one example (a line, a document, a window), summed over the tokens that count.
struct TokenSums
{
    double negativeLogLikelihood = 0; ///< nats
    std::int64_t tokens = 0;
    std::int64_t right = 0; ///< tokens that the model thought likeliest
};

/// A metric of tokens that were predicted one by one. Examples count by their tokens, so that a score does not depend
/// on how a text was cut; intervals and tests resample examples, whose tokens are not independent of each other.
class TokenMetric : public Metric
{
public:
    /// Writes the statistics of one example. Precondition: out.size() == statisticsSize().
    virtual void statistics(const TokenSums &sums, std::span<double> out) const = 0;
};

/// From what a token was predicted.
enum class TokenContext {
    Before,    ///< the tokens before it: causal language models
    Around,    ///< all others, itself masked, one token at a time (Salazar et al. 2020): masked-token models
    Reference, ///< the source and the reference so far: translations that are made to say their references
};

/// The metrics of a kind of model, the primary one first, all functions of sums. A score of no tokens is NaN.
///   Before:    perplexity (exp of the mean loss), loss (mean over tokens, nats), accuracy (of the next token)
///   Around:    pseudo-perplexity, loss, accuracy (of the masked token)
///   Reference: loss, perplexity, token-accuracy: "accuracy" would be taken for that of whole outputs
/// `windows`: how long texts were cut, for signatures; empty: they were not.
std::vector<std::unique_ptr<TokenMetric>> tokenMetrics(TokenContext context, const std::string &windows = {});

} // namespace headscope
