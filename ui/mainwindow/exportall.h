#pragma once

#include "core/base/result.h"

#include <QStringList>

namespace headscope {

class MainWindow;

/// Writes every picture (PNG and SVG) and table (CSV) of the study into `folder`: each measure on each data set,
/// and what the other pages show. Returns the files; the first that cannot be written is the error.
Result<QStringList> exportAll(MainWindow &window, const QString &folder);

/// Those of its files that are in the folder already.
QStringList filesToReplace(MainWindow &window, const QString &folder);

} // namespace headscope
