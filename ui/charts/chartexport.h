#pragma once

#include "ui/charts/lineseries.h"
#include "ui/charts/matrixpainter.h"
#include "ui/exporting/exporter.h"

#include <QSizeF>
#include <QString>

class QAbstractItemModel;

/// Pictures that pages export, without what the pages know of them: their tables and manifests.
namespace headscope {

ExportItem lineItem(const QString &name, const QString &caption, const LineSeries &series,
                    const QSizeF &size = {860, 480});

ExportItem matrixItem(const QString &name, const QString &caption, const MatrixSeries &series,
                      const QSizeF &size = {560, 640});

/// The texts of a table, as large as they need.
ExportItem tableItem(const QString &name, const QString &caption, const QAbstractItemModel &model);

} // namespace headscope
