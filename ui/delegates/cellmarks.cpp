#include "ui/delegates/cellmarks.h"

#include <QPainter>
#include <QPolygonF>

#include <algorithm>

namespace headscope {

void paintHatch(QPainter &painter, const QRectF &rect, const QColor &color)
{
    const double step = std::clamp(rect.width() / 5, 3.0, 7.0);
    painter.setPen(QPen(color, 1));
    for (double sum = step; sum < rect.width() + rect.height(); sum += step) {
        const double x1 = std::max(0.0, sum - rect.height());
        const double x2 = std::min(sum, rect.width());
        painter.drawLine(QPointF(rect.left() + x1, rect.top() + (sum - x1)),
                         QPointF(rect.left() + x2, rect.top() + (sum - x2)));
    }
}

void paintCross(QPainter &painter, const QRectF &rect, const QColor &color)
{
    const double side = std::min(rect.width(), rect.height());
    const double inset = side * 0.2;
    const QRectF inner = rect.adjusted(inset, inset, -inset, -inset);
    painter.setPen(QPen(color, std::clamp(side / 11, 1.5, 4.0), Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(inner.topLeft(), inner.bottomRight());
    painter.drawLine(inner.topRight(), inner.bottomLeft());
}

void paintPin(QPainter &painter, const QRectF &rect, const ViewPalette &palette)
{
    const double side = std::clamp(rect.width() * 0.3, 5.0, 12.0);
    const QPointF corner = rect.topRight();
    painter.setPen(QPen(palette.paper, 1));
    painter.setBrush(palette.accent);
    painter.drawConvexPolygon(QPolygonF({corner, corner - QPointF(side, 0), corner + QPointF(0, side)}));
    painter.setBrush(Qt::NoBrush);
}

void paintMissing(QPainter &painter, const QRectF &rect, const ViewPalette &palette)
{
    painter.fillRect(rect, palette.missing);
    painter.setPen(QPen(palette.gridLine, 1));
    painter.drawLine(rect.bottomLeft(), rect.topRight());
}

} // namespace headscope
