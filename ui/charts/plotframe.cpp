#include "ui/charts/plotframe.h"

#include "ui/heatmap/colorscale.h"

#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>

#include <algorithm>

namespace headscope {

std::vector<std::pair<double, QString>> axisTicks(double low, double high, int atMost)
{
    const std::vector<double> values = roundTicks(low, high, atMost);
    const int decimals = values.size() > 1 ? decimalsOf(values[1] - values[0]) : 1;
    std::vector<std::pair<double, QString>> ticks;
    for (const double value : values) {
        QString text = QLocale().toString(value, 'f', decimals);
        text.replace(u'-', QChar(0x2212));
        ticks.emplace_back(value, text);
    }
    return ticks;
}

void PlotZoom::zoomBy(double factor, const QPointF &place)
{
    constexpr double kLeast = 1.0 / 64;
    const double width = std::clamp(seen.width() / factor, kLeast, 1.0);
    const double height = std::clamp(seen.height() / factor, kLeast, 1.0);
    const QPointF fixed(seen.left() + place.x() * seen.width(), seen.top() + place.y() * seen.height());
    seen = QRectF(std::clamp(fixed.x() - place.x() * width, 0.0, 1 - width),
                  std::clamp(fixed.y() - place.y() * height, 0.0, 1 - height), width, height);
}

void PlotZoom::zoomBy(double factor, const QPointF &point, const QRectF &rect)
{
    if (!rect.isEmpty())
        zoomBy(factor, {std::clamp((point.x() - rect.left()) / rect.width(), 0.0, 1.0),
                        std::clamp((rect.bottom() - point.y()) / rect.height(), 0.0, 1.0)});
}

QRectF PlotZoom::canvas(const QRectF &rect) const
{
    const QSizeF size(rect.width() / seen.width(), rect.height() / seen.height());
    return {
        QPointF(rect.left() - seen.left() * size.width(), rect.bottom() + seen.top() * size.height() - size.height()),
        size};
}

void PlotZoom::moveBy(const QPointF &shares)
{
    seen.moveTo(std::clamp(seen.left() + shares.x() * seen.width(), 0.0, 1 - seen.width()),
                std::clamp(seen.top() + shares.y() * seen.height(), 0.0, 1 - seen.height()));
}

namespace {

/// The ticks that are seen; new ones where too few of numbers are left.
std::vector<std::pair<double, QString>> seenTicks(const std::vector<std::pair<double, QString>> &all, double low,
                                                  double high)
{
    std::vector<std::pair<double, QString>> seen;
    for (const auto &tick : all) {
        if (tick.first >= low && tick.first <= high)
            seen.push_back(tick);
    }
    bool isNumber = false;
    if (!all.empty())
        QLocale().toDouble(QString(all.back().second).replace(QChar(0x2212), u'-'), &isNumber);
    return isNumber && seen.size() < 3 ? axisTicks(low, high, 6) : seen;
}

PlotAxes seenAxes(PlotAxes axes)
{
    if (axes.zoom.isAll())
        return axes;
    const auto part = [](double low, double high, double share) { return low + share * (high - low); };
    const QRectF &seen = axes.zoom.seen;
    const PlotAxes all = axes;
    axes.xLow = part(all.xLow, all.xHigh, seen.left());
    axes.xHigh = part(all.xLow, all.xHigh, seen.right());
    axes.yLow = part(all.yLow, all.yHigh, seen.top());
    axes.yHigh = part(all.yLow, all.yHigh, seen.bottom());
    axes.xTicks = seenTicks(all.xTicks, axes.xLow, axes.xHigh);
    axes.yTicks = seenTicks(all.yTicks, axes.yLow, axes.yHigh);
    return axes;
}

} // namespace

PlotFrame::PlotFrame(QPainter &painter, const QRectF &rect, const PlotAxes &axes, double top)
    : m_rect(rect), m_axes(seenAxes(axes))
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    double widest = 0;
    for (const auto &[value, text] : m_axes.yTicks)
        widest = std::max(widest, metrics.horizontalAdvance(text));
    const double left = widest + metrics.height() + 22;
    const double bottom = 2 * metrics.height() + 16;
    m_plot = rect.adjusted(left, top + 8, -22, -bottom);
}

