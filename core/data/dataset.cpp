#include "core/data/dataset.h"

#include "core/base/random.h"
#include "core/base/ranges.h"
#include "core/data/questions.h"
#include "core/data/readers.h"
#include "core/formats/hash.h"
#include "core/formats/textlines.h"
#include "core/formats/utf8.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <numeric>
#include <utility>

namespace headscope {
namespace {

constexpr std::size_t kPreviewRows = 10;
constexpr std::size_t kMostLabels = 50;

/// Beside a treebank: its sentences' translations, line by line.
void addReferences(const DataSource &source, std::vector<Example> &sentences, const JobControl &control)
{
    if (source.reference.empty())
        return;
    std::vector<std::string> lines = readLines(source.reference, control).valueOrThrow();
    if (lines.size() != sentences.size())
        throw Failure(badInput(fmt::format("{} has {} lines for the {} sentences of {}", source.reference, lines.size(),
                                           sentences.size(), source.conllu)));
    for (std::size_t i = 0; i < lines.size(); ++i)
        sentences[i].reference = std::move(lines[i]);
}

/// Tree i goes with row i, whose text may differ in blanks only.
void addTrees(const DataSource &source, std::vector<Example> &sentences, std::vector<Example> &rows)
{
    if (sentences.size() != rows.size())
        throw Failure(
            badInput(fmt::format("{} has {} trees for {} rows", source.conllu, sentences.size(), rows.size())));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!moveTree(sentences[i].tree, sentences[i].source, rows[i].source) && !rows[i].source.empty())
            throw Failure(
                badInput(fmt::format("sentence {} of {} is \"{}\", but row {} of the data \"{}\": tree N must "
                                     "belong to row N",
                                     i + 1, source.conllu, sentences[i].source, i + 1, rows[i].source)));
        rows[i].tree = std::move(sentences[i].tree);
    }
}

Table readRows(const DataSource &source, const JobControl &control)
{
    const auto refuse = [](const char *why) { throw Failure(usageError(why)); };
    for (const std::string *path : filesOf(source))
        requirePath(*path);
    const bool parallel = !source.source.empty() || !source.reference.empty();
    if (!source.text.empty() && (parallel || !source.table.empty() || !source.conllu.empty()))
        refuse("give either running text or another data set");
    if (source.text.empty() && source.source.empty() && source.table.empty() && source.conllu.empty())
        refuse("give a data set: source lines (with reference lines), or a table, or a CoNLL-U file, or running text");
    if (source.shots > 0 && source.shotsFile.empty())
        refuse("shots stand before every question: name the table that they are from (--shots-file)");
    if (source.shots < 0)
        refuse("the number of shots must not be negative");
    if (source.stride < 0)
        refuse("the stride must not be negative");
    if (parallel && !source.table.empty())
        refuse("give either source and reference lines or a table");
    if (source.limit < 0 || source.sample < 0)
        refuse("the limit and the sample must not be negative");
    if (source.documentWords < 0)
        refuse("the number of words kept of a document must not be negative");
    if (source.limit > 0 && source.sample > 0)
        refuse("give either a limit (the first examples) or a sample (drawn at random), not both");
    Table table;
    if (!source.table.empty())
        table = readTable(source, control);
    else if (!source.text.empty())
        table.examples = readRunningText(source, control);
    else if (!source.source.empty())
        table.examples = readParallelText(source, control).valueOrThrow();
    if (source.conllu.empty())
        return table;
    std::vector<Example> sentences = readConlluText(source, control).valueOrThrow();
    const bool byItself = source.source.empty() && source.table.empty() && source.reference.empty();
    if (!byItself && !sentences.front().coreference.empty())
        throw Failure(usageError(source.conllu
                                 + " has documents with coreference: they are a data set by themselves, without "
                                   "other rows or references"));
    if (source.source.empty() && source.table.empty()) {
        addReferences(source, sentences, control);
        table.examples = std::move(sentences);
    } else if (table.problem.empty()) {
        addTrees(source, sentences, table.examples);
    }
    return table;
}

std::string nameOf(const DataSource &source)
{
    if (!source.name.empty())
        return source.name;
    const std::string &file = !source.source.empty() ? source.source
                            : !source.table.empty()  ? source.table
                            : !source.text.empty()   ? source.text
                                                     : source.conllu;
    return std::filesystem::path(withoutPacking(file)).stem().string();
}

