#include "ui/pages/sharing/sharingseries.h"

#include "ui/heatmap/colorscale.h"
#include "ui/models/numbertext.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace headscope {
namespace {

struct SharingWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::Sharing)
};

QString methodName(SharingMethod method)
{
    return method == SharingMethod::Cp ? SharingWords::tr("shared by all heads")
                                       : SharingWords::tr("heads by themselves");
}

QString groupName(const SharedPoint &point)
{
    switch (point.order) {
    case SharingOrder::ShareOnly:
        break;
    case SharingOrder::PruneOnly:
        return SharingWords::tr("heads removed");
    case SharingOrder::PruneFirst:
        return SharingWords::tr("heads removed, then %1").arg(methodName(point.method));
    case SharingOrder::ShareFirst:
        return SharingWords::tr("%1, then heads removed").arg(methodName(point.method));
    }
    return methodName(point.method);
}

/// Sharing alone and pruning alone are the colours that the two orders are told apart from.
int groupStyle(SharingOrder order)
{
    switch (order) {
    case SharingOrder::ShareOnly:
        return 0;
    case SharingOrder::PruneOnly:
        return 1;
    case SharingOrder::PruneFirst:
        return 2;
    case SharingOrder::ShareFirst:
        break;
    }
    return 3;
}

bool isWhole(const SharedPoint &point)
{
    return point.width == 0 && point.order == SharingOrder::ShareOnly;
}

QString scoreTitle(const QString &metric)
{
    const QString unit = metricFormat(metric).suffix.trimmed();
    return unit.isEmpty() ? metric : QString(metric + QStringLiteral(" (") + unit + u')');
}

void setWidths(PlotAxes &axes, std::int64_t fullWidth)
{
    axes.xHigh = static_cast<double>(fullWidth);
    for (const double tick : roundTicks(0, axes.xHigh, 6))
        axes.xTicks.emplace_back(tick, QLocale().toString(tick, 'f', 0));
    axes.xTitle = SharingWords::tr("columns of the query and key projections");
}

/// Of all `points`, with room at both ends.
void setParameters(PlotAxes &axes, const std::vector<const SharedPoint *> &points, double unit)
{
    const auto [smallest, largest] = std::ranges::minmax(points, {}, &SharedPoint::parameters);
    const double low = static_cast<double>(smallest->parameters) / unit;
    const double high = static_cast<double>(largest->parameters) / unit;
    const double room = std::max(0.04 * (high - low), 0.001 * high);
    axes.xLow = low - room;
    axes.xHigh = high + room;
    axes.xTicks = axisTicks(axes.xLow, axes.xHigh, 7);
    axes.xTitle = unit > 1 ? SharingWords::tr("parameters (million)") : SharingWords::tr("parameters");
}

/// Where a point lies over its parameters, which are counted in `unit`.
LineSeries::Point parameterPoint(const SharedPoint &point, bool onOther, double unit, const QString &metric)
{
    const ValueFormat format = metricFormat(metric);
    const double score = onOther ? *point.otherScore : point.score;
    const std::optional<Interval> interval = onOther ? std::nullopt : point.interval;
    const Interval range = interval.value_or(Interval{score, score});
    return {.x = static_cast<double>(point.parameters) / unit,
            .y = score * format.factor,
            .low = range.low * format.factor,
            .high = range.high * format.factor,
            .name
            = SharingWords::tr("%1: %2 %3, %4 parameters")
                  .arg(sharedPointName(point), metric, format.score(score, interval), countText(point.parameters))};
}

using SharingGroups = std::map<std::pair<SharingOrder, SharingMethod>, LineSeries::Line>;

/// The full model is where removing heads begins.
void addToGroup(SharingGroups &groups, const SharedPoint &point, const LineSeries::Point &place)
{
    const SharingOrder order = isWhole(point) ? SharingOrder::PruneOnly : point.order;
    LineSeries::Line &group = groups[{order, isWhole(point) ? SharingMethod::Cp : point.method}];
    group.name = isWhole(point) ? SharingWords::tr("heads removed") : groupName(point);
    group.style = groupStyle(order);
    group.hollow = point.method == SharingMethod::Svd;
    group.look = LineSeries::Look::Points;
    group.points.push_back(place);
}

} // namespace

