#include "ui/charts/histogrampainter.h"

#include "ui/charts/chartstyle.h"
#include "ui/charts/plotframe.h"
#include "ui/models/numbertext.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope {

namespace {

struct HistogramWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::Histogram)
};

PlotAxes axesOf(const HistogramSeries &series)
{
    std::int64_t most = 1;
    for (const HistogramSeries::Bin &bin : series.bins)
        most = std::max(most, bin.heads);
    PlotAxes axes;
    axes.xLow = series.bins.front().low;
    axes.xHigh = series.bins.back().high;
    axes.yHigh = 1.08 * static_cast<double>(most);
    axes.xTicks = axisTicks(axes.xLow, axes.xHigh, 9);
    for (const auto &[value, text] : axisTicks(0, axes.yHigh, 7)) {
        if (value == std::round(value)) // heads are whole
            axes.yTicks.emplace_back(value, countText(static_cast<std::int64_t>(value)));
    }
    axes.xTitle = series.unit.isEmpty()
                    ? HistogramWords::tr("%1 without the head").arg(series.metric)
                    : HistogramWords::tr("%1 without the head (%2)").arg(series.metric, series.unit);
    axes.yTitle = HistogramWords::tr("heads");
    return axes;
}

/// Swatches over the plot; the last is a line.
void paintKey(QPainter &painter, const PlotFrame &frame, const HistogramPicture &picture, const QColor &needed,
              const QColor &other)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    const double y = frame.plot().top() - metrics.height() - 6;
    double x = frame.plot().left();
    const auto words = [&](double wide, const QString &text) {
        painter.setPen(picture.palette.ink);
        painter.drawText(QRectF(x + wide + 6, y, 2000, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter, text);
        x += wide + 6 + metrics.horizontalAdvance(text) + 22;
    };
    const auto swatch = [&](const QColor &color, const QString &text) {
        painter.fillRect(QRectF(x, y + metrics.height() / 2 - 6, 12, 12), color);
        words(12, text);
    };
    swatch(other, HistogramWords::tr("not significant"));
    swatch(needed, HistogramWords::tr("significant (%1)").arg(picture.series.significance.text()));
    QPen pen(picture.palette.ink, 1.6);
    pen.setDashPattern({4, 3});
    painter.setPen(pen);
    painter.drawLine(QPointF(x, y + metrics.height() / 2), QPointF(x + 24, y + metrics.height() / 2));
    words(24, HistogramWords::tr("full model, %1")
                  .arg(metricFormat(picture.series.metric)
                           .score(picture.series.baseline / metricFormat(picture.series.metric).factor)));
}

} // namespace

QRectF paintHistogram(QPainter &painter, const QRectF &rect, const HistogramPicture &picture)
{
    const HistogramSeries &series = picture.series;
    if (series.empty()) {
        painter.fillRect(rect, picture.palette.paper);
        return {};
    }
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QFontMetricsF metrics(painter.font(), painter.device());
    const PlotAxes axes = axesOf(series);
    const PlotFrame frame(painter, rect, axes, metrics.height() + 6);
    frame.paint(painter, picture.palette);
    const QColor needed = orderStyle(QStringLiteral("ablation"), false, picture.palette).color;
    QColor other = orderStyle(QStringLiteral("importance"), false, picture.palette).color;
    other.setAlphaF(0.65F);
    const auto bar = [&](const HistogramSeries::Bin &bin, std::int64_t from, std::int64_t to, const QColor &color) {
        const QRectF box(frame.at(bin.low, static_cast<double>(to)), frame.at(bin.high, static_cast<double>(from)));
        if (to > from)
            painter.fillRect(box.adjusted(1, 0, -1, 0), color);
    };
    for (const HistogramSeries::Bin &bin : series.bins) {
        bar(bin, 0, bin.significant, needed);
        bar(bin, bin.significant, bin.heads, other);
    }
    QPen pen(picture.palette.ink, 1.6);
    pen.setDashPattern({4, 3});
    painter.setPen(pen);
    painter.drawLine(frame.at(series.baseline, 0), frame.at(series.baseline, axes.yHigh));
    paintKey(painter, frame, picture, needed, other);
    painter.restore();
    return frame.plot();
}

} // namespace headscope
