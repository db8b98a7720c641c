#include "ui/pages/training/gateseries.h"

#include "ui/models/numbertext.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace headscope {

namespace {

constexpr int kTicks = 5;

struct GateWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::GateSeries)
};

LineSeries::Line openLine(const TrainingReport &report)
{
    LineSeries::Line line{.name = GateWords::tr("open heads, %"), .style = 0, .points = {}};
    for (const TrainingPoint &point : report.points) {
        const double open
            = 100 * expectedOpen(point) / static_cast<double>(std::max<std::size_t>(1, point.closed.size()));
        line.points.push_back({static_cast<double>(point.step), open, open, open});
    }
    return line;
}

LineSeries::Line scoreLine(const TrainingReport &report)
{
    LineSeries::Line line{.name = {}, .style = 1, .points = {}};
    double best = 0;
    for (const TrainingEpoch &epoch : report.epochs) {
        if (epoch.score && (best == 0 || gain(epoch.better, *epoch.score - best) > 0))
            best = *epoch.score;
    }
    if (best == 0)
        return line;
    for (const TrainingEpoch &epoch : report.epochs) {
        if (!epoch.score)
            continue;
        line.name = GateWords::tr("%1, % of the best").arg(QString::fromStdString(epoch.metric));
        const double share = 100 * *epoch.score / best;
        line.points.push_back({static_cast<double>(epoch.step), share, share, share});
    }
    return line;
}

} // namespace

GridContent gateContent(const TrainingReport &report, std::size_t point)
{
    GridContent content = emptyContent(gatedHeads(report));
    content.measure = GateWords::tr("P(gate = 0)");
    content.symbol = GateWords::tr("P(gate = 0)");
    content.format = {1, 3, {}, GateWords::tr("closed")};
    const auto &closed = report.points[point].closed;
    for (HeadCell &cell : content.cells) {
        if (const auto found = closed.find(cell.head); found != closed.end())
            cell.value = found->second;
    }
    return content;
}

LineSeries makeGateSeries(const TrainingReport &report)
{
    LineSeries series;
    if (gatedHeads(report).size() == 0)
        return series;
    for (LineSeries::Line line : {openLine(report), scoreLine(report)}) {
        if (!line.points.empty())
            series.lines.push_back(std::move(line));
    }
    const std::int64_t last = std::max(report.points.back().step, report.totalSteps);
    series.axes.xHigh = static_cast<double>(std::max<std::int64_t>(1, last));
    for (int tick = 0; tick <= kTicks; ++tick) {
        const std::int64_t step = last * tick / kTicks;
        series.axes.xTicks.emplace_back(static_cast<double>(step), countText(step));
    }
    series.axes.xTitle = GateWords::tr("updates");
    series.axes.yTitle = GateWords::tr("%");
    fitScores(series);
    return series;
}

HeadMask closedByNow(const TrainingReport &report)
{
    return report.epochs.empty() ? HeadMask() : report.epochs.back().mask.value_or(HeadMask());
}

} // namespace headscope
