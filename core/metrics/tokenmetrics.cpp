#include "core/metrics/tokenmetrics.h"

#include "core/metrics/undefined.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace headscope {

namespace {

const char *nameOf(TokenContext context)
{
    constexpr std::array<const char *, 3> kNames{"before", "around", "reference"};
    return kNames[static_cast<std::size_t>(context)];
}

/// The beginning of signatures.
std::string averageOf(TokenContext context, const std::string &windows)
{
    return fmt::format("context:{}|average:tokens{}", nameOf(context), windows.empty() ? "" : "|windows:" + windows);
}

/// Σ / tokens; of no tokens nothing can be said.
double perToken(std::span<const double> sums)
{
    return sums[1] > 0 ? sums[0] / sums[1] : kUndefined;
}

/// A metric by −log p. Statistics: Σ −log p, tokens.
class LikelihoodMetric : public TokenMetric
{
public:
    LikelihoodMetric(TokenContext context, const std::string &windows)
        : m_context(context), m_average(averageOf(context, windows))
    {
    }

    Better better() const override { return Better::Lower; }
    std::size_t statisticsSize() const override { return 2; }

    void statistics(const TokenSums &sums, std::span<double> out) const override
    {
        out[0] = sums.negativeLogLikelihood;
        out[1] = static_cast<double>(sums.tokens);
    }

protected:
    std::string signatureOf(const char *unit) const
    {
        return fmt::format("{}|unit:{}|impl:headscope", m_average, unit);
    }

    const TokenContext m_context;
    const std::string m_average;
};

class TokenLossMetric final : public LikelihoodMetric
{
public:
    using LikelihoodMetric::LikelihoodMetric;
    std::string name() const override { return "loss"; }
    std::string signature() const override { return signatureOf("nats"); }
    double score(std::span<const double> sums) const override { return perToken(sums); }
    Interval possible() const override { return {0, std::numeric_limits<double>::infinity()}; }
};

class PerplexityMetric final : public LikelihoodMetric
{
public:
    using LikelihoodMetric::LikelihoodMetric;
    std::string name() const override { return m_context == TokenContext::Around ? "pseudo-perplexity" : "perplexity"; }
    std::string signature() const override { return signatureOf("tokens"); }
    double score(std::span<const double> sums) const override { return std::exp(perToken(sums)); }
    Interval possible() const override { return {1, std::numeric_limits<double>::infinity()}; }
};

/// The share of tokens that the model thought likeliest. Statistics: right, tokens. An example has many tokens, so
/// tests of right and wrong examples do not apply.
class TokenAccuracyMetric final : public TokenMetric
{
public:
    TokenAccuracyMetric(TokenContext context, const std::string &windows)
        : m_context(context), m_average(averageOf(context, windows))
    {
    }

    std::string name() const override { return m_context == TokenContext::Reference ? "token-accuracy" : "accuracy"; }
    std::string signature() const override { return m_average + "|impl:headscope"; }
    std::size_t statisticsSize() const override { return 2; }
    double score(std::span<const double> sums) const override { return perToken(sums); }
    Interval possible() const override { return {0, 1}; }

    void statistics(const TokenSums &sums, std::span<double> out) const override
    {
        out[0] = static_cast<double>(sums.right);
        out[1] = static_cast<double>(sums.tokens);
    }

private:
    TokenContext m_context;
    std::string m_average;
};

} // namespace

std::vector<std::unique_ptr<TokenMetric>> tokenMetrics(TokenContext context, const std::string &windows)
{
    std::vector<std::unique_ptr<TokenMetric>> metrics;
    metrics.push_back(std::make_unique<PerplexityMetric>(context, windows));
    metrics.push_back(std::make_unique<TokenLossMetric>(context, windows));
    if (context == TokenContext::Reference)
        std::swap(metrics[0], metrics[1]);
    metrics.push_back(std::make_unique<TokenAccuracyMetric>(context, windows));
    return metrics;
}

} // namespace headscope
