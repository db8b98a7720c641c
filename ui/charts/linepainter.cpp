#include "ui/charts/linepainter.h"

#include "ui/charts/chartstyle.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPolygonF>

namespace headscope {

namespace {

void paintBand(QPainter &painter, const PlotFrame &frame, const LineSeries::Line &line, const QColor &color)
{
    QPolygonF band;
    for (const LineSeries::Point &point : line.points)
        band << frame.at(point.x, point.high);
    for (auto point = line.points.rbegin(); point != line.points.rend(); ++point)
        band << frame.at(point->x, point->low);
    QColor fill = color;
    fill.setAlphaF(0.13F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawPolygon(band);
}

QPen referencePen(const ViewPalette &palette)
{
    QPen pen(palette.ink, 1.4);
    pen.setDashPattern({4, 3});
    return pen;
}

void paintLegend(QPainter &painter, const PlotFrame &frame, const LinePicture &picture)
{
    constexpr double kSample = 26;
    const QFontMetricsF metrics(painter.font(), painter.device());
    const double y = frame.plot().top() - metrics.height() / 2 - 6;
    double x = frame.plot().left();
    for (const LineSeries::Line &line : picture.series.lines) {
        const OrderStyle style = kindStyle(line.style, picture.palette);
        const QPointF from(x, y);
        const QPointF to(x + kSample, y);
        painter.setPen(curvePen(style.color, false));
        painter.drawLine(from, to);
        drawMarker(painter, (from + to) / 2, 8, style, false, picture.palette);
        painter.setPen(picture.palette.ink);
        painter.drawText(QRectF(to.x() + 6, y - metrics.height() / 2, 2000, metrics.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, line.name);
        x = to.x() + 6 + metrics.horizontalAdvance(line.name) + 22;
    }
    if (!picture.series.reference)
        return;
    painter.setPen(referencePen(picture.palette));
    painter.drawLine(QPointF(x, y), QPointF(x + kSample, y));
    painter.setPen(picture.palette.ink);
    painter.drawText(QRectF(x + kSample + 6, y - metrics.height() / 2, 2000, metrics.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, picture.series.referenceName);
}

} // namespace

QRectF paintLines(QPainter &painter, const QRectF &rect, const LinePicture &picture)
{
    const LineSeries &series = picture.series;
    if (series.empty()) {
        painter.fillRect(rect, picture.palette.paper);
        return {};
    }
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QFontMetricsF metrics(painter.font(), painter.device());
    const PlotFrame frame(painter, rect, series.axes, metrics.height() + 6);
    frame.paint(painter, picture.palette);
    if (series.zeroLine) {
        painter.setPen(QPen(picture.palette.ink, 1));
        painter.drawLine(frame.at(series.axes.xLow, 0), frame.at(series.axes.xHigh, 0));
    }
    if (series.reference) {
        painter.setPen(referencePen(picture.palette));
        painter.drawLine(frame.at(series.axes.xLow, *series.reference), frame.at(series.axes.xHigh, *series.reference));
    }
    for (const LineSeries::Line &line : series.lines)
        paintBand(painter, frame, line, kindStyle(line.style, picture.palette).color);
    for (const LineSeries::Line &line : series.lines) {
        const OrderStyle style = kindStyle(line.style, picture.palette);
        QPolygonF path;
        for (const LineSeries::Point &point : line.points)
            path << frame.at(point.x, point.y);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(curvePen(style.color, false));
        painter.drawPolyline(path);
        for (const QPointF &point : path)
            drawMarker(painter, point, 7, style, false, picture.palette);
    }
    if (picture.cursor) {
        painter.setPen(QPen(picture.palette.accent, 1.5));
        painter.drawLine(frame.at(*picture.cursor, series.axes.yLow), frame.at(*picture.cursor, series.axes.yHigh));
    }
    paintLegend(painter, frame, picture);
    painter.restore();
    return frame.plot();
}

} // namespace headscope
