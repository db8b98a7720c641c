#pragma once

#include "core/base/jobcontrol.h"
#include "core/base/result.h"

#include "ui/exporting/exporter.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace headscope {

class MainWindow;

/// A file of an export of everything.
struct PlannedFile
{
    ExportItem item; ///< recorded: any thread may write it
    ExportFormat format = ExportFormat::Png;
    QString path;
};

/// Whatever the pages can show of the open study, as PNG, SVG and CSV in that folder. On the GUI thread: every view is
/// painted once, as strokes.
QList<PlannedFile> plannedFiles(MainWindow &window, const QString &folder);

/// The files that would be replaced.
QStringList filesToReplace(const QList<PlannedFile> &files);

/// Makes the folder and writes them into it; gives their number. On any thread. Throws Cancelled; what is written
/// stays.
Result<int> writeFiles(const QList<PlannedFile> &files, const QString &folder, const JobControl &control);

} // namespace headscope
