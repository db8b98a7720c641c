#include "core/metrics/outcome.h"

#include "core/metrics/outcomecorrelation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope {

namespace {

/// The fraction of examples whose set of labels is the right one. Statistics: right, and 1 for each example whose
/// labels are known (an example without labels is not counted; when multi-label, no label is an answer too).
class AccuracyMetric final : public OutcomeMetric
{
public:
    AccuracyMetric(ProblemType problem, std::size_t classes) : m_problem(problem), m_classes(classes) { }

    std::string name() const override { return "accuracy"; }
    std::string signature() const override
    {
        return fmt::format("classes:{}{}|impl:headscope", m_classes,
                           m_problem == ProblemType::MultiLabel ? "|match:exact" : "");
    }
    std::size_t statisticsSize() const override { return 2; }
    bool isRightOrWrong() const override { return true; }

    double score(std::span<const double> sums) const override { return sums[1] > 0 ? sums[0] / sums[1] : 0; }
    Interval possible() const override { return {0, 1}; }

    void statistics(const Outcome &outcome, std::span<double> out) const override
    {
        const bool isKnown = m_problem == ProblemType::MultiLabel || !outcome.labels.empty();
        out[0] = isKnown && includes(outcome.labels, outcome.predicted) && includes(outcome.predicted, outcome.labels);
        out[1] = isKnown;
    }

private:
    /// Compares sets: a class is there twice when two of the model's labels mean it.
    static bool includes(const std::vector<int> &all, const std::vector<int> &some)
    {
        return std::all_of(some.begin(), some.end(),
                           [&](int label) { return std::find(all.begin(), all.end(), label) != all.end(); });
    }

    ProblemType m_problem;
    std::size_t m_classes;
};

/// Metrics of how often classes are right, predicted, and both: three statistics per class, in this order. Few are
/// not zero in a row, so that many classes stay cheap.
class ClassCountMetric : public OutcomeMetric
{
public:
    ClassCountMetric(ProblemType problem, std::size_t classes) : m_problem(problem), m_classes(classes) { }

    std::size_t statisticsSize() const override { return 3 * m_classes; }

    void statistics(const Outcome &outcome, std::span<double> out) const override
    {
        std::fill(out.begin(), out.end(), 0);
        if (m_problem == ProblemType::SingleLabel && outcome.labels.empty())
            return;
        for (const int label : outcome.labels)
            out[3 * static_cast<std::size_t>(label)] = 1;
        for (const int label : outcome.predicted) {
            const auto k = 3 * static_cast<std::size_t>(label);
            out[k + 1] = 1;
            out[k + 2] = out[k];
        }
    }

protected:
    const ProblemType m_problem;
    const std::size_t m_classes;
};

enum class Average { Binary, Micro, Macro };

/// F1 as scikit-learn's with zero_division=0. Macro: the mean over the classes that occur as label or prediction;
/// when multi-label over all.
class F1Metric final : public ClassCountMetric
{
public:
    F1Metric(ProblemType problem, const std::vector<std::string> &classes, Average average, std::string name)
        : ClassCountMetric(problem, classes.size()), m_average(average), m_name(std::move(name)),
          m_positive(average == Average::Binary ? classes[1] : std::string())
    {
    }

    std::string name() const override { return m_name; }
    Interval possible() const override { return {0, 1}; }

    std::string signature() const override
    {
        const std::string average = m_average == Average::Binary ? "binary|positive:" + m_positive
                                  : m_average == Average::Micro  ? "micro"
                                                                 : "macro";
        return fmt::format("classes:{}|average:{}|zero:0|impl:headscope", m_classes, average);
    }

    double score(std::span<const double> sums) const override
    {
        switch (m_average) {
        case Average::Binary:
            return f1(sums.subspan(3, 3));
        case Average::Micro: {
            double total[3] = {};
            for (std::size_t i = 0; i < sums.size(); ++i)
                total[i % 3] += sums[i];
            return f1(total);
        }
        case Average::Macro:
            break;
        }
        double sum = 0;
        double classes = 0;
        for (std::size_t k = 0; k < m_classes; ++k) {
            const auto counts = sums.subspan(3 * k, 3);
            sum += f1(counts);
            classes += m_problem == ProblemType::MultiLabel || counts[0] + counts[1] > 0;
        }
        return classes > 0 ? sum / classes : 0;
    }

private:
    static double f1(std::span<const double> counts)
    {
        const double both = counts[0] + counts[1];
        return both > 0 ? 2 * counts[2] / both : 0;
    }

