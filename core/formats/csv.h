#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

using CsvRow = std::vector<std::string>;

/// Comma-separated values as in RFC 4180: quoted fields may hold commas, doubled quotes and line ends. Lines without
/// any character are skipped. `name` is what errors speak of: a quote that is never closed, with its line.
Result<std::vector<CsvRow>> parseCsv(std::string_view text, const std::string &name);

/// Tab-separated values as data sets have them: quotes mean nothing.
std::vector<CsvRow> parseTsv(std::string_view text);

} // namespace headscope
