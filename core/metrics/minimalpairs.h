#pragma once

#include "core/metrics/metric.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// A language model's answer to a minimal pair: log-probabilities of its two whole sentences.
struct PairLikelihoods
{
    double good = 0;
    double bad = 0;
    std::size_t paradigm = 0; ///< which of the paradigms the metric was made for

    /// A tie is wrong, and so is NaN: the model has not told the sentences apart.
    bool isRight() const { return good > bad; }
};

/// A metric of minimal pairs.
class MinimalPairMetric : public Metric
{
public:
    /// Writes the statistics of one pair. Preconditions: out.size() == statisticsSize(), the paradigm exists.
    virtual void statistics(const PairLikelihoods &pair, std::span<double> out) const = 0;
};

/// accuracy: the share of pairs whose better sentence is the likelier one (Warstadt et al. 2020, BLiMP). With more than
/// one paradigm also macro-accuracy: the mean over the paradigms that occur, whatever the number of their pairs. For
/// the accuracy of every paradigm by itself: scoresByGroup().
/// `setting`: what else signatures say of how likely sentences are ("first-token:counted"), empty: nothing.
std::vector<std::unique_ptr<MinimalPairMetric>> minimalPairMetrics(std::size_t paradigms,
                                                                   const std::string &setting = {});

} // namespace headscope
