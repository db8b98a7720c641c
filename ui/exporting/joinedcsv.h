#pragma once

#include <string>
#include <vector>

namespace headscope {

/// A table with what is said of all of its lines.
struct LabelledTable
{
    std::vector<std::string> labels;
    std::string csv; ///< as core/exporting writes it
};

/// Tables below each other, with `labels` as the names of the first columns. Columns are put together by their names:
/// what a table does not have stays empty.
std::string joinedCsv(const std::vector<std::string> &labels, const std::vector<LabelledTable> &tables);

} // namespace headscope
