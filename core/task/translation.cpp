#include "core/base/parsednumber.h"
#include "core/data/columns.h"
#include "core/metrics/bleu.h"
#include "core/metrics/chrf.h"
#include "core/task/bleuchoice.h"
#include "core/task/generationrunner.h"
#include "core/task/tasks.h"
#include "core/task/textmeasure.h"

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

std::string referenceOf(const Example &example, const std::vector<std::int64_t> &target, const Tokenizer *tokenizer)
{
    if (!tokenizer)
        return idsAsText(target);
    return !example.labels.empty() && example.reference.empty() ? tokenizer->decode(target) : example.reference;
}

std::vector<std::vector<std::string>> referencesOf(const Dataset &dataset, const Examples &examples,
                                                   const Tokenizer *tokenizer)
{
    std::vector<std::vector<std::string>> references;
    for (std::size_t row = 0; examples.hasTargets && row < dataset.examples.size(); ++row)
        references.push_back({referenceOf(dataset.examples[row], examples.targets[row], tokenizer)});
    return references;
}

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
    std::vector<std::unique_ptr<TextMetric>> metrics;
    metrics.push_back(std::make_unique<BleuMetric>(std::move(bleu).value()));
    metrics.push_back(std::make_unique<ChrfMetric>());
    auto measure = std::make_unique<TextMeasure>(
        std::move(metrics), referencesOf(read, examples.value(), model.tokenizer.get()), whyMissing(dataset, labels));
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
