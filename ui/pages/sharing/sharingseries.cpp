#include "ui/pages/sharing/sharingseries.h"

#include "ui/heatmap/colorscale.h"
#include "ui/models/numbertext.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <tuple>

namespace headscope {
namespace {

QString tr(const char *source, int count = -1)
{
    return QCoreApplication::translate("headscope::Sharing", source, nullptr, count);
}

QString lineName(const SharedPoint &point)
{
    const QString name = point.method == SharingMethod::Cp ? tr("shared by all heads") : tr("heads by themselves");
    switch (point.order) {
    case SharingOrder::ShareOnly:
        return name;
    case SharingOrder::PruneFirst:
        return tr("%n head(s) removed, then %1", static_cast<int>(point.pruned)).arg(name);
    case SharingOrder::ShareFirst:
        return tr("%1, then %n head(s) removed", static_cast<int>(point.pruned)).arg(name);
    }
    return name;
}

/// With this share of the dimensions, between two of which it is a straight line.
double energyAt(const EnergyCurve &curve, double share, std::int64_t dimensions)
{
    const double place = share * static_cast<double>(dimensions);
    const auto at = [&](std::int64_t count) {
        if (count <= 0)
            return 0.0;
        return count >= std::ssize(curve.energy) ? 1.0 : curve.energy[static_cast<std::size_t>(count - 1)];
    };
    const auto below = static_cast<std::int64_t>(std::floor(place));
    const double beyond = place - static_cast<double>(below);
    return (1 - beyond) * at(below) + beyond * at(below + 1);
}

} // namespace

std::vector<const SharedPoint *> sharedPoints(const SharingResults &results)
{
    const auto keyOf = [](const SharedPoint &point) {
        return std::tuple(point.width > 0, point.method, point.order, point.pruned, point.width);
    };
    std::map<std::tuple<bool, SharingMethod, SharingOrder, std::int64_t, std::int64_t>, const SharedPoint *> newest;
    for (const auto &result : results) {
        for (const SharedPoint &point : result->points)
            newest[keyOf(point)] = &point;
    }
    std::vector<const SharedPoint *> points;
    for (const auto &[key, point] : newest)
        points.push_back(point);
    return points;
}

LineSeries makeSharingSeries(const SharingResults &results, std::int64_t fullWidth)
{
    LineSeries series;
    if (results.empty())
        return series;
    const QString metric = QString::fromStdString(results.back()->metric);
    const QString other = QString::fromStdString(results.back()->otherData);
    const ValueFormat format = metricFormat(metric);
    using Key = std::tuple<bool, SharingMethod, SharingOrder, std::int64_t>;
    std::map<Key, LineSeries::Line> lines;
    const auto add = [&](const SharedPoint &point, bool onOther, double score, const Interval &interval) {
        LineSeries::Line &line = lines[{onOther, point.method, point.order, point.pruned}];
        line.name = onOther ? tr("%1, on %2").arg(lineName(point), other) : lineName(point);
        line.points.push_back({static_cast<double>(point.width), score * format.factor, interval.low * format.factor,
                               interval.high * format.factor});
    };
    for (const SharedPoint *shared : sharedPoints(results)) {
        const SharedPoint &point = *shared;
        if (point.width == 0) {
            series.reference = point.score * format.factor;
            series.referenceName = tr("as it is");
            continue;
        }
        add(point, false, point.score, point.interval.value_or(Interval{point.score, point.score}));
        if (point.otherScore)
            add(point, true, *point.otherScore, {*point.otherScore, *point.otherScore});
    }
    for (auto &[key, line] : lines) {
        line.style = static_cast<int>(series.lines.size());
        series.lines.push_back(std::move(line));
    }
    if (series.empty())
        return series;
    series.axes.xHigh = static_cast<double>(fullWidth);
    for (const double tick : roundTicks(0, series.axes.xHigh, 6))
        series.axes.xTicks.emplace_back(tick, QLocale().toString(tick, 'f', 0));
    series.axes.xTitle = tr("columns of the query and key projections");
    const QString unit = format.suffix.trimmed();
    series.axes.yTitle = unit.isEmpty() ? metric : QString(metric + QStringLiteral(" (") + unit + u')');
    fitScores(series);
    return series;
}

LineSeries makeEnergySeries(const EnergyResult &result)
{
    struct Wanted
    {
        EnergyMatrix matrix;
        std::vector<EnergyCurve> LayerEnergy::*curves;
        QString name;
    };
    const Wanted all[] = {{EnergyMatrix::Query, &LayerEnergy::curves, tr("queries")},
                          {EnergyMatrix::Key, &LayerEnergy::curves, tr("keys")},
                          {EnergyMatrix::Product, &LayerEnergy::curves, tr("their product")},
                          {EnergyMatrix::Product, &LayerEnergy::random, tr("random numbers")}};
    constexpr double kShares[] = {0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
    LineSeries series;
    for (const Wanted &wanted : all) {
        LineSeries::Line line{wanted.name, static_cast<int>(series.lines.size()), {}};
        for (const double share : kShares) {
            double sum = 0;
            int count = 0;
            for (const LayerEnergy &layer : result.layers) {
                const auto &curves = layer.*wanted.curves;
                const auto curve = std::ranges::find(curves, wanted.matrix, &EnergyCurve::matrix);
                if (curve == curves.end())
                    continue;
                sum += energyAt(*curve, share, layer.dimensions);
                ++count;
            }
            if (count > 0) {
                const double mean = 100 * sum / count;
                line.points.push_back({100 * share, mean, mean, mean});
            }
        }
        if (!line.points.empty())
            series.lines.push_back(std::move(line));
    }
    if (series.empty())
        return series;
    series.axes.xHigh = 100;
    for (int tick = 0; tick <= 100; tick += 20)
        series.axes.xTicks.emplace_back(tick, tr("%1 %").arg(QLocale().toString(tick)));
    series.axes.xTitle = tr("share of dimensions");
    series.axes.yTitle = tr("energy (%)");
    fitScores(series);
    return series;
}

} // namespace headscope
