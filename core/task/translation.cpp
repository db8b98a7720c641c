#include "core/metrics/bleu.h"
#include "core/metrics/chrf.h"
#include "core/task/generationrunner.h"
#include "core/task/tasks.h"

namespace headscope {
namespace {

/// Texts against references.
class TextMeasure final : public Measure
{
public:
    TextMeasure(const Dataset &dataset, const Tokenizer *tokenizer, const Examples &examples)
        : m_hasReferences(examples.hasTargets)
    {
        m_textMetrics.push_back(std::make_unique<BleuMetric>());
        m_textMetrics.push_back(std::make_unique<ChrfMetric>());
        for (const auto &metric : m_textMetrics)
            m_metrics.push_back(metric.get());
        m_references.resize(m_metrics.size());
        for (std::size_t m = 0; m_hasReferences && m < m_metrics.size(); ++m) {
            for (std::size_t row = 0; row < dataset.examples.size(); ++row)
                m_references[m].push_back(
                    m_textMetrics[m]->prepare(referenceOf(dataset.examples[row], examples.targets[row], tokenizer)));
        }
    }

    const std::vector<const Metric *> &metrics() const override { return m_metrics; }
    void statistics(std::size_t metric, const ExampleOutput &output, std::span<double> out) const override
    {
        m_textMetrics[metric]->statistics(output.text, *m_references[metric][static_cast<std::size_t>(output.index)],
                                          out);
    }
    bool samePrediction(const ExampleOutput &a, const ExampleOutput &b) const override { return a.tokens == b.tokens; }
    bool hasReferences() const override { return m_hasReferences; }
    std::string missingReferences() const override
    {
        return "The data set has no references, so nothing can be measured. Give a reference file (--reference) or a "
               "label column.";
    }
    bool isDecidedByPredictions(std::size_t) const override { return true; }

private:
    static std::string referenceOf(const Example &example, const std::vector<std::int64_t> &target,
                                   const Tokenizer *tokenizer)
    {
        if (!tokenizer)
            return idsAsText(target);
        return !example.labels.empty() && example.reference.empty() ? tokenizer->decode(target) : example.reference;
    }

    bool m_hasReferences;
    std::vector<std::unique_ptr<TextMetric>> m_textMetrics;
    std::vector<const Metric *> m_metrics;                                     ///< views of the metrics above
    std::vector<std::vector<std::unique_ptr<PreparedReference>>> m_references; ///< per metric, per example
};

Result<TaskParts> makeTranslation(const OpenModel &model, const Dataset &dataset, const JobControl &control)
{
    auto examples = translationExamples(model.transformer->spec(), model.tokenizer.get(), dataset, control);
    if (!examples.isOk())
        return examples.error();
    auto measure = std::make_unique<TextMeasure>(dataset, model.tokenizer.get(), examples.value());
    auto runner = std::make_unique<GenerationRunner>(model.tokenizer, model.transformer->spec().generation.beams);
    return TaskParts{std::move(examples).value(), std::move(runner), std::move(measure)};
}

std::vector<std::string> textMetrics(const TransformerSpec &)
{
    return {BleuMetric().name(), ChrfMetric().name()};
}

} // namespace

const TaskKind kTranslation{"translation",
                            [](const TransformerSpec &spec) { return spec.isEncoderDecoder() && !spec.classifier; },
                            textMetrics, makeTranslation};

} // namespace headscope