std::string hashOf(const std::vector<Example> &examples)
{
    Hasher hasher;
    const auto addIds = [&hasher](const std::vector<std::int64_t> &ids) {
        hasher.add(static_cast<std::int64_t>(ids.size()));
        for (const std::int64_t id : ids)
            hasher.add(id);
    };
    for (const Example &example : examples) {
        hasher.add(example.source);
        hasher.add(example.reference);
        hasher.add(example.pair);
        if (example.emptyPair)
            hasher.add("a second text without words");
        addIds(example.inputIds);
        addIds(example.labels);
        addIds(example.tokenTypeIds);
        if (!example.worse.empty()) { // other data sets keep their hashes
            hasher.add(example.worse);
            hasher.add(example.paradigm);
        }
        if (!example.corrupt.empty()) {
            hasher.add(example.corrupt);
            hasher.add(example.wrongAnswer);
        }
        if (!example.choices.empty()) {
            for (const std::string &choice : example.choices)
                hasher.add(choice);
            hasher.add(example.answer);
            hasher.add(example.paradigm);
        }
        for (const std::string &answer : example.accepted)
            hasher.add(answer);
    }
    return hasher.hex();
}

/// Empty where there are no trees. Apart from the texts, so that results which need no trees keep their keys.
std::string treesHashOf(const std::vector<Example> &examples)
{
    if (std::ranges::all_of(examples, [](const Example &example) { return example.tree.empty(); }))
        return {};
    Hasher hasher;
    for (const Example &example : examples) {
        hasher.add(std::ssize(example.tree));
        for (const TreeWord &word : example.tree) {
            hasher.add(word.relation);
            hasher.add(std::int64_t{word.head});
            hasher.add(static_cast<std::int64_t>(word.begin));
            hasher.add(static_cast<std::int64_t>(word.end));
        }
    }
    return hasher.hex();
}

std::string hashOfSide(const std::vector<Example> &examples, std::string Example::*side)
{
    Hasher hasher;
    for (const Example &example : examples)
        hasher.add(example.*side);
    return hasher.hex();
}

void warnOfEmptyLines(const std::vector<Example> &examples, std::string Example::*side, const char *sideName,
                      std::vector<std::string> &warnings)
{
    std::size_t count = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < examples.size(); ++i)
        if (examples[i].inputIds.empty() && trimmed(examples[i].*side).empty() && count++ == 0)
            first = i + 1;
    // All empty is no oversight of the others: there are no references, or no pairs.
    if (count > 0 && (count < examples.size() || side == &Example::source))
        warnings.push_back(
            fmt::format("{} empty {} {}, the first is row {}", count, sideName, count == 1 ? "text" : "texts", first));
}

std::vector<std::string> warningsOf(const Table &table)
{
    const std::vector<Example> &examples = table.examples;
    std::vector<std::string> warnings = table.warnings;
    if (table.withoutGold > 0)
        warnings.push_back(fmt::format("{} {} without a gold label (\"-\") left out", table.withoutGold,
                                       table.withoutGold == 1 ? "row" : "rows"));
    warnOfEmptyLines(examples, &Example::source, "source", warnings);
    warnOfEmptyLines(examples, &Example::pair, "second", warnings);
    warnOfEmptyLines(examples, &Example::reference, "reference", warnings);
    const auto hasTag = [](const TreeWord &word) { return !word.tag.empty(); };
    const bool isUntagged = std::ranges::none_of(examples, [&](const Example &example) {
        return example.coreference.empty() || std::ranges::any_of(example.coreference.words, hasTag);
    });
    if (isUntagged && !examples.empty())
        warnings.emplace_back(
            "The file has no part-of-speech tags: the head of a mention is taken to be its last word, "
            "and no mention counts as a pronoun or a proper name");
    const bool identical = std::all_of(examples.begin(), examples.end(), [](const Example &example) {
        return !example.source.empty() && example.source == example.reference;
    });
    if (identical && !examples.empty())
        warnings.emplace_back("source and reference are the same text; is one of the files the wrong one?");
    return warnings;
}

double meanWordsOf(const std::vector<Example> &examples)
{
    double words = 0;
    for (const Example &example : examples)
        words += static_cast<double>(countWords(example.source));
    return examples.empty() ? 0 : words / static_cast<double>(examples.size());
}

