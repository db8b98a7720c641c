#pragma once

#include "core/base/problemtype.h"
#include "core/metrics/metric.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// A classifier's answer to one example, beside the right one.
struct Outcome
{
    std::vector<int> labels;    ///< right classes: one; any number when multi-label
    std::vector<int> predicted; ///< classes, as many as labels can be
    double wanted = 0;          ///< regression: the right number
    double value = 0;           ///< and the model's
    double loss = 0;            ///< cross-entropy, binary cross-entropy (mean over labels) or squared error
};

/// A metric of outcomes.
class OutcomeMetric : public Metric
{
public:
    /// Writes the statistics of one example. Precondition: out.size() == statisticsSize().
    virtual void statistics(const Outcome &outcome, std::span<double> out) const = 0;
    /// False if it looks at more than the predicted labels.
    virtual bool isDecidedByPredictions() const { return true; }
};

/// The metrics of a problem, the primary one first. `classes`: names of the classes that are told apart (of the data,
/// where several labels of the model count as one).
///   single label: accuracy, F1 (two classes: of class 1; more: macro), Matthews (Gorodkin's R_K), loss
///   multi-label:  F1 (micro), macro-F1, accuracy (exact match), loss
///   regression:   Pearson, Spearman, loss (mean squared error)
std::vector<std::unique_ptr<OutcomeMetric>> outcomeMetrics(ProblemType problem,
                                                           const std::vector<std::string> &classes);

} // namespace headscope
