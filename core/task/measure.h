#pragma once

#include "core/data/datasource.h"
#include "core/metrics/groups.h"
#include "core/metrics/metric.h"
#include "core/results/results.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// How outputs are measured: sufficient statistics of every example, of which each metric is a function of sums.
/// Immutable; threads may share it.
class Measure
{
public:
    virtual ~Measure() = default;

    /// The task's primary metric first.
    virtual const std::vector<const Metric *> &metrics() const = 0;
    /// out.size() == metrics()[metric]->statisticsSize().
    virtual void statistics(std::size_t metric, const ExampleOutput &output, std::span<double> out) const = 0;
    /// True if the model says the same: the same text, the same labels.
    virtual bool samePrediction(const ExampleOutput &a, const ExampleOutput &b) const = 0;
    virtual bool hasReferences() const = 0;
    /// The error message for a data set without references.
    virtual std::string missingReferences() const = 0;
    /// In the order of the model's labels; none: nothing is classified.
    virtual std::vector<LabelCount> labels() const { return {}; }
    /// Groups of examples with scores of their own (paradigms of minimal pairs); null: none.
    virtual const ExampleGroups *groups() const { return nullptr; }
    /// True for a metric that looks at nothing but predictions, not at numbers behind them: quicker products may then
    /// make them.
    virtual bool isDecidedByPredictions(std::size_t metric) const = 0;
};

/// Whether heads can be judged by a metric: paired tests need sums. Which scores are better does not matter: every
/// analysis uses gain().
inline bool supportsPairedTests(const Metric &metric)
{
    return metric.isFunctionOfSums();
}

} // namespace headscope