void checkMinimalPairs(const Table &table, const std::string &file)
{
    if (table.columns.worse.empty())
        return;
    for (std::size_t i = 0; i < table.examples.size(); ++i) {
        const Example &pair = table.examples[i];
        if (trimmed(pair.source).empty() || trimmed(pair.worse).empty())
            throw Failure(badInput(fmt::format("{}: row {} is no minimal pair: it has no {} sentence", file, i + 1,
                                               trimmed(pair.source).empty() ? "better" : "worse")));
    }
}

void checkPatchingPairs(const Table &table, const std::string &file)
{
    if (table.columns.corrupt.empty())
        return;
    for (std::size_t i = 0; i < table.examples.size(); ++i) {
        const Example &pair = table.examples[i];
        if (trimmed(pair.source).empty() || trimmed(pair.corrupt).empty())
            throw Failure(badInput(fmt::format("{}: row {} is no pair: it has no {} text", file, i + 1,
                                               trimmed(pair.source).empty() ? "clean" : "corrupt")));
    }
}

/// As many as the source wants, drawn by its seed, in the order that they had.
void keepSample(std::vector<Example> &examples, const DataSource &source)
{
    std::vector<std::size_t> places(examples.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    Random random(source.sampleSeed);
    shuffle(places, random);
    places.resize(std::min(places.size(), static_cast<std::size_t>(source.sample)));
    std::ranges::sort(places);
    std::vector<Example> kept;
    for (const std::size_t place : places)
        kept.push_back(std::move(examples[place]));
    examples = std::move(kept);
}

/// Trees and coreference keep their places in the texts.
void addPrefix(const DataSource &source, std::vector<Example> &examples)
{
    const std::string &prefix = source.sourcePrefix;
    if (prefix.empty())
        return;
    if (!source.text.empty())
        throw Failure(usageError("--source-prefix stands before source texts; running text is read as it is"));
    for (std::size_t i = 0; i < examples.size(); ++i) {
        Example &example = examples[i];
        if (!example.inputIds.empty())
            throw Failure(usageError(fmt::format("--source-prefix: row {} brings input_ids, which nothing can be put "
                                                 "before",
                                                 i + 1)));
        if (!example.worse.empty())
            throw Failure(usageError("--source-prefix does not go with minimal pairs"));
        example.source.insert(0, prefix);
        if (!example.corrupt.empty())
            example.corrupt.insert(0, prefix);
        for (SentenceTree *words : {&example.tree, &example.coreference.words}) {
            for (TreeWord &word : *words) {
                word.begin += prefix.size();
                word.end += prefix.size();
            }
        }
    }
}

/// The questions that stand before all others with their answers.
void addShots(const DataSource &source, std::vector<Example> &examples, const JobControl &control)
{
    if (source.shots == 0)
        return;
    DataSource shown = source;
    shown.table = source.shotsFile;
    shown.limit = source.shots;
    const Table table = readTable(shown, control);
    if (!table.columns.questions || std::ssize(table.examples) < source.shots)
        throw Failure(badInput(fmt::format("--shots {}: {} has {} questions", source.shots, source.shotsFile,
                                           table.columns.questions ? std::ssize(table.examples) : 0)));
    const std::string text
        = shotsText({table.examples.begin(), table.examples.begin() + static_cast<std::ptrdiff_t>(source.shots)});
    for (Example &example : examples)
        example.source.insert(0, text);
}

Dataset assemble(const DataSource &source, Table table, const JobControl &control)
{
    if (!table.problem.empty())
        throw Failure(badInput(table.problem));
    if (table.examples.empty())
        throw Failure(badInput(source.table + " has no row with a gold label"));
    if (source.sample > 0)
        keepSample(table.examples, source);
    if (source.limit > 0 && table.examples.size() > static_cast<std::size_t>(source.limit))
        table.examples.resize(static_cast<std::size_t>(source.limit));
    if ((source.shots > 0 || !source.prompt.empty() || source.cloze) && !table.columns.questions)
        throw Failure(usageError(source.table
                                 + " has no questions for a prompt, shots or cloze: a context, choices (a list, or "
                                   "choice_1, choice_2, ...) and an answer, or a prompt and answers"));
    checkMinimalPairs(table, source.table);
    checkPatchingPairs(table, source.table);
    control.checkpoint();
    Dataset dataset;
    dataset.name = nameOf(source);
    dataset.origin = source;
    dataset.warnings = warningsOf(table); // of the texts as they are in the file
    dataset.meanWords = meanWordsOf(table.examples);
    addShots(source, table.examples, control);
    addPrefix(source, table.examples);
    dataset.hash = hashOf(table.examples);
    dataset.treesHash = treesHashOf(table.examples);
    if (!source.source.empty()) {
        dataset.sourceHash = hashOfSide(table.examples, &Example::source);
        dataset.referenceHash = hashOfSide(table.examples, &Example::reference);
    }
    dataset.columns = std::move(table.columns);
    dataset.examples = std::move(table.examples);
    return dataset;
}

/// The label as text: of a list of numbers, the numbers.
std::string labelText(const Example &example)
{
    return example.reference.empty() ? fmt::format("{}", fmt::join(example.labels, ",")) : example.reference;
}

/// Nothing when there are too many different labels to be any.
std::vector<LabelCount> countLabels(const std::vector<Example> &examples)
{
    std::map<std::string, std::int64_t> counts;
    for (const Example &example : examples)
        if (const std::string label = labelText(example); !label.empty()) {
            ++counts[label];
            if (counts.size() > kMostLabels)
                return {};
        }
    std::vector<LabelCount> labels;
    for (const auto &[label, rows] : counts)
        labels.push_back({label, rows});
    std::stable_sort(labels.begin(), labels.end(), [](const auto &a, const auto &b) { return a.rows > b.rows; });
    return labels;
}

/// The data dialog's preview of minimal pairs and of pairs for patching: their second text where other pairs have
/// theirs.
DataRow rowOf(const Example &example)
{
    if (!example.choices.empty())
        return {.source = example.source,
                .reference = example.reference,
                .pair = fmt::format("{}", fmt::join(example.choices, " / ")),
                .isPair = example.choices.size() > 1};
    if (!example.accepted.empty())
        return {.source = example.source, .reference = fmt::format("{}", fmt::join(example.accepted, " / "))};
    const bool minimalPair = !example.worse.empty();
    return {.source = example.source,
            .reference = minimalPair ? example.paradigm : labelText(example),
            .pair = minimalPair              ? example.worse
                  : !example.corrupt.empty() ? example.corrupt
                                             : example.pair,
            .isPair = minimalPair || !example.corrupt.empty() || example.secondText().has_value()};
}

/// Trouble of readers as a Result.
template<typename Work>
auto caught(Work &&work) -> Result<decltype(work())>
{
    try {
        return work();
    } catch (const Cancelled &) {
        return Result<decltype(work())>::cancelled();
    } catch (const Failure &failure) {
        return failure.error();
    }
}

} // namespace

