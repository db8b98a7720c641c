#include "ui/mainwindow/exportall.h"

#include "ui/mainwindow/mainwindow.h"
#include "ui/pages/page.h"

#include <QDir>
#include <QFileInfo>

namespace headscope {

namespace {
struct PlannedFile
{
    ExportItem item;
    ExportFormat format;
    QString path;
};

QList<PlannedFile> plannedFiles(MainWindow &window, const QString &folder)
{
    QList<ExportItem> items;
    for (Page *page : window.pages())
        items += page->allExportItems();
    QList<PlannedFile> files;
    for (const ExportItem &item : items) {
        for (const ExportFormat format : {ExportFormat::Png, ExportFormat::Svg, ExportFormat::Csv})
            files << PlannedFile{item, format, withSuffix(QDir(folder).filePath(fileNameFor(item.name)), format)};
    }
    return files;
}
} // namespace

QStringList filesToReplace(MainWindow &window, const QString &folder)
{
    QStringList files;
    for (const PlannedFile &file : plannedFiles(window, folder)) {
        if (QFileInfo::exists(file.path))
            files << file.path;
    }
    return files;
}

Result<QStringList> exportAll(MainWindow &window, const QString &folder)
{
    if (!QDir().mkpath(folder))
        return resourceError("Cannot make the folder " + folder.toStdString() + ". Choose one that can be written.");
    QStringList files;
    for (const PlannedFile &file : plannedFiles(window, folder)) {
        ExportOptions options;
        options.format = file.format;
        const Result<Done> written = exportItem(file.item, file.path, options);
        if (written.isError())
            return written.error();
        files << file.path;
    }
    return files;
}

} // namespace headscope
