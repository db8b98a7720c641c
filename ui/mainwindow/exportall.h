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
    QString page; ///< the title of the page that shows it
};

/// Whatever the pages can show of the open study, as PNG, SVG, PDF and CSV in that folder, in a folder for each page.
/// On the GUI thread: every view is painted once, as strokes.
QList<PlannedFile> plannedFiles(MainWindow &window, const QString &folder);

/// The files that would be replaced, with index.html, which writeFiles() adds.
QStringList filesToReplace(const QList<PlannedFile> &files, const QString &folder);

/// Makes the folder and writes them into it, and index.html with a thumbnail of each view; gives their number. On any
/// thread. Throws Cancelled; what is written stays.
Result<int> writeFiles(const QList<PlannedFile> &files, const QString &folder, const JobControl &control);

} // namespace headscope
