#pragma once

#include "core/data/dataset.h"

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

// One reader per form of data. Each gives all rows, or the first `limit`; readDataset() does the rest. Besides
// returning errors they throw Failure and Cancelled.

/// source and, when given, reference: line i of one belongs to line i of the other. Where there is a limit (and no
/// trees), no more is read of either, nor unpacked, than it needs.
Result<std::vector<Example>> readParallelText(const DataSource &source, const JobControl &control);

/// The texts of a file of running text, as source; at least one.
std::vector<Example> readRunningText(const DataSource &source, const JobControl &control);
/// Lines as texts of this unit, none of them blank. Line breaks within a text are kept as \n.
std::vector<Example> textsOf(std::vector<std::string> lines, TextUnit unit);

/// The rows of a table: text column, label column and pair column become source, reference and pair. A list of labels
/// becomes labels when they are numbers, and otherwise reference, joined by commas.
struct Table
{
    std::vector<Example> examples;
    TableColumns columns;
    std::size_t withoutGold = 0; ///< rows that were left out
    std::vector<std::string> warnings{};
    std::string problem; ///< why there are names of columns but no examples: nobody knows which column is the text
};

enum class TableForm { Tsv, QuotedTsv, Csv, JsonLines };

/// .tsv (.txt) and .csv with column names in the first line (where the source says so), .jsonl with one object a line.
Table readTable(const DataSource &source, const JobControl &control);
/// Reads a table from text in memory; source.table is used only in error messages.
Table parseTable(std::string_view text, TableForm form, const DataSource &source, const JobControl &control = {});
Table parseJsonLines(std::string_view text, const DataSource &source, const JobControl &control);

/// SNLI and MNLI mark pairs on whose label the annotators did not agree; such rows are not counted.
bool isWithoutGoldLabel(const TableColumns &columns, const Example &example);

/// Whether these are the lines of a file with coreference, as CoNLL-2012 had it.
bool isCoreferenceText(const std::vector<std::string> &lines);
/// Its documents, a row each: words joined by blanks, and the mentions of the last column. Read are files of 12 columns
/// and more, of 6 to 11 that begin as those do, and of 3 to 5 whose last columns are number, word and mentions;
/// comments anywhere; documents without an end. Throws Failure for lines of fewer columns, words that are not counted
/// from 0 or 1 in every sentence, and mentions that do not begin and end in a document.
std::vector<Example> readCoreferenceText(const std::vector<std::string> &lines, const DataSource &source);

/// The sentences of a treebank, with their trees where words have heads; or the documents of a file with coreference.
Result<std::vector<Example>> readConlluText(const DataSource &source, const JobControl &control);

/// The words' places in `from` become those in `to`, which may have other blanks. False, and words without a place,
/// if it differs in more.
bool moveTree(SentenceTree &tree, std::string_view from, std::string_view to);

/// "set.en" of "dir/set.en.gz".
std::string withoutPacking(const std::string &path);

} // namespace headscope
