#include "ui/charts/chartexport.h"

#include "ui/charts/linepainter.h"
#include "ui/charts/tablepainter.h"

#include <QPainter>
#include <QRectF>

namespace headscope {

ExportItem lineItem(const QString &name, const QString &caption, const LineSeries &series, const QSizeF &size)
{
    ExportItem item;
    item.name = name;
    item.caption = caption;
    item.size = size;
    item.paint = [picture = LinePicture{.series = series}](QPainter &painter, const QRectF &rect) {
        (void)paintLines(painter, rect, picture);
    };
    return item;
}

ExportItem matrixItem(const QString &name, const QString &caption, const MatrixSeries &series, const QSizeF &size)
{
    ExportItem item;
    item.name = name;
    item.caption = caption;
    item.size = size;
    item.paint = [picture = MatrixPicture{.series = series}](QPainter &painter, const QRectF &rect) {
        (void)paintMatrix(painter, rect, picture);
    };
    return item;
}

ExportItem tableItem(const QString &name, const QString &caption, const QAbstractItemModel &model)
{
    const TextTable table = textTableOf(model);
    ExportItem item;
    item.name = name;
    item.caption = caption;
    item.size = sizeOf(table);
    item.paint = [table](QPainter &painter, const QRectF &rect) { paintTextTable(painter, rect, table); };
    return item;
}

} // namespace headscope
