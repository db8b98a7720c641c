#include "ui/pages/domains/domainspainter.h"

#include "ui/delegates/gridlegend.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QRectF>

#include <algorithm>

namespace headscope {

namespace {
constexpr double kBetweenGrids = 12;
constexpr double kBetweenParts = 6;

/// Its title, its detail and its cells.
void paintOne(QPainter &painter, const QRectF &rect, const DomainsPicture::Grid &grid)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    const double line = metrics.height();
    const auto write = [&](double y, const QString &text, const QColor &color) {
        painter.setPen(color);
        painter.drawText(QRectF(rect.left() + 8, y, rect.width() - 8, line), Qt::AlignVCenter,
                         metrics.elidedText(text, Qt::ElideRight, rect.width() - 8));
    };
    write(rect.top(), grid.title, grid.picture.palette.ink);
    write(rect.top() + line, grid.detail, grid.picture.palette.muted);
    const double top = 2 * line + 4;
    const HeadGridGeometry geometry(grid.picture.content, QSizeF(rect.width(), rect.height() - top), metrics, 0,
                                    GridLabels::Shown, grid.picture.order);
    painter.save();
    painter.translate(rect.left(), rect.top() + top);
    paintHeadGrid(painter, grid.picture, geometry, QRectF(QPointF(), geometry.size()));
    painter.restore();
}
} // namespace

void paintDomains(QPainter &painter, const QRectF &rect, const DomainsPicture &shown)
{
    constexpr double kUsualShare = 0.62;
    const double legend = gridLegendHeight(QFontMetricsF(painter.font(), painter.device()), GridLegendForm::Beside);
    const double room = rect.height() - legend - 2 * kBetweenParts;
    const double wanted = shown.gridsHeight > 0 ? shown.gridsHeight : kUsualShare * room;
    const double high = shown.scatter ? std::min(wanted, 0.8 * room) : room;
    const auto count = static_cast<double>(shown.grids.size());
    const double wide = (rect.width() - (count - 1) * kBetweenGrids) / count;
    std::vector<const GridPicture *> pictures;
    double x = rect.left();
    for (const DomainsPicture::Grid &grid : shown.grids) {
        paintOne(painter, QRectF(x, rect.top(), wide, high), grid);
        pictures.push_back(&grid.picture);
        x += wide + kBetweenGrids;
    }
    const QRectF below(rect.left() + 8, rect.top() + high + kBetweenParts, rect.width() - 16, legend);
    paintGridLegend(painter, below, pictures, GridLegendForm::Beside);
    if (shown.scatter)
        (void)paintScatterChart(
            painter, QRectF(QPointF(rect.left(), below.bottom() + kBetweenParts), rect.bottomRight()), *shown.scatter);
}

} // namespace headscope
