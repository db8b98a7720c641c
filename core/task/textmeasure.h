#pragma once

#include "core/metrics/metric.h"
#include "core/task/measure.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// Generated texts against references.
class TextMeasure final : public Measure
{
public:
    /// `references`: of each example, at least one; no rows: there are none, which `missing` explains.
    TextMeasure(std::vector<std::unique_ptr<TextMetric>> metrics,
                const std::vector<std::vector<std::string>> &references, std::string missing);

    const std::vector<const Metric *> &metrics() const override { return m_metrics; }
    void statistics(std::size_t metric, const ExampleOutput &output, std::span<double> out) const override;
    bool samePrediction(const ExampleOutput &a, const ExampleOutput &b) const override { return a.tokens == b.tokens; }
    bool hasReferences() const override { return !m_references.front().empty(); }
    std::string missingReferences() const override { return m_missing; }
    bool isDecidedByPredictions(std::size_t) const override { return true; }

private:
    std::string m_missing;
    std::vector<std::unique_ptr<TextMetric>> m_textMetrics;
    std::vector<const Metric *> m_metrics;                                     ///< views of the metrics above
    std::vector<std::vector<std::unique_ptr<PreparedReference>>> m_references; ///< per metric, per example
};

} // namespace headscope
