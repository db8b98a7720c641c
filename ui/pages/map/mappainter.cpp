#include "ui/pages/map/mappainter.h"

#include "ui/charts/chartstyle.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <vector>

namespace headscope {
namespace {

constexpr double kLargestMark = 18;
constexpr double kSmallestMark = 9;
constexpr double kSmallestLetter = 7;
constexpr double kSwatch = 14;

struct MapPainterWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::HeadMap)
};

/// The marks' places: both directions by the same factor, in the middle of `plot`.
class Plane
{
public:
    Plane(const MapSeries &series, const QRectF &plot, const PlotZoom &zoom)
    {
        const auto [left, right] = std::ranges::minmax(series.points, {}, &MapSeries::Point::x);
        const auto [bottom, top] = std::ranges::minmax(series.points, {}, &MapSeries::Point::y);
        m_middle = QPointF((left.x + right.x) / 2, (bottom.y + top.y) / 2);
        const double wide = std::max(right.x - left.x, 1e-9);
        const double high = std::max(top.y - bottom.y, 1e-9);
        const QRectF &seen = zoom.seen;
        m_factor = std::min(plot.width() / wide, plot.height() / high) / seen.width();
        m_centre = QPointF(plot.left() + (0.5 - seen.left()) / seen.width() * plot.width(),
                           plot.bottom() - (0.5 - seen.top()) / seen.height() * plot.height());
    }
    QPointF at(const MapSeries::Point &point) const
    {
        return m_centre + m_factor * QPointF(point.x - m_middle.x(), m_middle.y() - point.y);
    }
    double pixels(double distance) const { return m_factor * distance; }
    double factor() const { return m_factor; }

private:
    QPointF m_centre;
    QPointF m_middle;
    double m_factor = 1;
};

void paintHead(QPainter &painter, const QPointF &centre, double size, const QColor &color, const QString &mark,
               bool masked, const ViewPalette &palette)
{
    drawMarker(painter, centre, size, {color, MarkerShape::Circle}, masked, palette);
    const int letter = static_cast<int>(size * (mark.size() > 1 ? 0.56 : 0.68));
    if (mark.isEmpty() || letter < kSmallestLetter)
        return;
    const QFont plain = painter.font();
    QFont font = plain;
    font.setBold(true);
    font.setPixelSize(letter);
    painter.setFont(font);
    painter.setPen(masked ? color : readableOn(color));
    painter.drawText(QRectF(centre.x() - size, centre.y() - size, 2 * size, 2 * size), Qt::AlignCenter, mark);
    painter.setFont(plain);
}

/// Returns where the map begins.
double paintLegend(QPainter &painter, const QRectF &rect, const MapPicture &picture)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    const double line = std::max(metrics.height(), kSwatch) + 4;
    QPointF at(rect.left(), rect.top() + line / 2);
    const auto entry = [&](const QColor &color, const QString &mark, const QString &name) {
        const double wide = kSwatch + 6 + metrics.horizontalAdvance(name);
        if (at.x() > rect.left() && at.x() + wide > rect.right())
            at = QPointF(rect.left(), at.y() + line);
        paintHead(painter, at + QPointF(kSwatch / 2, 0), kSwatch, color, mark, false, picture.palette);
        painter.setPen(picture.palette.ink);
        painter.drawText(QRectF(at.x() + kSwatch + 4, at.y() - line / 2, 2000, line), Qt::AlignLeft | Qt::AlignVCenter,
                         name);
        at.rx() += wide + 14;
    };
    for (const MapSeries::Group &group : picture.series.groups)
        entry(mapColor(picture.series, group, picture.palette), group.mark, group.name);
    if (std::ranges::any_of(picture.series.points, [](const MapSeries::Point &point) { return !point.group; }))
        entry(picture.palette.muted, {},
              picture.series.coloring == MapColoring::Role ? MapPainterWords::tr("no role")
                                                           : MapPainterWords::tr("no clear behaviour"));
    return at.y() + line / 2;
}

/// A scale bar of a round distance, as there are no axes.
void paintRuler(QPainter &painter, const QRectF &rect, const Plane &plane, const MapPicture &picture)
{
    const double most = rect.width() / 5 / plane.factor();
    const double power = std::pow(10, std::floor(std::log10(most)));
    const double length = most >= 5 * power ? 5 * power : most >= 2 * power ? 2 * power : power;
    const QPointF right = rect.bottomRight() - QPointF(8, 8);
    const QPointF left = right - QPointF(plane.pixels(length), 0);
    painter.setPen(QPen(picture.palette.line, 1.5));
    painter.drawLine(left, right);
    painter.drawLine(left + QPointF(0, -3), left + QPointF(0, 3));
    painter.drawLine(right + QPointF(0, -3), right + QPointF(0, 3));
    const QFontMetricsF metrics(painter.font(), painter.device());
    painter.setPen(picture.palette.muted);
    painter.drawText(QRectF(right.x() - 300, right.y() - 4 - metrics.height(), 300, metrics.height()),
                     Qt::AlignRight | Qt::AlignBottom,
                     MapPainterWords::tr("distance %1").arg(QLocale().toString(length, 'g', 2)));
    painter.drawText(QRectF(rect.left() + 4, right.y() + 4 - metrics.height(), rect.width() / 2, metrics.height()),
                     Qt::AlignLeft | Qt::AlignBottom,
                     MapPainterWords::tr("stress %1").arg(QLocale().toString(picture.series.stress, 'f', 3)));
}

} // namespace

PaintedMarks paintMap(QPainter &painter, const QRectF &rect, const MapPicture &picture)
{
    painter.fillRect(rect, picture.palette.paper);
    if (picture.series.empty())
        return {};
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const double top = paintLegend(painter, rect, picture);
    const QRectF area(QPointF(rect.left(), top), rect.bottomRight());
    const double ruler = QFontMetricsF(painter.font(), painter.device()).height() + 14;
    const Plane plane(picture.series, area.adjusted(kLargestMark, kLargestMark, -kLargestMark, -kLargestMark - ruler),
                      picture.zoom);
    const double share = std::sqrt(area.width() * area.height() / static_cast<double>(picture.series.points.size()));
    const double size = std::clamp(share / 3, kSmallestMark, kLargestMark);
    paintRuler(painter, area, plane, picture);
    if (!picture.zoom.isAll())
        painter.setClipRect(area.adjusted(0, 0, 0, -ruler), Qt::IntersectClip);
    std::vector<HeadMark> marks;
    std::vector<HeadMark> named;
    for (const MapSeries::Point &point : picture.series.points) {
        const HeadMark mark{point.head, plane.at(point)};
        const MapSeries::Group *group = point.group ? &picture.series.groups[*point.group] : nullptr;
        paintHead(painter, mark.centre, group ? size : size * 0.7,
                  group ? mapColor(picture.series, *group, picture.palette) : picture.palette.muted,
                  group ? group->mark : QString(), picture.masked.contains(point.head), picture.palette);
        marks.push_back(mark);
    }
    for (const HeadMark &mark : marks) {
        if (paintMarkRings(painter, mark, size, picture))
            named.push_back(mark);
    }
    for (const HeadMark &mark : named)
        paintMarkName(painter, mark, rect.right(), picture.palette);
    paintBrush(painter, picture);
    painter.restore();
    return {marks, area.adjusted(0, 0, 0, -ruler)};
}

} // namespace headscope
