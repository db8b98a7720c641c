#include "ui/charts/lineseries.h"

#include "ui/heatmap/colorscale.h"
#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace headscope {

namespace {

struct LineSeriesWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::LineSeries)
};

} // namespace

void fitScores(LineSeries &series)
{
    double low = series.zeroLine ? 0 : std::numeric_limits<double>::infinity();
    double high = series.zeroLine ? 0 : -low;
    if (series.reference) {
        low = std::min(low, *series.reference);
        high = std::max(high, *series.reference);
    }
    for (const LineSeries::Line &line : series.lines) {
        for (const LineSeries::Point &point : line.points) {
            low = std::min({low, point.y, point.low});
            high = std::max({high, point.y, point.high});
        }
    }
    if (!(low < high)) {
        low = (std::isfinite(low) ? low : 0) - 0.5;
        high = low + 1;
    }
    const double step = roundStep(high - low, 7);
    series.axes.yLow = std::floor(low / step) * step;
    series.axes.yHigh = std::ceil(high / step) * step;
    series.axes.yTicks = axisTicks(series.axes.yLow, series.axes.yHigh, 8);
}

LineSeries makeKindSeries(const PruningResult &eachKind)
{
    LineSeries series;
    const QString metric = QString::fromStdString(eachKind.metric);
    const ValueFormat format = metricFormat(metric);
    for (const PruningCurve &curve : eachKind.curves) {
        if (curve.kinds.size() != 1 || curve.points.empty())
            continue;
        LineSeries::Line line{headKindLongName(curve.kinds.front()), static_cast<int>(curve.kinds.front()), {}};
        for (const PruningPoint &point : curve.points)
            line.points.push_back({100 * point.fraction, point.score * format.factor,
                                   point.interval.low * format.factor, point.interval.high * format.factor});
        series.lines.push_back(std::move(line));
    }
    if (series.empty())
        return series;
    series.axes.xHigh = 100;
    for (int tick = 0; tick <= 100; tick += 10)
        series.axes.xTicks.emplace_back(tick, LineSeriesWords::tr("%1 %").arg(QLocale().toString(tick)));
    series.axes.xTitle = LineSeriesWords::tr("heads of the kind removed");
    const QString unit = format.suffix.trimmed();
    series.axes.yTitle = unit.isEmpty() ? metric : QString(metric + QStringLiteral(" (") + unit + u')');
    fitScores(series);
    return series;
}

void setLayers(PlotAxes &axes, int last)
{
    axes.xLow = -0.25;
    axes.xHigh = last + 0.25;
    for (int layer = 0; layer <= last; ++layer)
        axes.xTicks.emplace_back(layer, QString::number(layer));
}

LineSeries makeSpeedSeries(const SpeedResult &result, LengthPolicy lengths)
{
    LineSeries series;
    series.zeroLine = true;
    std::set<std::int64_t> sizes;
    for (const ModelVersion contender : {ModelVersion::Masked, ModelVersion::Removed}) {
        LineSeries::Line line{contender == ModelVersion::Masked ? LineSeriesWords::tr("heads masked")
                                                                : LineSeriesWords::tr("heads removed"),
                              contender == ModelVersion::Masked ? 1 : 0,
                              {}};
        for (const SpeedRow &row : result.rows) {
            if (row.contender != contender || row.lengths != lengths || std::isnan(row.gain.median))
                continue;
            sizes.insert(row.batchSize);
            line.points.push_back({std::log2(static_cast<double>(row.batchSize)), 100 * row.gain.median,
                                   100 * row.gain.lower, 100 * row.gain.upper});
        }
        std::ranges::sort(line.points, {}, &LineSeries::Point::x);
        if (!line.points.empty())
            series.lines.push_back(std::move(line));
    }
    if (series.empty())
        return series;
    for (const std::int64_t size : sizes)
        series.axes.xTicks.emplace_back(std::log2(static_cast<double>(size)), countText(size));
    series.axes.xLow = series.axes.xTicks.front().first - 0.25;
    series.axes.xHigh = series.axes.xTicks.back().first + 0.25;
    series.axes.xTitle = LineSeriesWords::tr("examples in a batch");
    series.axes.yTitle = LineSeriesWords::tr("examples per second more than the original (%)");
    fitScores(series);
    return series;
}

} // namespace headscope
