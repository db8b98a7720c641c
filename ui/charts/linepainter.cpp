#include "ui/charts/linepainter.h"

#include "ui/charts/chartstyle.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPolygonF>
#include <QStringList>

#include <algorithm>
#include <cstddef>
#include <vector>

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

void paintIntervals(QPainter &painter, const PlotFrame &frame, const LineSeries::Line &line, QColor color)
{
    color.setAlphaF(0.4F);
    painter.setPen(QPen(color, 1.2));
    for (const LineSeries::Point &point : line.points)
        painter.drawLine(frame.at(point.x, point.low), frame.at(point.x, point.high));
}

OrderStyle styleOf(const LineSeries::Line &line, const ViewPalette &palette)
{
    return line.rank ? rankStyle(*line.rank, palette) : kindStyle(line.style, palette);
}

QPen outlinePen(const ViewPalette &palette)
{
    QPen pen(palette.muted, 1.4);
    pen.setJoinStyle(Qt::RoundJoin);
    return pen;
}

QPen thinPen(QColor color)
{
    color.setAlphaF(0.45F);
    QPen pen(color, 1);
    pen.setJoinStyle(Qt::RoundJoin);
    return pen;
}

QPen referencePen(const ViewPalette &palette)
{
    QPen pen(palette.ink, 1.4);
    pen.setDashPattern({4, 3});
    return pen;
}

/// The positions of the legend's entries, in rows over the plot: the left middle of each, the reference's last.
struct LegendPlaces
{
    std::vector<QPointF> places{};
    double height = 0;
    double sample = 26;    ///< of a line
    bool overAxis = false; ///< begins at the picture's left side, not at the plot's
};

LegendPlaces placeLegend(const LineSeries &series, const QFontMetricsF &metrics, double width, LegendPlaces legend,
                         double gap)
{
    QStringList names;
    for (const LineSeries::Line &line : series.lines)
        names << (line.look == LineSeries::Look::Thin ? QString() : line.name);
    if (series.reference)
        names << series.referenceName;
    const double high = metrics.height() + 3;
    QPointF place(0, high / 2 + 2);
    for (const QString &name : names) {
        if (name.isEmpty()) {
            legend.places.push_back(place);
            continue;
        }
        const double wide = legend.sample + 6 + metrics.horizontalAdvance(name);
        if (place.x() > 0 && place.x() + wide > width)
            place = {0, place.y() + high};
        legend.places.push_back(place);
        place.rx() += wide + gap;
    }
    legend.height = place.y() + high / 2;
    return legend;
}

/// Over the plot; where that takes too many rows, closer together and over the axis too.
LegendPlaces placeLegend(const LineSeries &series, const QFontMetricsF &metrics, const QSizeF &size)
{
    constexpr double kBesidePlot = 80; // about what the axis takes
    LegendPlaces legend = placeLegend(series, metrics, size.width() - kBesidePlot, {}, 22);
    if (legend.height > size.height() / 5)
        legend = placeLegend(series, metrics, size.width() - 8, {.sample = 18, .overAxis = true}, 10);
    return legend;
}

void paintLegend(QPainter &painter, const QRectF &rect, const PlotFrame &frame, const LinePicture &picture,
                 const LegendPlaces &legend)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    const QPointF corner(legend.overAxis ? rect.left() + 4 : frame.plot().left(),
                         frame.plot().top() - legend.height - 4);
    const auto words = [&](const QPointF &place, const QString &text) {
        painter.setPen(picture.palette.ink);
        painter.drawText(
            QRectF(place.x() + legend.sample + 6, place.y() - metrics.height() / 2, 2000, metrics.height()),
            Qt::AlignLeft | Qt::AlignVCenter, text);
    };
    for (std::size_t i = 0; i < picture.series.lines.size(); ++i) {
        const LineSeries::Line &line = picture.series.lines[i];
        if (line.look == LineSeries::Look::Thin)
            continue;
        const OrderStyle style = styleOf(line, picture.palette);
        const QPointF place = corner + legend.places[i];
        painter.setPen(line.look == LineSeries::Look::Outline ? outlinePen(picture.palette)
                                                              : curvePen(style.color, false));
        if (line.look != LineSeries::Look::Points)
            painter.drawLine(place, place + QPointF(legend.sample, 0));
        if (line.look != LineSeries::Look::Outline)
            drawMarker(painter, place + QPointF(legend.sample / 2, 0), 8, style, line.hollow, picture.palette);
        words(place, line.name);
    }
    if (!picture.series.reference)
        return;
    const QPointF place = corner + legend.places.back();
    painter.setPen(referencePen(picture.palette));
    painter.drawLine(place, place + QPointF(legend.sample, 0));
    words(place, picture.series.referenceName);
}

