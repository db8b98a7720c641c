#include "ui/charts/tablepainter.h"

#include "ui/heatmap/viewpalette.h"

#include <QAbstractItemModel>
#include <QCoreApplication>
#include <QFont>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QPainter>

#include <algorithm>

namespace headscope {

namespace {
constexpr int kMostRows = 80;
constexpr double kBeside = 16; ///< between columns

QList<double> widthsOf(const TextTable &table, const QFont &font)
{
    QFont bold = font;
    bold.setBold(true);
    const QFontMetricsF metrics(bold);
    QList<double> widths(table.toTheRight.size(), 0);
    for (const QStringList &row : table.rows) {
        for (qsizetype column = 0; column < row.size(); ++column)
            widths[column] = std::max(widths[column], metrics.horizontalAdvance(row[column]) + kBeside);
    }
    return widths;
}

double sum(const QList<double> &values)
{
    double total = 0;
    for (const double value : values)
        total += value;
    return total;
}
} // namespace

TextTable textTableOf(const QAbstractItemModel &model)
{
    TextTable table;
    QStringList names;
    for (int column = 0; column < model.columnCount(); ++column) {
        names << model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        const auto alignment = Qt::Alignment(model.index(0, column).data(Qt::TextAlignmentRole).toInt());
        table.toTheRight << alignment.testFlag(Qt::AlignRight);
    }
    table.rows << names;
    for (int row = 0; row < std::min(model.rowCount(), kMostRows); ++row) {
        QStringList texts;
        for (int column = 0; column < model.columnCount(); ++column)
            texts << model.index(row, column).data(Qt::DisplayRole).toString();
        table.rows << texts;
    }
    table.left = std::max(0, model.rowCount() - kMostRows);
    return table;
}

QSizeF sizeOf(const TextTable &table)
{
    QFont font = QGuiApplication::font();
    font.setPixelSize(13);
    const double line = QFontMetricsF(font).height() + 6;
    return {sum(widthsOf(table, font)) + kBeside,
            line * static_cast<double>(table.rows.size() + (table.left > 0 ? 1 : 0))};
}

void paintTextTable(QPainter &painter, const QRectF &rect, const TextTable &table)
{
    const ViewPalette &palette = ViewPalette::light();
    const QFont plain = painter.font();
    QFont bold = plain;
    bold.setBold(true);
    const QList<double> widths = widthsOf(table, plain);
    const double line = QFontMetricsF(plain).height() + 6;
    const double scale = std::min(1.0, rect.width() / std::max(1.0, sum(widths)));
    painter.save();
    painter.translate(rect.topLeft());
    painter.scale(scale, scale);
    for (qsizetype row = 0; row < table.rows.size(); ++row) {
        painter.setFont(row == 0 ? bold : plain);
        painter.setPen(palette.ink);
        double x = 0;
        for (qsizetype column = 0; column < table.rows[row].size(); ++column) {
            const QRectF cell(x, line * static_cast<double>(row), widths[column], line);
            x += widths[column];
            painter.drawText(cell.adjusted(kBeside / 2, 0, -kBeside / 2, 0),
                             Qt::AlignVCenter | (table.toTheRight[column] ? Qt::AlignRight : Qt::AlignLeft),
                             table.rows[row][column]);
        }
        painter.setPen(palette.gridLine);
        painter.drawLine(QPointF(0, line * static_cast<double>(row + 1)),
                         QPointF(x, line * static_cast<double>(row + 1)));
    }
    if (table.left > 0) {
        painter.setPen(palette.muted);
        painter.drawText(
            QPointF(kBeside / 2, line * (static_cast<double>(table.rows.size()) + 0.7)),
            QCoreApplication::translate("headscope::TablePainter", "… and %Ln more rows", nullptr, table.left));
    }
    painter.restore();
}

} // namespace headscope
