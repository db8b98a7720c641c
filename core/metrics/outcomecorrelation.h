#pragma once

#include "core/metrics/outcome.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Correlation of the model's numbers with the right ones. 0 where it is not defined (one side is constant): a model
/// that always says the same knows nothing. NaN when a number is NaN or infinite.
namespace headscope {

/// Statistics: 1, x, y, x², y², xy. scoreOf() takes two passes instead and loses no digits.
class PearsonMetric final : public OutcomeMetric
{
public:
    bool isDecidedByPredictions() const override { return false; }
    std::string name() const override { return "Pearson"; }
    Interval possible() const override { return {-1, 1}; }
    std::string signature() const override;
    std::size_t statisticsSize() const override { return 6; }
    double score(std::span<const double> sums) const override;
    double scoreOf(const StatisticsTable &table, std::span<const std::uint8_t> counts = {}) const override;
    void statistics(const Outcome &outcome, std::span<double> out) const override;
};

/// Pearson's correlation of mean ranks. Statistics: x, y; score() is NaN.
class SpearmanMetric final : public OutcomeMetric
{
public:
    bool isDecidedByPredictions() const override { return false; }
    std::string name() const override { return "Spearman"; }
    Interval possible() const override { return {-1, 1}; }
    std::string signature() const override;
    std::size_t statisticsSize() const override { return 2; }
    bool isFunctionOfSums() const override { return false; }
    double score(std::span<const double> sums) const override;
    double scoreOf(const StatisticsTable &table, std::span<const std::uint8_t> counts = {}) const override;
    std::vector<double> scoresOf(const StatisticsTable &table, std::span<const std::uint8_t> counts) const override;
    void statistics(const Outcome &outcome, std::span<double> out) const override;
};

} // namespace headscope
