#include "core/base/parsednumber.h"
#include "core/data/columns.h"
#include "core/metrics/bleu.h"
#include "core/metrics/chrf.h"
#include "core/task/bleuchoice.h"
#include "core/task/generationrunner.h"
#include "core/task/tasks.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace headscope {
namespace {

/// The labels in a table's column of references that nobody chose, where it is called as labels are,
/// and they are numbers or few words that come again and again. Empty: they may well be translations.
std::string labelsInstead(const Dataset &dataset)
{
    static constexpr std::string_view kLabelColumns[]
        = {"label", "gold_label", "quality", "is_duplicate", "sentiment", "score"};
    if (dataset.origin.table.empty() || !dataset.origin.labelColumn.empty()
        || std::ranges::find(kLabelColumns, lowerName(dataset.columns.label)) == std::end(kLabelColumns))
        return {};
    std::set<std::string> different;
    std::size_t rows = 0;
    bool numbers = true;
    for (const Example &example : dataset.examples) {
        if (example.reference.empty())
            continue;
        if (std::ranges::count(example.reference, ' ') > 1)
            return {};
        numbers = numbers && parsedNumber<double>(example.reference);
        different.insert(example.reference);
        ++rows;
    }
    if (rows == 0 || !(numbers || different.size() * 2 <= rows))
        return {};
    std::string shown;
    for (const std::string &label : different) {
        constexpr std::size_t kMost = 40;
        if (shown.size() > kMost)
            return shown + ", ...";
        shown += (shown.empty() ? "\"" : ", \"") + label + '"';
    }
    return shown;
}

/// Why there is nothing to measure against, and what to do. `labels`: what stands where references would.
std::string whyMissing(const Dataset &dataset, const std::string &labels)
{
    const DataSource &origin = dataset.origin;
    const std::string &column = dataset.columns.label;
    if (!labels.empty())
        return "The column \"" + column + "\" of " + origin.table + " holds labels (" + labels
             + "), not translations, and this model writes text: nothing can be measured. Name the column of the "
               "translations by --label-column (\""
             + column + "\" too, if the model is to write these words), or open a classifier.";
    if (!origin.reference.empty())
        return "All lines of " + origin.reference
             + " are empty, so nothing can be measured. Is it the file of the references?";
    if (!origin.table.empty() && !column.empty())
        return "The column \"" + column + "\" of " + origin.table
             + " is empty in all rows, so nothing can be measured. Name the column of the references by --label-column.";
    if (!origin.table.empty())
        return "The data set has no references, so nothing can be measured. Name their column of " + origin.table
             + " by --label-column.";
    return "The data set has no references, so nothing can be measured. Give a reference file (--reference) or a "
           "label column.";
}

/// Texts against references.
class TextMeasure final : public Measure
{
public:
    /// `missing`: what to say where there are no references.
    TextMeasure(const Dataset &dataset, const Tokenizer *tokenizer, const Examples &examples, BleuOptions bleu,
                std::string missing)
        : m_hasReferences(examples.hasTargets), m_missing(std::move(missing))
    {
        m_textMetrics.push_back(std::make_unique<BleuMetric>(std::move(bleu)));
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
    std::string missingReferences() const override { return m_missing; }
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
    std::string m_missing;
    std::vector<std::unique_ptr<TextMetric>> m_textMetrics;
    std::vector<const Metric *> m_metrics;                                     ///< views of the metrics above
    std::vector<std::vector<std::unique_ptr<PreparedReference>>> m_references; ///< per metric, per example
};

Result<TaskParts> makeTranslation(const OpenModel &model, const Dataset &dataset, const JobControl &control)
{
    const std::string labels = labelsInstead(dataset);
    Dataset without;
    if (!labels.empty()) { // outputs and attention can still be had
        without = dataset;
        for (Example &example : without.examples)
            example.reference.clear();
    }
    const Dataset &read = labels.empty() ? dataset : without;
    auto examples = translationExamples(model.transformer->spec(), model.tokenizer.get(), read, control);
    if (!examples.isOk())
        return examples.error();
    if (!labels.empty())
        examples.value().warnings.push_back(whyMissing(dataset, labels));
    auto bleu = bleuOptionsFor(read, model.tokenizer.get(), examples.value().warnings);
    if (!bleu.isOk())
        return bleu.error();
    auto measure = std::make_unique<TextMeasure>(read, model.tokenizer.get(), examples.value(), std::move(bleu).value(),
                                                 whyMissing(dataset, labels));
    auto runner = std::make_unique<GenerationRunner>(model.tokenizer, model.transformer->spec().generation);
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
