#pragma once

#include "core/base/jobcontrol.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// Where a data set comes from: parallel text files, or one table.
struct DataSource
{
    std::string source;    ///< source lines (.gz, .xz too)
    std::string reference; ///< reference lines; may be empty for predict and attention
    std::string table;     ///< .tsv .csv .jsonl instead of the two above
    std::string textColumn;
    std::string pairColumn;
    std::string labelColumn;
    std::string conllu;
    std::int64_t limit = 0; ///< 0 = all
    std::string name;       ///< empty: made from the file name

    bool operator==(const DataSource &) const = default;
};

struct DataRow
{
    std::string source;
    std::string reference;
};

/// What can be said of a data set before any model runs: shown in the data dialog.
struct DataPreview
{
    std::int64_t rows = 0;
    std::vector<DataRow> first; ///< at most ten
    double meanWords = 0;
    std::vector<std::string> warnings;
};

/// Looks at data files without a model.
Result<DataPreview> previewData(const DataSource &source, const JobControl &control);

} // namespace headscope
