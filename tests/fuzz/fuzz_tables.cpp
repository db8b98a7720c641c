#include "core/data/labels.h"
#include "core/data/readers.h"
#include "tests/fuzz/fuzzing.h"

using namespace headscope;

namespace {

/// What the fuzzer knows as kinds of tables: the first byte of its input.
struct Kind
{
    TableForm form;
    bool header;
};

Kind kindOf(std::uint8_t byte)
{
    constexpr Kind kKinds[] = {{TableForm::Tsv, true},
                               {TableForm::Csv, true},
                               {TableForm::JsonLines, true},
                               {TableForm::Tsv, false},
                               {TableForm::QuotedTsv, true}};
    return kKinds[(byte - '0') % 5U];
}

void readLabelsOf(const Dataset &dataset, ProblemType problem, const std::vector<std::string> &modelLabels)
{
    const auto reading = readLabels(dataset, problem, modelLabels);
    if (!reading.isOk())
        return;
    const LabelReading &labels = reading.value();
    fuzzing::require(labels.exampleClasses.size() == dataset.examples.size(), "every example has a list of classes");
    fuzzing::require(labels.classes.size() == labels.modelLabels.size(), "every class has model labels");
    std::size_t modelLabelsUsed = 0;
    for (const auto &meaning : labels.modelLabels)
        modelLabelsUsed += meaning.size();
    fuzzing::require(modelLabelsUsed == modelLabels.size(), "every model label belongs to one class");
    for (const auto &classes : labels.exampleClasses) {
        fuzzing::require(problem == ProblemType::MultiLabel || classes.size() <= 1, "at most one class");
        for (const int k : classes)
            fuzzing::require(k >= 0 && static_cast<std::size_t>(k) < labels.classes.size(), "classes exist");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size == 0)
        return 0;
    const Kind kind = kindOf(data[0]);
    DataSource source;
    source.table = "input";
    source.header = kind.header;
    if (!kind.header) {
        source.textColumn = "4";
        source.labelColumn = "2";
    }
    Dataset dataset;
    dataset.origin = source;
    try {
        dataset.examples = parseTable(fuzzing::textOf(data + 1, size - 1), kind.form, source).examples;
    } catch (const Failure &) {
        return 0;
    }
    readLabelsOf(dataset, ProblemType::SingleLabel, {"contradiction", "Entailment", "neutral"});
    readLabelsOf(dataset, ProblemType::MultiLabel, {"a", "neutral", "LABEL_1"});
    readLabelsOf(dataset, ProblemType::Regression, {"LABEL_0"});
    dataset.origin.labelMap = dataset.examples.empty() ? "" : dataset.examples.front().source;
    readLabelsOf(dataset, ProblemType::SingleLabel, {"contradiction", "Entailment", "neutral"});
    return 0;
}