std::vector<const SharedPoint *> sharedPoints(const SharingResults &results)
{
    const auto keyOf = [](const SharedPoint &point) {
        return std::tuple(!isWhole(point), point.method, point.order, point.pruned, point.width);
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
    std::map<std::pair<bool, SharingMethod>, LineSeries::Line> lines;
    const auto add = [&](const SharedPoint &point, bool onOther, double score, const Interval &interval) {
        LineSeries::Line &line = lines[{onOther, point.method}];
        line.name
            = onOther ? SharingWords::tr("%1, on %2").arg(methodName(point.method), other) : methodName(point.method);
        line.points.push_back({static_cast<double>(point.width), score * format.factor, interval.low * format.factor,
                               interval.high * format.factor});
    };
    for (const SharedPoint *shared : sharedPoints(results)) {
        const SharedPoint &point = *shared;
        if (point.order != SharingOrder::ShareOnly)
            continue;
        if (isWhole(point)) {
            series.reference = point.score * format.factor;
            series.referenceName = SharingWords::tr("as it is");
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
    setWidths(series.axes, fullWidth);
    series.axes.yTitle = scoreTitle(metric);
    fitScores(series);
    return series;
}

QString sharedPointName(const SharedPoint &point)
{
    if (isWhole(point))
        return SharingWords::tr("as it is");
    const QString removed = SharingWords::tr("%n head(s) removed", nullptr, static_cast<int>(point.pruned));
    if (point.order == SharingOrder::PruneOnly)
        return removed;
    const QString shared
        = SharingWords::tr("%n column(s), %1", nullptr, static_cast<int>(point.width)).arg(methodName(point.method));
    if (point.order == SharingOrder::ShareOnly)
        return shared;
    const QString both = SharingWords::tr("%1, then %2");
    return point.order == SharingOrder::PruneFirst ? both.arg(removed, shared) : both.arg(shared, removed);
}

LineSeries makeFrontSeries(const SharingResults &results, bool onOther, const QString &dataName)
{
    LineSeries series;
    const std::vector<const SharedPoint *> points = sharedPoints(results);
    if (points.size() < 2) // the full model alone
        return series;
    const QString metric = QString::fromStdString(results.back()->metric);
    const std::vector<bool> front = paretoFront(points, results.back()->better, onOther);
    const auto largest = (*std::ranges::max_element(points, {}, &SharedPoint::parameters))->parameters;
    const double unit = largest >= 1'000'000 ? 1e6 : 1;
    LineSeries::Line outline{.name = SharingWords::tr("Pareto front"), .points = {}, .look = LineSeries::Look::Outline};
    SharingGroups groups;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const SharedPoint &point = *points[i];
        if (onOther && !point.otherScore)
            continue;
        const LineSeries::Point place = parameterPoint(point, onOther, unit, metric);
        if (front[i])
            outline.points.push_back(place);
        if (isWhole(point)) {
            series.reference = place.y;
            series.referenceName = SharingWords::tr("as it is");
        }
        addToGroup(groups, point, place);
    }
    if (groups.empty())
        return series;
    std::ranges::sort(outline.points, {}, &LineSeries::Point::x);
    for (LineSeries::Point &point : outline.points)
        point = {.x = point.x, .y = point.y, .low = point.y, .high = point.y}; // named where it is marked
    series.lines.push_back(std::move(outline));
    for (auto &[key, group] : groups)
        series.lines.push_back(std::move(group));
    setParameters(series.axes, points, unit);
    series.axes.yTitle
        = SharingWords::tr("%1 on %2")
              .arg(scoreTitle(metric), onOther ? QString::fromStdString(results.back()->otherData) : dataName);
    fitScores(series);
    return series;
}

} // namespace headscope
