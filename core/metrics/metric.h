#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace headscope {

/// References of one example in the form a metric compares hypotheses with: made once, used for many hypotheses.
/// Each metric has its own kind; give it back only to the metric that made it. Immutable, so threads may share it.
class PreparedReference
{
public:
    virtual ~PreparedReference() = default;
};

/// A score of a whole data set that is a function of sums over examples: score(Σ statistics).
/// That makes resampling, paired tests and updates after a change of few examples cheap.
/// All functions are const without hidden state; threads may share a metric.
class Metric
{
public:
    virtual ~Metric() = default;

    virtual std::string name() const = 0;      ///< "BLEU", "chrF2"
    virtual std::string signature() const = 0; ///< sacreBLEU style
    /// K, the number of statistics of an example.
    virtual std::size_t statisticsSize() const = 0;

    /// Reference text of one example, UTF-8; several alternatives where the set has them (at least one).
    virtual std::unique_ptr<PreparedReference> prepare(std::span<const std::string_view> references) const = 0;
    /// Writes the K statistics of one example. Precondition: out.size() == statisticsSize().
    virtual void statistics(std::string_view hypothesis, const PreparedReference &reference,
                            std::span<double> out) const = 0;
    /// The score of summed statistics, sums.size() == statisticsSize().
    virtual double score(std::span<const double> sums) const = 0;

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