    Average m_average;
    std::string m_name;
    std::string m_positive;
};

/// Matthews' correlation, for several classes Gorodkin's R_K (2004), as scikit-learn's matthews_corrcoef: 0 where
/// only one class is right or predicted. A prediction of none of the classes counts as a further one.
class MatthewsMetric final : public ClassCountMetric
{
public:
    explicit MatthewsMetric(std::size_t classes) : ClassCountMetric(ProblemType::SingleLabel, classes) { }

    std::string name() const override { return "Matthews"; }
    Interval possible() const override { return {-1, 1}; }
    std::string signature() const override { return fmt::format("classes:{}|zero:0|impl:headscope", m_classes); }

    double score(std::span<const double> sums) const override
    {
        double examples = 0;
        double predictions = 0;
        double correct = 0;
        double products = 0;
        double rightSquares = 0;
        double predictedSquares = 0;
        for (std::size_t k = 0; k < m_classes; ++k) {
            const double right = sums[3 * k];
            const double predicted = sums[3 * k + 1];
            examples += right;
            predictions += predicted;
            correct += sums[3 * k + 2];
            products += right * predicted;
            rightSquares += right * right;
            predictedSquares += predicted * predicted;
        }
        predictedSquares += (examples - predictions) * (examples - predictions);
        const double spread = (examples * examples - rightSquares) * (examples * examples - predictedSquares);
        return spread > 0 ? (correct * examples - products) / std::sqrt(spread) : 0;
    }
};

/// Mean loss. Statistics: loss, 1.
class LossMetric final : public OutcomeMetric
{
public:
    bool isDecidedByPredictions() const override { return false; }
    explicit LossMetric(ProblemType problem) : m_problem(problem) { }

    std::string name() const override { return "loss"; }
    Better better() const override { return Better::Lower; }
    std::string signature() const override
    {
        const char *kind = m_problem == ProblemType::SingleLabel ? "cross-entropy"
                         : m_problem == ProblemType::MultiLabel  ? "binary-cross-entropy"
                                                                 : "squared-error";
        return fmt::format("kind:{}|average:examples|impl:headscope", kind);
    }
    std::size_t statisticsSize() const override { return 2; }
    double score(std::span<const double> sums) const override { return sums[1] > 0 ? sums[0] / sums[1] : 0; }
    Interval possible() const override { return {0, std::numeric_limits<double>::infinity()}; }

    void statistics(const Outcome &outcome, std::span<double> out) const override
    {
        const bool isKnown = m_problem != ProblemType::SingleLabel || !outcome.labels.empty();
        out[0] = isKnown ? outcome.loss : 0;
        out[1] = isKnown;
    }

private:
    ProblemType m_problem;
};

} // namespace

std::vector<std::unique_ptr<OutcomeMetric>> outcomeMetrics(ProblemType problem, const std::vector<std::string> &classes)
{
    std::vector<std::unique_ptr<OutcomeMetric>> metrics;
    switch (problem) {
    case ProblemType::SingleLabel:
        metrics.push_back(std::make_unique<AccuracyMetric>(problem, classes.size()));
        metrics.push_back(
            std::make_unique<F1Metric>(problem, classes, classes.size() == 2 ? Average::Binary : Average::Macro, "F1"));
        metrics.push_back(std::make_unique<MatthewsMetric>(classes.size()));
        break;
    case ProblemType::MultiLabel:
        metrics.push_back(std::make_unique<F1Metric>(problem, classes, Average::Micro, "F1"));
        metrics.push_back(std::make_unique<F1Metric>(problem, classes, Average::Macro, "macro-F1"));
        metrics.push_back(std::make_unique<AccuracyMetric>(problem, classes.size()));
        break;
    case ProblemType::Regression:
        metrics.push_back(std::make_unique<PearsonMetric>());
        metrics.push_back(std::make_unique<SpearmanMetric>());
        break;
    }
    metrics.push_back(std::make_unique<LossMetric>(problem));
    return metrics;
}

} // namespace headscope
