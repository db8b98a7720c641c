#include "ui/mainwindow/exportall.h"

#include "ui/mainwindow/mainwindow.h"
#include "ui/models/headgridmodel.h"
#include "ui/views/gridexport.h"
#include "ui/views/gridfeed.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace headscope {

namespace {
QList<ExportItem> gridItems(const StudyState &state)
{
    QList<ExportItem> items;
    for (const Measure measure : kAllMeasures) {
        for (const DomainView view : {DomainView::In, DomainView::Out, DomainView::Difference}) {
            HeadGridModel model;
            model.setContent(gridContent(state, measure, view));
            model.setMask(state.mask());
            if (model.content().valueCount() > 0)
                items << gridExportItem(state, model, scaleFor(model.content()));
        }
    }
    return items;
}

struct PlannedFile
{
    ExportItem item;
    ExportFormat format;
    QString path;
};

QList<PlannedFile> plannedFiles(MainWindow &window, const QString &folder)
{
    QList<ExportItem> items = gridItems(window.state());
    for (const ExportItem &item : window.exportItems(View::Heads)) { // what is not among the grids
        if (std::ranges::find(items, item.name, &ExportItem::name) == items.end())
            items << item;
    }
    for (const View view : kAllViews) {
        if (view != View::Heads)
            items += window.exportItems(view);
    }
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
