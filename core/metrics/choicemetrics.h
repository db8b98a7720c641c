#pragma once

#include "core/metrics/metric.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// A language model's answer to a question: log-probabilities of its choices, in nats, and how long these are.
struct ChoiceScores
{
    std::span<const double> conditional;   ///< Σ ln p of each choice's tokens, after the question
    std::span<const double> unconditional; ///< the same after nothing but the model's first token
    std::span<const double> characters;    ///< code points of each choice
    std::span<const double> bytes;         ///< in UTF-8
    std::size_t answer = 0;                ///< which choice is right
    bool greedy = false;                   ///< every token of the right one was the likeliest
};

/// A metric of questions.
class ChoiceMetric : public Metric
{
public:
    /// Writes the statistics of one question. Precondition: out.size() == statisticsSize().
    virtual void statistics(const ChoiceScores &scores, std::span<double> out) const = 0;
};

/// Multiple choice as lm-evaluation-harness 0.4.13 scores it; a choice is taken when its score is the highest, the
/// first of equal ones:
///   accuracy         acc there: Σ ln p
///   acc_norm         Σ ln p by the characters of the choice
///   acc_bytes        Σ ln p by its bytes
///   acc_mutual_info  Σ ln p less that without the question
///   log-probability  of the right choice, Σ ln p, mean over questions
///   margin           by which that is above the likeliest wrong one
/// A question of which a score is NaN is wrong. All are functions of sums, accuracy the first.
/// `setting`: what signatures say of how questions are asked; empty: nothing.
std::vector<std::unique_ptr<ChoiceMetric>> choiceMetrics(const std::string &setting = {});

/// Cloze (LAMBADA; Paperno et al. 2016): accuracy (greedy decoding says the word), perplexity (exp of the mean
/// −ln p of the words) and log-probability, as the harness has them.
std::vector<std::unique_ptr<ChoiceMetric>> clozeMetrics(const std::string &setting = {});

} // namespace headscope
