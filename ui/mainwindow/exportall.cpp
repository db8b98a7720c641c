#include "ui/mainwindow/exportall.h"

#include "core/base/phases.h"

#include "ui/mainwindow/mainwindow.h"
#include "ui/pages/page.h"

#include <QDir>
#include <QFileInfo>

namespace headscope {

QList<PlannedFile> plannedFiles(MainWindow &window, const QString &folder)
{
    QList<PlannedFile> files;
    for (Page *page : window.pages()) {
        for (const ExportItem &item : page->allExportItems()) {
            const ExportItem any = recorded(item);
            for (const ExportFormat format : {ExportFormat::Png, ExportFormat::Svg, ExportFormat::Csv}) {
                if (format != ExportFormat::Csv || item.csv)
                    files << PlannedFile{any, format,
                                         withSuffix(QDir(folder).filePath(fileNameFor(item.name)), format)};
            }
        }
    }
    return files;
}

QStringList filesToReplace(const QList<PlannedFile> &files)
{
    QStringList there;
    for (const PlannedFile &file : files) {
        if (QFileInfo::exists(file.path))
            there << file.path;
    }
    return there;
}

Result<int> writeFiles(const QList<PlannedFile> &files, const QString &folder, const JobControl &control)
{
    if (!QDir().mkpath(folder))
        return resourceError("Cannot make the folder " + folder.toStdString() + ". Choose one that can be written.");
    int written = 0;
    for (const PlannedFile &file : files) {
        control.checkpoint();
        control.progress({kPhaseWriting, "files", written, files.size()});
        ExportOptions options;
        options.format = file.format;
        const Result<Done> result = exportItem(file.item, file.path, options);
        if (result.isError())
            return result.error();
        ++written;
    }
    return written;
}

} // namespace headscope
