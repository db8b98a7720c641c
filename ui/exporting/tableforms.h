#pragma once

#include "core/base/result.h"

#include <QString>

#include <string>

namespace headscope {

/// The table behind a picture in other forms. `csv` has a header line; errors say what about it cannot be read.

/// {"name", "caption", "columns": [...], "rows": [{column: value}]}: numbers as numbers, empty fields as null.
Result<std::string> tableJson(const std::string &csv, const QString &name, const QString &caption);

/// A tabular for the package booktabs, the caption as a comment. Numbers with four significant digits, empty fields as
/// dashes.
Result<std::string> tableLatex(const std::string &csv, const QString &caption);

} // namespace headscope
