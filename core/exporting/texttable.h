#pragma once

#include <string>
#include <vector>

namespace headscope {

/// A table for people: cells are text already, rounded, with units in the headings.
struct TextTable
{
    std::string caption; ///< one line
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows; ///< each as long as `columns`; the first cell names the row
};

/// Text that HTML shows as it is, also within quotation marks.
std::string htmlEscaped(std::string_view text);

/// <table> with caption, head and body.
std::string toHtml(const TextTable &table);
/// A tabular with the caption as a comment. Needs the package booktabs.
std::string toLatex(const TextTable &table);

} // namespace headscope
