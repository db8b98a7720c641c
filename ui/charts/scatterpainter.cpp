#include "ui/charts/scatterpainter.h"

#include "ui/charts/chartstyle.h"
#include "ui/charts/plotframe.h"
#include "ui/heatmap/colorscale.h"
#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

struct ScatterPainterWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::ScatterChart)
};

constexpr double kMarkSize = 8;
constexpr double kLegendMark = 14;
constexpr double kLegendGap = 18;

/// The lines over the plot: coefficients, and the kinds of heads beside them where there is room, else below.
struct ScatterTitle
{
    ScatterTitle(const ScatterSeries &series, const QFontMetricsF &metrics, double width) : line(metrics.height() + 2)
    {
        for (const HeadKind kind : kAllHeadKinds) {
            if (!std::ranges::any_of(series.points, [&](const auto &point) { return point.head.kind == kind; }))
                continue;
            kinds.push_back(kind);
            legendWidth += kLegendMark + metrics.horizontalAdvance(headKindLabel(kind)) + kLegendGap;
        }
        const QString text = correlationText(series);
        const double wide = metrics.horizontalAdvance(text);
        lines = {text};
        if (wide > width - 12) { // the coefficients go below each other
            const QStringList parts = text.split(u"   ·   "_s);
            lines = {parts.value(0), parts.value(1) + u"   ·   "_s + parts.value(2)};
        }
        isLegendBeside = wide + 30 + legendWidth < width;
    }

    double height() const { return static_cast<double>(lines.size() + (isLegendBeside ? 0 : 1)) * line; }

    QStringList lines;
    std::vector<HeadKind> kinds;
    double line = 0;
    double legendWidth = 0;
    bool isLegendBeside = false;
};

double paintLegendEntry(QPainter &painter, double x, double y, HeadKind kind, const ViewPalette &palette)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    drawMarker(painter, QPointF(x + 5, y), kMarkSize, kindStyle(static_cast<int>(kind), palette), false, palette);
    const QString name = headKindLabel(kind);
    const double width = metrics.horizontalAdvance(name);
    painter.setPen(palette.ink);
    painter.drawText(QRectF(x + kLegendMark, y - metrics.height() / 2, width + 2, metrics.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, name);
    return x + kLegendMark + width + kLegendGap;
}

void paintTitle(QPainter &painter, const QRectF &rect, const ScatterTitle &title, const ViewPalette &palette)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    painter.setPen(palette.ink);
    double y = rect.top() + 2;
    for (const QString &text : title.lines) {
        painter.drawText(QRectF(rect.left() + 6, y, rect.width() - 8, title.line), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(text, Qt::ElideRight, rect.width() - 8));
        y += title.line;
    }
    const double row = title.isLegendBeside ? 0 : static_cast<double>(title.lines.size());
    double x = title.isLegendBeside ? rect.right() - title.legendWidth : rect.left() + 8;
    for (const HeadKind kind : title.kinds)
        x = paintLegendEntry(painter, x, rect.top() + 2 + (row + 0.5) * title.line, kind, palette);
}

void paintReferenceLines(QPainter &painter, const PlotFrame &frame, const ScatterPicture &picture)
{
    const ScatterSeries &series = picture.series;
    painter.setPen(QPen(picture.palette.line, 1));
    if (series.low < 0) {
        painter.drawLine(frame.at(series.low, 0), frame.at(series.high, 0));
        painter.drawLine(frame.at(0, series.low), frame.at(0, series.high));
    }
    const QPointF low = frame.at(series.low, series.low);
    const QPointF high = frame.at(series.high, series.high);
    painter.setPen(QPen(picture.palette.muted, 1, Qt::DashLine));
    painter.drawLine(low, high);
    // The low end is where the fewest points are: most heads matter little.
    painter.save();
    painter.translate(low);
    painter.rotate(-std::atan2(low.y() - high.y(), high.x() - low.x()) * 180 / std::numbers::pi);
    const double line = QFontMetricsF(painter.font(), painter.device()).height();
    painter.drawText(QRectF(12, -line - 2, 300, line), Qt::AlignLeft | Qt::AlignTop,
                     ScatterPainterWords::tr("equal on both"));
    painter.restore();
}

PlotAxes axesOf(const ScatterPicture &picture, const QFontMetricsF &metrics, const QSizeF &plot)
{
    const ScatterSeries &series = picture.series;
    const auto ticks = [&](double room, double each) {
        return axisTicks(series.low, series.high, std::clamp(static_cast<int>(room / each), 3, 11));
    };
    const QString pattern = ScatterPainterWords::tr("%1, %2");
    const QString measure
        = series.unit.isEmpty() ? series.measure : QString(series.measure + u" ("_s + series.unit + u')');
    PlotAxes axes;
    axes.xLow = axes.yLow = series.low;
    axes.xHigh = axes.yHigh = series.high;
    axes.xTicks = ticks(plot.width(), 2 * metrics.horizontalAdvance(u"−0.000"_s));
    axes.yTicks = ticks(plot.height(), 2 * metrics.height());
    axes.xTitle = pattern.arg(measure, series.xName);
    axes.yTitle = pattern.arg(measure, series.yName);
    if (metrics.horizontalAdvance(axes.yTitle) > plot.height()) // the other axis says the measure
        axes.yTitle = series.yName;
    axes.zoom = picture.zoom;
    return axes;
}

} // namespace

QString scatterPointText(const ScatterSeries &series, const ScatterSeries::Point &point)
{
    const int decimals = std::min(decimalsOf(roundStep(series.high - series.low, 7)) + 2, 6);
    const bool isSigned = series.low < 0;
    const auto number
        = [&](double value) { return isSigned ? signedText(value, decimals) : numberText(value, decimals); };
    return ScatterPainterWords::tr("%1: in-domain %2, out-of-domain %3")
        .arg(QString::fromStdString(toText(point.head)), number(point.x), number(point.y));
}

PaintedMarks paintScatterChart(QPainter &painter, const QRectF &rect, const ScatterPicture &picture)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QFontMetricsF metrics(painter.font(), painter.device());
    const ScatterTitle title(picture.series, metrics, rect.width());
    const double top = title.height() + 4;
    const PlotAxes axes = axesOf(picture, metrics, rect.size() - QSizeF(80, top + 3 * metrics.height()));
    PlotFrame frame(painter, rect, axes, top);
    if (picture.isSquare) {
        const double beyond = frame.plot().width() - frame.plot().height();
        painter.fillRect(rect, picture.palette.paper);
        frame = PlotFrame(painter, rect.adjusted(0, 0, -std::max(0.0, beyond), std::min(0.0, beyond)), axes, top);
    }
    frame.paint(painter, picture.palette);
    paintTitle(painter, rect, title, picture.palette);
    frame.clip(painter);
    paintReferenceLines(painter, frame, picture);
    PaintedMarks painted{.plot = frame.plot()};
    std::vector<HeadMark> named;
    for (const ScatterSeries::Point &point : picture.series.points) {
        const HeadMark mark{point.head, frame.at(point.x, point.y)};
        drawMarker(painter, mark.centre, kMarkSize, kindStyle(static_cast<int>(point.head.kind), picture.palette),
                   picture.masked.contains(point.head), picture.palette);
        if (paintMarkRings(painter, mark, kMarkSize, picture))
            named.push_back(mark);
        painted.marks.push_back(mark);
    }
    for (const HeadMark &mark : named)
        paintMarkName(painter, mark, rect.right(), picture.palette);
    paintBrush(painter, picture);
    painter.restore();
    return painted;
}

} // namespace headscope