constexpr double kLeader = 16; ///< between a line's end and its name

/// Whether lines end so near to each other that names beside them would not say which is which.
bool endTogether(const LineSeries &series, const QFontMetricsF &metrics, const QSizeF &size)
{
    std::vector<double> ends;
    const double plot = size.height() - 3 * metrics.height();
    for (const LineSeries::Line &line : series.lines) {
        const auto last = std::ranges::max_element(line.points, {}, &LineSeries::Point::x);
        ends.push_back((last->y - series.axes.yLow) / (series.axes.yHigh - series.axes.yLow) * plot);
    }
    std::ranges::sort(ends);
    for (std::size_t i = 1; i < ends.size(); ++i) {
        if (ends[i] - ends[i - 1] < metrics.height() / 2)
            return true;
    }
    return false;
}

/// How wide the names beside the lines' ends are; 0: they have no room there, a legend says them.
double endNamesWidth(const LineSeries &series, const QFontMetricsF &metrics, const QSizeF &size)
{
    constexpr double kMostShare = 0.34;
    std::size_t names = 0;
    double widest = 0;
    for (const LineSeries::Line &line : series.lines) {
        if (line.look != LineSeries::Look::Line || line.points.empty())
            return 0;
        ++names;
        widest = std::max(widest, metrics.horizontalAdvance(line.name));
    }
    if (endTogether(series, metrics, size))
        return 0;
    const double wide = kLeader + widest + 4;
    const double high = static_cast<double>(names) * metrics.height();
    const double axes = 3 * metrics.height();
    constexpr double kLeastPlot = 85;
    constexpr double kAxis = 80; // about what it takes
    const bool fits = wide < kMostShare * size.width() && size.width() - wide - kAxis > kLeastPlot;
    return names > 1 && fits && high < size.height() - axes ? wide : 0;
}

struct EndName
{
    QPointF end;
    double y = 0;
    QString text;
    QPen pen;
};

/// In the order of the lines' ends, as near to them as they can be without covering each other.
std::vector<EndName> placeEndNames(const PlotFrame &frame, const LinePicture &picture, double high)
{
    const QRectF &plot = frame.plot();
    std::vector<EndName> names;
    for (const LineSeries::Line &line : picture.series.lines) {
        const auto last = std::ranges::max_element(line.points, {}, &LineSeries::Point::x);
        // Faint: a line that ends early does not go on.
        QColor faint = styleOf(line, picture.palette).color;
        faint.setAlphaF(0.6F);
        const QPointF end = frame.at(last->x, last->y);
        const QPointF seen(std::min(end.x(), plot.right()), std::clamp(end.y(), plot.top(), plot.bottom()));
        names.push_back({seen, seen.y(), line.name, QPen(faint, 1, Qt::DotLine)});
    }
    std::ranges::stable_sort(names, {}, &EndName::y);
    double least = plot.top() - high / 2;
    for (EndName &name : names) { // down from the top, then up again from the bottom
        name.y = std::max(name.y, least + high / 2);
        least = name.y + high / 2;
    }
    double most = plot.bottom() + high / 2;
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
        name->y = std::min(name->y, most - high / 2);
        most = name->y - high / 2;
    }
    return names;
}

void paintEndNames(QPainter &painter, const PlotFrame &frame, const LinePicture &picture)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    const double high = metrics.height();
    const QRectF &plot = frame.plot();
    const std::vector<EndName> names = placeEndNames(frame, picture, high);
    const double left = plot.right() + kLeader;
    for (const EndName &name : names) {
        painter.setPen(name.pen);
        painter.drawLine(name.end, QPointF(plot.right() + 4, name.end.y()));
        painter.drawLine(QPointF(plot.right() + 4, name.end.y()), QPointF(left - 3, name.y));
        painter.setPen(picture.palette.ink);
        painter.drawText(QRectF(left, name.y - high / 2, 2000, high), Qt::AlignLeft | Qt::AlignVCenter, name.text);
    }
    if (!picture.series.reference)
        return;
    // Over its line, where lines have mostly left it.
    const QString &text = picture.series.referenceName;
    const double wide = std::min(metrics.horizontalAdvance(text) + 4, plot.width());
    const QPointF line = frame.at(frame.axes().xHigh, *picture.series.reference);
    const QRectF box(plot.right() - wide, std::max(line.y() - high - 1, plot.top() - high), wide, high);
    if (std::ranges::any_of(names, [&](const EndName &name) { return box.contains({box.center().x(), name.end.y()}); }))
        painter.fillRect(box, picture.palette.paper); // no leader through the words
    painter.setPen(picture.palette.ink);
    painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, metrics.elidedText(text, Qt::ElideRight, wide));
}

