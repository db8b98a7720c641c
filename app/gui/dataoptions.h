#pragma once

#include "core/base/result.h"
#include "core/data/datasource.h"

#include <QCommandLineOption>
#include <QList>
#include <QStringList>

#include <array>
#include <optional>

namespace headscope {

/// Takes --in and --out with their files, and the options that say how they are read, out of the arguments:
///   --in TABLE, --in SOURCE REFERENCE, --in TREES.conllu [REFERENCE], and --out in the same forms;
///   those of core/data/readingoptions.h other than --limit, which is of both data sets; --conllu FILE,
///   --source-prefix TEXT, --shots-file FILE.
/// The latter belong to the data set named before them; those before the first one belong to both. Errors
/// (ErrorCode::Usage) name the option.
Result<std::array<std::optional<DataSource>, 2>> takeDataOptions(QStringList &arguments);

/// The options of core/data/readingoptions.h, for the program's help.
QList<QCommandLineOption> readingOptions();

} // namespace headscope
