#pragma once

#include "core/base/result.h"
#include "core/data/datasource.h"

#include <QStringList>

#include <array>
#include <optional>

namespace headscope {

/// Takes --in and --out with their files, and the options that say how to read a table, out of the arguments:
///   --in TABLE, --in SOURCE REFERENCE, --in TREES.conllu [REFERENCE], likewise --out;
///   --text-column --pair-column --label-column --worse-column --paradigm-column NAME, --label-map MAP,
///   --no-header, --quoted, --conllu FILE.
/// The latter belong to the data set named before them; those before the first one belong to both. Errors
/// (ErrorCode::Usage) name the option.
Result<std::array<std::optional<DataSource>, 2>> takeDataOptions(QStringList &arguments);

} // namespace headscope
