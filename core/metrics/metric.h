#pragma once

#include "core/base/better.h"
#include "core/base/interval.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Statistics of N examples, K each: values[example * columns + k].
struct StatisticsTable
{
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<double> values;

    StatisticsTable() = default;
    StatisticsTable(std::size_t rows, std::size_t columns) : rows(rows), columns(columns), values(rows * columns, 0) { }
    std::span<double> row(std::size_t i) { return std::span(values).subspan(i * columns, columns); }
    std::span<const double> row(std::size_t i) const { return std::span(values).subspan(i * columns, columns); }
    /// [K], summed over the examples.
    std::vector<double> sums() const;
};

/// A score of a whole data set that is a function of sums over examples: score(Σ statistics).
/// Sums make resampling, paired tests and updates after a change of few examples cheap.
/// All functions are const without hidden state; threads may share a metric.
class Metric
{
public:
    virtual ~Metric() = default;

    virtual std::string name() const = 0;      ///< "BLEU", "accuracy"
    virtual std::string signature() const = 0; ///< sacreBLEU style
    /// K, the number of statistics of an example.
    virtual std::size_t statisticsSize() const = 0;
    /// The score of summed statistics, sums.size() == statisticsSize().
    virtual double score(std::span<const double> sums) const = 0;

    virtual Better better() const { return Better::Higher; }
    /// The lowest and the highest score that there can be, infinite where there is none.
    virtual Interval possible() const
    {
        constexpr double kNone = std::numeric_limits<double>::infinity();
        return {-kNone, kNone};
    }
    /// True if an example is either right or wrong, so that McNemar's test applies: statistics[0] is 1 or 0.
    virtual bool isRightOrWrong() const { return false; }
    /// False for the few scores that are no function of sums (rank correlation): only scoreOf() knows them.
    virtual bool isFunctionOfSums() const { return true; }
    /// The score of a data set that has example i counts[i] times; empty counts: every example once.
    virtual double scoreOf(const StatisticsTable &table, std::span<const std::uint8_t> counts = {}) const;
    /// The scores of several such data sets, counts[set * rows + i]: shares what they have in common.
    virtual std::vector<double> scoresOf(const StatisticsTable &table, std::span<const std::uint8_t> counts) const;
};

/// References of one example in the form a metric compares hypotheses with: made once, used for many hypotheses.
/// Each metric has its own kind; give it back only to the metric that made it. Immutable, so threads may share it.
class PreparedReference
{
public:
    virtual ~PreparedReference() = default;
};

/// A metric of texts.
class TextMetric : public Metric
{
public:
    /// Reference text of one example, UTF-8; several alternatives where the set has them (at least one).
    virtual std::unique_ptr<PreparedReference> prepare(std::span<const std::string_view> references) const = 0;
    /// Writes the K statistics of one example. Precondition: out.size() == statisticsSize().
    virtual void statistics(std::string_view hypothesis, const PreparedReference &reference,
                            std::span<double> out) const = 0;

    std::unique_ptr<PreparedReference> prepare(std::string_view reference) const
    {
        return prepare(std::span<const std::string_view>(&reference, 1));
    }
    /// For a single hypothesis of a reference; prepare() is cheaper where there are several.
    void statistics(std::string_view hypothesis, std::string_view reference, std::span<double> out) const
    {
        statistics(hypothesis, *prepare(reference), out);
    }
};

} // namespace headscope