std::string withoutPacking(const std::string &path)
{
    for (const std::string_view ending : {".gz", ".xz"})
        if (path.ends_with(ending))
            return path.substr(0, path.size() - ending.size());
    return path;
}

Result<Dataset> readDataset(const DataSource &source, const JobControl &control)
{
    return caught([&] { return assemble(source, readRows(source, control), control); });
}

Result<DataPreview> previewData(const DataSource &source, const JobControl &control)
{
    return caught([&] {
        Table table = readRows(source, control);
        DataPreview preview;
        preview.columns = table.columns.names;
        preview.textColumn = table.columns.text;
        preview.pairColumn = table.columns.pair;
        preview.labelColumn = table.columns.label;
        preview.worseColumn = table.columns.worse;
        preview.paradigmColumn = table.columns.paradigm;
        preview.questions = table.columns.questions;
        if (!table.problem.empty()) { // the columns help to mend it
            preview.warnings.push_back(table.problem);
            return preview;
        }
        const Dataset data = assemble(source, std::move(table), control);
        preview.rows = static_cast<std::int64_t>(data.examples.size());
        if (!source.table.empty())
            preview.labels = countLabels(data.examples);
        preview.meanWords = data.meanWords;
        preview.warnings = data.warnings;
        for (std::size_t i = 0; i < std::min(kPreviewRows, data.examples.size()); ++i)
            preview.first.push_back(rowOf(data.examples[i]));
        return preview;
    });
}

} // namespace headscope