void paintLine(QPainter &painter, const PlotFrame &frame, const LineSeries::Line &line, const ViewPalette &palette)
{
    const OrderStyle style = styleOf(line, palette);
    QPolygonF path;
    for (const LineSeries::Point &point : line.points)
        path << frame.at(point.x, point.y);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(line.look == LineSeries::Look::Outline ? outlinePen(palette)
                   : line.look == LineSeries::Look::Thin  ? thinPen(style.color)
                                                          : curvePen(style.color, false));
    if (line.look != LineSeries::Look::Points)
        painter.drawPolyline(path);
    if (line.look == LineSeries::Look::Outline || line.look == LineSeries::Look::Thin)
        return;
    for (const QPointF &point : path)
        drawMarker(painter, point, 7, style, line.hollow, palette);
}

/// Over everything else, beside the point or where there is room for it.
void paintPointed(QPainter &painter, const QRectF &rect, const QPointF &centre, const QString &name,
                  const ViewPalette &palette)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(palette.ink, 1.4));
    painter.drawEllipse(centre, 8, 8);
    const QString text = metrics.elidedText(name, Qt::ElideRight, rect.width() - 12);
    const QSizeF size(metrics.horizontalAdvance(text) + 12, metrics.height() + 4);
    const double left
        = std::clamp(centre.x() - size.width() / 2, rect.left(), std::max(rect.left(), rect.right() - size.width()));
    const bool above = centre.y() - size.height() - 12 > rect.top();
    const QRectF box(QPointF(left, above ? centre.y() - size.height() - 12 : centre.y() + 12), size);
    QColor back = palette.paper;
    back.setAlphaF(0.92F);
    painter.setPen(QPen(palette.line, 1));
    painter.setBrush(back);
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(palette.ink);
    painter.drawText(box, Qt::AlignCenter, text);
}

} // namespace

namespace {
/// What lies between the axes.
void paintPlot(QPainter &painter, const PlotFrame &frame, const LinePicture &picture)
{
    const LineSeries &series = picture.series;
    painter.save();
    frame.clip(painter);
    if (series.zeroLine) {
        painter.setPen(QPen(picture.palette.ink, 1));
        painter.drawLine(frame.at(series.axes.xLow, 0), frame.at(series.axes.xHigh, 0));
    }
    if (series.reference) {
        painter.setPen(referencePen(picture.palette));
        painter.drawLine(frame.at(series.axes.xLow, *series.reference), frame.at(series.axes.xHigh, *series.reference));
    }
    for (const LineSeries::Line &line : series.lines) {
        const QColor color = styleOf(line, picture.palette).color;
        if (line.look == LineSeries::Look::Line)
            paintBand(painter, frame, line, color);
        else if (line.look == LineSeries::Look::Points)
            paintIntervals(painter, frame, line, color);
    }
    for (const LineSeries::Line &line : series.lines)
        paintLine(painter, frame, line, picture.palette);
    if (picture.cursor) {
        painter.setPen(QPen(picture.palette.accent, 1.5));
        painter.drawLine(frame.at(*picture.cursor, series.axes.yLow), frame.at(*picture.cursor, series.axes.yHigh));
    }
    painter.restore();
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
    const double atEnds = endNamesWidth(series, metrics, rect.size());
    const LegendPlaces legend = atEnds > 0 ? LegendPlaces() : placeLegend(series, metrics, rect.size());
    const PlotFrame frame(painter, rect.adjusted(0, 0, atEnds > 0 ? 12 - atEnds : 0, 0), series.axes, legend.height);
    painter.fillRect(rect, picture.palette.paper);
    frame.paint(painter, picture.palette);
    paintAxisBreak(painter, frame.plot(), frame.axes().yLow, frame.axes().yHigh, picture.palette);
    paintPlot(painter, frame, picture);
    if (atEnds > 0)
        paintEndNames(painter, frame, picture);
    else
        paintLegend(painter, rect, frame, picture, legend);
    if (picture.pointed) {
        const LineSeries::Point &point = series.lines.at(picture.pointed->line).points.at(picture.pointed->point);
        paintPointed(painter, rect, frame.at(point.x, point.y), point.name, picture.palette);
    }
    painter.restore();
    return frame.plot();
}

} // namespace headscope
