#include "core/metrics/outcome.h"
#include "core/task/classificationrunner.h"
#include "core/task/tasks.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace headscope {
namespace {

/// −ln of the probability of all labels in `wanted` together, by the softmax of the logits. NaN logits give NaN.
double crossEntropy(const std::vector<float> &logits, const std::vector<int> &wanted)
{
    const auto logSum = [&](auto &&contains) {
        double highest = -INFINITY;
        for (std::size_t i = 0; i < logits.size(); ++i)
            highest = contains(i) ? std::max<double>(highest, logits[i]) : highest;
        double sum = 0;
        for (std::size_t i = 0; i < logits.size(); ++i)
            sum += contains(i) ? std::exp(logits[i] - highest) : 0;
        return highest + std::log(sum);
    };
    return logSum([](std::size_t) { return true; })
         - logSum([&](std::size_t i) { return std::ranges::find(wanted, static_cast<int>(i)) != wanted.end(); });
}

/// Mean over labels of the binary cross-entropy with logits.
double binaryCrossEntropy(const std::vector<float> &logits, const std::vector<int> &wanted)
{
    double sum = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        const double x = logits[i];
        const bool right = std::ranges::find(wanted, static_cast<int>(i)) != wanted.end();
        sum += std::max(x, 0.0) - (right ? x : 0) + std::log1p(std::exp(-std::abs(x)));
    }
    return sum / static_cast<double>(logits.size());
}

/// Why there is nothing to measure against, and what to do.
std::string whyUnlabelled(const Dataset &dataset)
{
    const DataSource &origin = dataset.origin;
    if (!origin.reference.empty())
        return "All lines of " + origin.reference
             + " are empty or -1, so nothing can be measured. Is it the file of the labels?";
    if (!dataset.columns.label.empty())
        return "The column \"" + dataset.columns.label + "\" of " + origin.table
             + " is empty or -1 (a hidden label) in all rows, so nothing can be measured. Name the column that holds the "
               "labels (--label-column), or take data with labels.";
    return "The data set has no labels, so nothing can be measured. Name the column that holds them (--label-column).";
}

/// Predicted labels or numbers against the right ones.
class LabelMeasure final : public Measure
{
public:
    /// `missing`: what to say where there are no labels.
    LabelMeasure(const ClassifierSpec &classifier, std::shared_ptr<const LabelReading> labels, std::string missing)
        : m_missing(std::move(missing)), m_problem(classifier.problem), m_labels(std::move(labels)),
          m_outcomeMetrics(outcomeMetrics(m_problem, m_labels->classes))
    {
        m_classOfLabel.assign(classifier.labels.size(), -1);
        for (std::size_t c = 0; c < m_labels->modelLabels.size(); ++c) {
            for (int label : m_labels->modelLabels[c])
                m_classOfLabel[static_cast<std::size_t>(label)] = static_cast<int>(c);
        }
        for (const auto &metric : m_outcomeMetrics)
            m_metrics.push_back(metric.get());
    }

    const std::vector<const Metric *> &metrics() const override { return m_metrics; }
    void statistics(std::size_t metric, const ExampleOutput &output, std::span<double> out) const override
    {
        m_outcomeMetrics[metric]->statistics(outcome(output), out);
    }
    bool samePrediction(const ExampleOutput &a, const ExampleOutput &b) const override
    {
        return m_problem == ProblemType::Regression ? a.logits == b.logits : a.predicted == b.predicted;
    }
    bool hasReferences() const override { return m_labels->known; }
    std::string missingReferences() const override { return m_missing; }
    std::vector<LabelCount> labels() const override
    {
        std::vector<LabelCount> counts;
        if (!m_labels->known || m_problem == ProblemType::Regression)
            return counts;
        for (const std::string &name : m_labels->classes)
            counts.push_back({name, 0});
        for (const auto &classes : m_labels->exampleClasses) {
            for (int c : classes)
                ++counts[static_cast<std::size_t>(c)].rows;
        }
        return counts;
    }
    bool isDecidedByPredictions(std::size_t metric) const override
    {
        return m_outcomeMetrics[metric]->isDecidedByPredictions();
    }

private:
    Outcome outcome(const ExampleOutput &output) const;

    std::string m_missing;
    ProblemType m_problem;
    std::shared_ptr<const LabelReading> m_labels;
    std::vector<int> m_classOfLabel; ///< [K]; −1: a label that means none of the data's classes
    std::vector<std::unique_ptr<OutcomeMetric>> m_outcomeMetrics;
    std::vector<const Metric *> m_metrics; ///< views of m_outcomeMetrics
};

Outcome LabelMeasure::outcome(const ExampleOutput &output) const
{
    const auto row = static_cast<std::size_t>(output.index);
    const LabelReading &labels = *m_labels;
    Outcome outcome;
    switch (m_problem) {
    case ProblemType::Regression:
        outcome.wanted = labels.exampleValues[row];
        outcome.value = output.logits[0];
        outcome.loss = (outcome.value - outcome.wanted) * (outcome.value - outcome.wanted);
        return outcome;
    case ProblemType::SingleLabel:
        outcome.loss = crossEntropy(output.logits, output.labels);
        break;
    case ProblemType::MultiLabel:
        outcome.loss = binaryCrossEntropy(output.logits, output.labels);
        break;
    }
    outcome.labels = labels.exampleClasses[row];
    for (int label : output.predicted) {
        if (const int c = m_classOfLabel[static_cast<std::size_t>(label)]; c >= 0)
            outcome.predicted.push_back(c); // a label that means no class of the data is a wrong answer
    }
    return outcome;
}

Result<TaskParts> makeClassification(const OpenModel &model, const Dataset &dataset, const JobControl &control)
{
    const ClassifierSpec &classifier = *model.transformer->spec().classifier;
    auto read = readLabels(dataset, classifier.problem, classifier.labels);
    if (!read.isOk())
        return read.error();
    const auto labels = std::make_shared<const LabelReading>(std::move(read).value());
    auto examples = textExamples(model.transformer->spec(), model.tokenizer.get(), dataset, control);
    if (!examples.isOk())
        return examples.error();
    auto &warnings = examples.value().warnings;
    warnings.insert(warnings.begin(), labels->warnings.begin(), labels->warnings.end());
    auto measure = std::make_unique<LabelMeasure>(classifier, labels, whyUnlabelled(dataset));
    return TaskParts{std::move(examples).value(), std::make_unique<ClassificationRunner>(labels), std::move(measure)};
}

std::vector<std::string> labelMetrics(const TransformerSpec &spec)
{
    std::vector<std::string> names;
    for (const auto &metric : outcomeMetrics(spec.classifier->problem, spec.classifier->labels)) {
        if (supportsPairedTests(*metric))
            names.push_back(metric->name());
    }
    return names;
}

} // namespace

const TaskKind kClassification{"classification",
                               [](const TransformerSpec &spec) { return spec.classifier.has_value(); }, labelMetrics,
                               makeClassification};

} // namespace headscope
