#include "ui/mainwindow/exportall.h"

#include "ui/mainwindow/mainwindow.h"
#include "ui/models/headgridmodel.h"
#include "ui/views/gridexport.h"
#include "ui/views/gridfeed.h"

#include <QDir>

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
                items << gridExportItem(model, scaleFor(model.content()));
        }
    }
    return items;
}
} // namespace

Result<QStringList> exportAll(MainWindow &window, const QString &folder)
{
    if (!QDir().mkpath(folder))
        return resourceError("Cannot make the folder " + folder.toStdString() + ". Choose one that can be written.");
    QList<ExportItem> items = gridItems(window.state());
    for (const ExportItem &item : window.exportItems(View::Heads)) { // what is not among the grids
        if (std::ranges::find(items, item.name, &ExportItem::name) == items.end())
            items << item;
    }
    for (const View view : {View::Layers, View::Pruning, View::Domains, View::Attention, View::Roles, View::Training})
        items += window.exportItems(view);
    QStringList files;
    for (const ExportItem &item : items) {
        for (const ExportFormat format : {ExportFormat::Png, ExportFormat::Svg, ExportFormat::Csv}) {
            ExportOptions options;
            options.format = format;
            const QString path = withSuffix(QDir(folder).filePath(fileNameFor(item.name)), format);
            const Result<Done> written = exportItem(item, path, options);
            if (written.isError())
                return written.error();
            files << path;
        }
    }
    return files;
}

} // namespace headscope
