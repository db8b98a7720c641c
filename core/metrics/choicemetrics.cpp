#include "core/metrics/choicemetrics.h"

#include "core/metrics/undefined.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>

namespace headscope {
namespace {

using ScoreOfChoice = std::function<double(const ChoiceScores &, std::size_t choice)>;

/// Whether the right choice has the highest score, and is the first that has it.
bool takesAnswer(const ChoiceScores &scores, const ScoreOfChoice &scoreOf)
{
    const double own = scoreOf(scores, scores.answer);
    for (std::size_t choice = 0; choice < scores.conditional.size(); ++choice) {
        const double other = scoreOf(scores, choice);
        const bool isBelow = choice < scores.answer ? other < own : other <= own; // false of NaN
        if (choice != scores.answer && !isBelow)
            return false;
    }
    return !std::isnan(own);
}

/// Statistics: right, 1.
class RightMetric final : public ChoiceMetric
{
public:
    RightMetric(std::string name, std::string signature, std::function<bool(const ChoiceScores &)> isRight)
        : m_name(std::move(name)), m_signature(std::move(signature)), m_isRight(std::move(isRight))
    {
    }

    std::string name() const override { return m_name; }
    std::string signature() const override { return m_signature; }
    std::size_t statisticsSize() const override { return 2; }
    bool isRightOrWrong() const override { return true; }
    double score(std::span<const double> sums) const override { return sums[1] > 0 ? sums[0] / sums[1] : kUndefined; }
    Interval possible() const override { return {0, 1}; }
    void statistics(const ChoiceScores &scores, std::span<double> out) const override
    {
        out[0] = m_isRight(scores);
        out[1] = 1;
    }

private:
    std::string m_name;
    std::string m_signature;
    std::function<bool(const ChoiceScores &)> m_isRight;
};

/// Statistics: a number of the question, 1. The score is their mean, or for a perplexity exp of less it.
class MeanMetric final : public ChoiceMetric
{
public:
    MeanMetric(std::string name, std::string signature, std::function<double(const ChoiceScores &)> number,
               bool isPerplexity = false)
        : m_name(std::move(name)), m_signature(std::move(signature)), m_number(std::move(number)),
          m_isPerplexity(isPerplexity)
    {
    }

    std::string name() const override { return m_name; }
    std::string signature() const override { return m_signature; }
    std::size_t statisticsSize() const override { return 2; }
    Better better() const override { return m_isPerplexity ? Better::Lower : Better::Higher; }
    double score(std::span<const double> sums) const override
    {
        if (!(sums[1] > 0))
            return kUndefined;
        const double mean = sums[0] / sums[1];
        return m_isPerplexity ? std::exp(-mean) : mean;
    }
    void statistics(const ChoiceScores &scores, std::span<double> out) const override
    {
        out[0] = m_number(scores);
        out[1] = 1;
    }

private:
    std::string m_name;
    std::string m_signature;
    std::function<double(const ChoiceScores &)> m_number;
    bool m_isPerplexity;
};

double likelihoodOf(const ChoiceScores &scores)
{
    return scores.conditional[scores.answer];
}

double marginOf(const ChoiceScores &scores)
{
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t choice = 0; choice < scores.conditional.size(); ++choice) {
        if (choice != scores.answer)
            best = std::max(best, scores.conditional[choice]);
    }
    return likelihoodOf(scores) - best;
}

std::string signatureOf(std::string_view kind, std::string_view by, const std::string &setting)
{
    return fmt::format("{}|{}{}{}|impl:headscope", kind, by, setting.empty() ? "" : "|", setting);
}

} // namespace

std::vector<std::unique_ptr<ChoiceMetric>> choiceMetrics(const std::string &setting)
{
    std::vector<std::unique_ptr<ChoiceMetric>> metrics;
    const auto addAccuracy = [&](const char *name, const char *by, ScoreOfChoice scoreOf) {
        metrics.push_back(std::make_unique<RightMetric>(
            name, signatureOf("choices", by, setting),
            [scoreOf = std::move(scoreOf)](const ChoiceScores &scores) { return takesAnswer(scores, scoreOf); }));
    };
    addAccuracy("accuracy", "score:log-probability",
                [](const ChoiceScores &of, std::size_t choice) { return of.conditional[choice]; });
    addAccuracy("acc_norm", "score:by characters", [](const ChoiceScores &of, std::size_t choice) {
        return of.conditional[choice] / of.characters[choice];
    });
    addAccuracy("acc_bytes", "score:by bytes",
                [](const ChoiceScores &of, std::size_t choice) { return of.conditional[choice] / of.bytes[choice]; });
    addAccuracy("acc_mutual_info", "score:less unconditional", [](const ChoiceScores &of, std::size_t choice) {
        return of.conditional[choice] - of.unconditional[choice];
    });
    metrics.push_back(
        std::make_unique<MeanMetric>("log-probability", signatureOf("choices", "of:answer", setting), likelihoodOf));
    metrics.push_back(
        std::make_unique<MeanMetric>("margin", signatureOf("choices", "of:answer and best other", setting), marginOf));
    return metrics;
}

std::vector<std::unique_ptr<ChoiceMetric>> clozeMetrics(const std::string &setting)
{
    std::vector<std::unique_ptr<ChoiceMetric>> metrics;
    metrics.push_back(std::make_unique<RightMetric>("accuracy", signatureOf("cloze", "word:greedy", setting),
                                                    [](const ChoiceScores &scores) { return scores.greedy; }));
    metrics.push_back(
        std::make_unique<MeanMetric>("perplexity", signatureOf("cloze", "of:words", setting), likelihoodOf, true));
    metrics.push_back(
        std::make_unique<MeanMetric>("log-probability", signatureOf("cloze", "of:words", setting), likelihoodOf));
    return metrics;
}

} // namespace headscope
