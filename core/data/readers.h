#pragma once

#include "core/data/dataset.h"

#include <string>
#include <vector>

namespace headscope {

// One reader per form of data. Each gives all rows; readDataset() does the rest. Besides returning errors they throw
// Failure and Cancelled.

/// source and, when given, reference: line i of one belongs to line i of the other.
Result<std::vector<Example>> readParallelText(const DataSource &source, const JobControl &control);

/// .tsv and .csv with column names in the first line, .jsonl with one object per line. Text column, label column and
/// pair column become source, reference and pair.
Result<std::vector<Example>> readTable(const DataSource &source, const JobControl &control);

/// The sentences of a treebank as text, without their trees.
Result<std::vector<Example>> readConlluText(const DataSource &source, const JobControl &control);

/// "set.en" of "dir/set.en.gz".
std::string withoutPacking(const std::string &path);

} // namespace headscope
