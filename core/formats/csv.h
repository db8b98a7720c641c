#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

using CsvRow = std::vector<std::string>;

/// Comma-separated values as in RFC 4180: quoted fields may hold separators, doubled quotes and line ends. Lines
/// without any character are skipped. Errors call the text `name`: a quote that is never closed, with its line.
/// Spreadsheets write the same with tabs as separators.
Result<std::vector<CsvRow>> parseCsv(std::string_view text, const std::string &name, char separator = ',');

/// Tab-separated values as data sets have them: quotes mean nothing.
std::vector<CsvRow> parseTsv(std::string_view text);

} // namespace headscope
