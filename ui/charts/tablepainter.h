#pragma once

#include <QList>
#include <QRectF>
#include <QSizeF>
#include <QStringList>

class QAbstractItemModel;
class QPainter;

namespace headscope {

/// A table as texts, the names of its columns first.
struct TextTable
{
    QList<QStringList> rows;
    QList<bool> toTheRight; ///< per column: numbers
    int left = 0;           ///< rows omitted from the picture; the CSV has them
};

TextTable textTableOf(const QAbstractItemModel &model);
/// What the picture needs, in pixels of 1/96 inch.
QSizeF sizeOf(const TextTable &table);
void paintTextTable(QPainter &painter, const QRectF &rect, const TextTable &table);

} // namespace headscope