QPointF PlotFrame::at(double x, double y) const
{
    return {m_plot.left() + (x - m_axes.xLow) / (m_axes.xHigh - m_axes.xLow) * m_plot.width(),
            m_plot.bottom() - (y - m_axes.yLow) / (m_axes.yHigh - m_axes.yLow) * m_plot.height()};
}

void PlotFrame::paint(QPainter &painter, const ViewPalette &palette) const
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    const double line = metrics.height();
    painter.fillRect(m_rect, palette.paper);
    for (const auto &[value, text] : m_axes.yTicks) {
        const double y = at(m_axes.xLow, value).y();
        painter.setPen(QPen(palette.gridLine, 1));
        painter.drawLine(QPointF(m_plot.left(), y), QPointF(m_plot.right(), y));
        painter.setPen(palette.muted);
        painter.drawText(QRectF(m_rect.left(), y - line / 2, m_plot.left() - m_rect.left() - 7, line),
                         Qt::AlignRight | Qt::AlignVCenter, text);
    }
    double taken = m_rect.left(); // labels that have no room are left out, their ticks are not
    for (const auto &[value, text] : m_axes.xTicks) {
        const double x = at(value, m_axes.yLow).x();
        painter.setPen(QPen(palette.line, 1));
        painter.drawLine(QPointF(x, m_plot.bottom()), QPointF(x, m_plot.bottom() + 4));
        const double half = painter.fontMetrics().horizontalAdvance(text) / 2.0;
        if (x - half < taken)
            continue;
        taken = x + half + line / 4;
        painter.setPen(palette.muted);
        painter.drawText(QRectF(x - 60, m_plot.bottom() + 6, 120, line), Qt::AlignHCenter | Qt::AlignTop, text);
    }
    painter.setPen(QPen(palette.line, 1));
    painter.drawLine(m_plot.topLeft(), m_plot.bottomLeft());
    painter.drawLine(m_plot.bottomLeft(), m_plot.bottomRight());
    painter.setPen(palette.ink);
    // Below the plot's middle, but a narrow plot has room beside itself.
    const double wide
        = std::min(std::max(m_plot.width(), metrics.horizontalAdvance(m_axes.xTitle) + 2), m_rect.width());
    const double left = std::clamp(m_plot.center().x() - wide / 2, m_rect.left(), m_rect.right() - wide);
    painter.drawText(QRectF(left, m_plot.bottom() + 8 + line, wide, line + 2), Qt::AlignHCenter | Qt::AlignTop,
                     m_axes.xTitle);
    painter.save();
    painter.translate(m_rect.left() + line * 0.6 + 2, m_plot.center().y());
    painter.rotate(-90);
    // Along the plot and as far beyond it as the margins are wide.
    const double room = m_plot.height() + 2 * line;
    painter.drawText(QRectF(-room / 2, -line / 2, room, line), Qt::AlignCenter,
                     QFontMetricsF(painter.font(), painter.device()).elidedText(m_axes.yTitle, Qt::ElideRight, room));
    painter.restore();
}

void PlotFrame::clip(QPainter &painter) const
{
    constexpr double kMark = 5; // marks on the frame are whole
    if (!m_axes.zoom.isAll())
        painter.setClipRect(m_plot.adjusted(-kMark, -kMark, kMark, kMark), Qt::IntersectClip);
}

void paintAxisBreak(QPainter &painter, const QRectF &plot, double yLow, double yHigh, const ViewPalette &palette)
{
    constexpr double kFromEnd = 9;
    constexpr double kGap = 4;
    constexpr double kReach = 5;
    if (yLow <= 0 && yHigh >= 0)
        return;
    const double y = yLow > 0 ? plot.bottom() - kFromEnd : plot.top() + kFromEnd;
    const QPointF along(kReach, -kReach / 2);
    painter.fillRect(QRectF(plot.left() - 1.5, y - kGap / 2, 3, kGap), palette.paper);
    painter.setPen(QPen(palette.muted, 1.2));
    for (const double side : {-kGap / 2, kGap / 2}) {
        const QPointF middle(plot.left(), y + side);
        painter.drawLine(middle - along, middle + along);
    }
}

} // namespace headscope
