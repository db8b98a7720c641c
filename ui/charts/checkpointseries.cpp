#include "ui/charts/checkpointseries.h"

#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {

constexpr double kMostRemoved = 0.95; ///< without any head there is nothing left to compare
constexpr int kMostTicks = 12;

struct DynamicsWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::DynamicsSeries)
};

LineSeries::Point pointAt(double x, double y)
{
    return {x, y, y, y};
}

QString percent(double share)
{
    return DynamicsWords::tr("%1 %").arg(QLocale().toString(std::lround(100 * share)));
}

void setScoreTitle(LineSeries &series, const DynamicsResult &result)
{
    series.axes.yTitle = DynamicsWords::tr("%1, % of the full model").arg(QString::fromStdString(result.metric));
    series.reference = 100;
    series.referenceName = DynamicsWords::tr("full model");
    fitScores(series);
}

/// As many ticks as do not touch: the nearer the numbers, the fewer of them.
void setCheckpointTicks(PlotAxes &axes, const DynamicsResult &result)
{
    axes.xLow = checkpointPlace(result, 0);
    axes.xHigh = checkpointPlace(result, result.checkpoints.size() - 1);
    const double room = std::max(axes.xHigh - axes.xLow, 1.0) / kMostTicks;
    std::optional<double> last;
    for (std::size_t i = 0; i < result.checkpoints.size(); ++i) {
        const double place = checkpointPlace(result, i);
        if (last && place - *last < room)
            continue;
        axes.xTicks.emplace_back(place, countText(result.checkpoints[i].number));
        last = place;
    }
    axes.xLow -= room / 4;
    axes.xHigh += room / 4;
}

} // namespace

double checkpointPlace(const DynamicsResult &result, std::size_t checkpoint)
{
    const auto logarithm = [](std::int64_t number) { return std::log2(static_cast<double>(number)); };
    const std::int64_t number = result.checkpoints[checkpoint].number;
    if (number > 0)
        return logarithm(number);
    const auto first = std::ranges::find_if(result.checkpoints, [](const auto &one) { return one.number > 0; });
    return first == result.checkpoints.end() ? 0 : logarithm(first->number) - 1;
}

QString checkpointText(const DynamicsCheckpoint &checkpoint)
{
    QString word = QString::fromStdString(checkpoint.name);
    while (!word.isEmpty() && !word.back().isLetter())
        word.chop(1);
    return word.isEmpty() ? countText(checkpoint.number) : QString(word + u' ' + countText(checkpoint.number));
}

LineSeries makeShareSeries(const DynamicsResult &result)
{
    LineSeries series;
    if (result.checkpoints.empty())
        return series;
    const auto &steps = result.checkpoints.front().curve;
    for (std::size_t step = 1; step < steps.size() && steps[step].fraction < kMostRemoved; ++step) {
        LineSeries::Line line{.name = percent(steps[step].fraction), .points = {}, .rank = 1 - steps[step].fraction};
        for (std::size_t i = 0; i < result.checkpoints.size(); ++i) {
            const auto &curve = result.checkpoints[i].curve;
            if (step < curve.size() && curve[step].relative)
                line.points.push_back(pointAt(checkpointPlace(result, i), 100 * *curve[step].relative));
        }
        if (!line.points.empty())
            series.lines.push_back(std::move(line));
    }
    if (series.empty())
        return series;
    setCheckpointTicks(series.axes, result);
    series.axes.xTitle = DynamicsWords::tr("checkpoint (log)");
    setScoreTitle(series, result);
    return series;
}

LineSeries makeCheckpointSeries(const DynamicsResult &result, const std::vector<std::size_t> &checkpoints)
{
    LineSeries series;
    for (std::size_t i = 0; i < checkpoints.size(); ++i) {
        const DynamicsCheckpoint &checkpoint = result.checkpoints[checkpoints[i]];
        const double last = std::max<double>(1, static_cast<double>(checkpoints.size()) - 1);
        LineSeries::Line line{.name = checkpointText(checkpoint), .points = {}, .rank = static_cast<double>(i) / last};
        for (const DynamicsPoint &point : checkpoint.curve) {
            if (point.relative)
                line.points.push_back(pointAt(100 * point.fraction, 100 * *point.relative));
        }
        if (!line.points.empty())
            series.lines.push_back(std::move(line));
    }
    if (series.empty())
        return series;
    series.axes.xHigh = 100;
    for (int tick = 0; tick <= 100; tick += 20)
        series.axes.xTicks.emplace_back(tick, percent(tick / 100.0));
    series.axes.xTitle = DynamicsWords::tr("heads removed");
    setScoreTitle(series, result);
    return series;
}

LineSeries makeSpreadSeries(const DynamicsResult &result)
{
    std::map<std::pair<HeadKind, int>, LineSeries::Line> lines;
    for (std::size_t i = 0; i < result.checkpoints.size(); ++i) {
        for (const LayerSpread &layer : result.checkpoints[i].spreads) {
            LineSeries::Line &line = lines[{layer.kind, layer.layer}];
            line.name = DynamicsWords::tr("%1, layer %2")
                            .arg(headKindShortTitle(layer.kind), QLocale().toString(layer.layer));
            line.points.push_back(pointAt(checkpointPlace(result, i), layer.spread));
        }
    }
    LineSeries series;
    const double last = std::max<double>(1, static_cast<double>(lines.size()) - 1);
    for (auto &[place, line] : lines) {
        line.rank = static_cast<double>(series.lines.size()) / last;
        series.lines.push_back(std::move(line));
    }
    if (series.empty())
        return series;
    setCheckpointTicks(series.axes, result);
    series.axes.xTitle = DynamicsWords::tr("checkpoint (log)");
    series.axes.yTitle = DynamicsWords::tr("mean distance of two heads");
    fitScores(series);
    return series;
}

std::vector<std::size_t> defaultCheckpoints(const DynamicsResult &result)
{
    // A score of 0 has no curve: where training begins with one, the first checkpoint with another score represents the
    // beginning.
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < result.checkpoints.size(); ++i) {
        if (result.checkpoints[i].score != 0)
            all.push_back(i);
    }
    if (all.size() <= 4)
        return all;
    return {all[0], all[1], all[all.size() / 2], all.back()};
}

} // namespace headscope
