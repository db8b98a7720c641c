#include "ui/pages/training/survivorseries.h"

#include "core/train/concreteshape.h"
#include "ui/exporting/csvtext.h"
#include "ui/heatmap/colorscale.h"
#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"
#include "ui/models/roletext.h"

#include <QCoreApplication>
#include <QDir>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace headscope {
namespace {

struct SurvivorWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::Survivors)
};

constexpr int kPlaces = 79; ///< of a density
double placeOf(int place)
{
    return (place + 1) / static_cast<double>(kPlaces + 1);
}

QString runName(const std::filesystem::path &folder)
{
    return QDir(QString::fromStdString(folder.string())).dirName();
}

GateStage stageOf(const TrainingReport &report, const TrainingEpoch &epoch, const QString &name)
{
    return {runName(report.folder), name, *epoch.mask, epoch.score, QString::fromStdString(epoch.metric)};
}

std::int64_t openHeads(const HeadLayout &gated, const HeadMask &closed,
                       const std::function<bool(const HeadRef &)> &counts = {})
{
    return std::ranges::count_if(
        gated.heads(), [&](const HeadRef &head) { return (!counts || counts(head)) && !closed.isMasked(head); });
}

void placeHeads(LineSeries &series, const HeadLayout &gated)
{
    const auto all = static_cast<double>(gated.size());
    series.axes.xLow = 0;
    series.axes.xHigh = std::max(1.0, all * 1.02);
    for (const double tick : roundTicks(0, all, 8))
        series.axes.xTicks.emplace_back(tick, countText(std::llround(tick)));
    series.axes.xTitle = SurvivorWords::tr("heads left");
    fitScores(series);
}

/// A line of counts over the heads that are left, from the fewest.
LineSeries::Line countLine(const QString &name, const HeadLayout &gated, const std::vector<GateStage> &stages,
                           const std::function<bool(const HeadRef &)> &counts)
{
    std::map<std::int64_t, std::int64_t> points;
    for (const GateStage &stage : stages)
        points[openHeads(gated, stage.closed)] = openHeads(gated, stage.closed, counts);
    points[static_cast<std::int64_t>(gated.size())] = openHeads(gated, {}, counts);
    LineSeries::Line line{.name = name, .points = {}};
    for (const auto &[left, open] : points)
        line.points.push_back({.x = static_cast<double>(left),
                               .y = static_cast<double>(open),
                               .low = static_cast<double>(open),
                               .high = static_cast<double>(open)});
    return line;
}

LineSeries countSeries(std::vector<LineSeries::Line> lines, const HeadLayout &gated)
{
    LineSeries series;
    series.lines = std::move(lines);
    if (series.empty())
        return series;
    // More lines than colours: by rank.
    constexpr std::size_t kColors = 4;
    for (std::size_t i = 0; i < series.lines.size(); ++i) {
        series.lines[i].style = static_cast<int>(i);
        if (series.lines.size() > kColors)
            series.lines[i].rank = static_cast<double>(i) / static_cast<double>(series.lines.size() - 1);
    }
    series.zeroLine = true;
    series.axes.yTitle = SurvivorWords::tr("open heads");
    placeHeads(series, gated);
    return series;
}

const RoleLabel *roleOf(const std::vector<HeadRoles> &assigned, const HeadRef &head)
{
    const HeadRoles *roles = findRoles(assigned, head);
    return roles ? roles->first() : nullptr;
}

} // namespace

std::vector<GateStage> stagesOf(const TrainingReport &report)
{
    std::vector<GateStage> stages;
    for (const TrainingEpoch &epoch : report.epochs) {
        if (epoch.mask)
            stages.push_back(stageOf(report, epoch, SurvivorWords::tr("epoch %1").arg(epoch.epoch)));
    }
    return stages;
}

std::vector<GateStage> endsOf(const std::vector<std::shared_ptr<const TrainingRun>> &runs)
{
    std::vector<GateStage> ends;
    for (const auto &run : runs) {
        const auto last = std::ranges::find_if(run->report.epochs.rbegin(), run->report.epochs.rend(),
                                               [](const TrainingEpoch &epoch) { return epoch.mask.has_value(); });
        if (last != run->report.epochs.rend())
            ends.push_back(stageOf(run->report, *last, runName(run->report.folder)));
    }
    return ends;
}

LineSeries makeScoreByHeads(const HeadLayout &gated, const std::vector<GateStage> &epochs,
                            const std::vector<GateStage> &ends)
{
    LineSeries series;
    QString metric;
    const auto add = [&](const std::vector<GateStage> &stages, const QString &name, LineSeries::Look look) {
        LineSeries::Line line{.name = name, .style = static_cast<int>(series.lines.size()), .points = {}, .look = look};
        for (const GateStage &stage : stages) {
            if (!stage.score)
                continue;
            metric = stage.metric;
            const ValueFormat format = metricFormat(metric);
            const std::int64_t open = openHeads(gated, stage.closed);
            const double score = *stage.score * format.factor;
            line.points.push_back({.x = static_cast<double>(open),
                                   .y = score,
                                   .low = score,
                                   .high = score,
                                   .name = SurvivorWords::tr("%1: %2 heads, %3 %4")
                                               .arg(stage.name, countText(open), metric, format.score(*stage.score))});
        }
        if (!line.points.empty())
            series.lines.push_back(std::move(line));
    };
    add(epochs, SurvivorWords::tr("epochs of this run"), LineSeries::Look::Points);
    std::vector<GateStage> sorted = ends;
    std::ranges::sort(sorted, {}, [&](const GateStage &stage) { return openHeads(gated, stage.closed); });
    add(sorted, SurvivorWords::tr("ends of the runs beside it"), LineSeries::Look::Line);
    if (series.empty())
        return series;
    const QString unit = metricFormat(metric).suffix.trimmed();
    series.axes.yTitle = unit.isEmpty() ? metric : QString(metric + QStringLiteral(" (") + unit + u')');
    placeHeads(series, gated);
    return series;
}

LineSeries makeOpenKinds(const HeadLayout &gated, const std::vector<GateStage> &stages)
{
    std::vector<LineSeries::Line> lines;
    for (const HeadLayout::Block &block : stages.empty() ? std::vector<HeadLayout::Block>() : gated.blocks())
        lines.push_back(countLine(headKindLongName(block.kind), gated, stages,
                                  [&](const HeadRef &head) { return head.kind == block.kind; }));
    return countSeries(std::move(lines), gated);
}

LineSeries makeOpenLayers(const HeadLayout &gated, const std::vector<GateStage> &stages, HeadKind kind)
{
    std::vector<LineSeries::Line> lines;
    for (const HeadLayout::Block &block : stages.empty() ? std::vector<HeadLayout::Block>() : gated.blocks()) {
        for (int layer = 0; block.kind == kind && layer < static_cast<int>(block.layers.size()); ++layer)
            lines.push_back(countLine(SurvivorWords::tr("layer %1").arg(layer), gated, stages,
                                      [&](const HeadRef &head) { return head.kind == kind && head.layer == layer; }));
    }
    return countSeries(std::move(lines), gated);
}

LineSeries makeOpenRoles(const HeadLayout &gated, const std::vector<GateStage> &stages,
                         const std::vector<HeadRoles> &assigned)
{
    std::set<Role> roles;
    bool without = false;
    for (const HeadRef &head : gated.heads()) {
        if (const RoleLabel *role = roleOf(assigned, head))
            roles.insert(role->role);
        else
            without = true;
    }
    std::vector<LineSeries::Line> lines;
    if (stages.empty() || roles.empty())
        return {};
    for (const Role role : roles)
        lines.push_back(countLine(roleTitle(role), gated, stages, [&](const HeadRef &head) {
            const RoleLabel *found = roleOf(assigned, head);
            return found && found->role == role;
        }));
    if (without)
        lines.push_back(countLine(SurvivorWords::tr("no role"), gated, stages,
                                  [&](const HeadRef &head) { return !roleOf(assigned, head); }));
    return countSeries(std::move(lines), gated);
}

std::string survivorsCsv(const HeadLayout &gated, const std::vector<GateStage> &stages,
                         const std::vector<HeadRoles> &assigned)
{
    CsvText csv("run,stage,left,metric,score,head,kind,layer,open,role");
    for (const GateStage &stage : stages) {
        for (const HeadRef &head : gated.heads()) {
            const RoleLabel *role = roleOf(assigned, head);
            csv << stage.run.toStdString() << stage.name.toStdString() << openHeads(gated, stage.closed)
                << stage.metric.toStdString() << stage.score.value_or(std::numeric_limits<double>::quiet_NaN())
                << toText(head) << headKindName(head.kind) << head.layer << (stage.closed.isMasked(head) ? 0 : 1)
                << (role ? roleName(role->role) : std::string_view());
            csv.endLine();
        }
    }
    return csv.text();
}

namespace {
LineSeries::Line densityLine(double phi, const QString &name, LineSeries::Look look, int style)
{
    LineSeries::Line line{.name = name, .style = style, .points = {}, .look = look};
    for (int place = 0; place < kPlaces; ++place) {
        const double density = concreteDensity(phi, placeOf(place));
        line.points.push_back({.x = placeOf(place), .y = density, .low = density, .high = density});
    }
    return line;
}
} // namespace

LineSeries makeGateDensities(const TrainingReport &report, std::size_t point)
{
    LineSeries series;
    const auto &closed = report.points[point].closed;
    if (closed.empty())
        return series;
    for (const auto &[head, probability] : closed)
        series.lines.push_back(densityLine(concretePhi(probability), {}, LineSeries::Look::Thin, 3));
    const auto undecided = [](const auto &gate) { return std::abs(gate.second - 0.5); };
    const auto probability = [](const auto &gate) { return gate.second; };
    const std::pair<QString, std::map<HeadRef, double>::const_iterator> named[]
        = {{SurvivorWords::tr("most closed"), std::ranges::max_element(closed, {}, probability)},
           {SurvivorWords::tr("least decided"), std::ranges::min_element(closed, {}, undecided)},
           {SurvivorWords::tr("most open"), std::ranges::min_element(closed, {}, probability)}};
    for (const auto &[name, gate] : named) {
        const double phi = concretePhi(gate->second);
        series.lines.push_back(
            densityLine(phi,
                        SurvivorWords::tr("%1, %2: P(0) = %3, P(1) = %4")
                            .arg(name, QString::fromStdString(toText(gate->first)), numberText(gate->second, 2),
                                 numberText(concreteWholeProbability(phi), 2)),
                        LineSeries::Look::Line, static_cast<int>(series.lines.size() - closed.size())));
    }
    series.zeroLine = true;
    for (const double tick : roundTicks(0, 1, 6))
        series.axes.xTicks.emplace_back(tick, numberText(tick, 1));
    series.axes.xTitle = SurvivorWords::tr("gate");
    series.axes.yTitle = SurvivorWords::tr("density");
    fitScores(series);
    return series;
}

std::string gateDensitiesCsv(const TrainingReport &report, std::size_t point)
{
    CsvText csv("step,head,phi,closed,whole,gate,density");
    for (const auto &[head, probability] : report.points[point].closed) {
        const double phi = concretePhi(probability);
        for (int place = 0; place < kPlaces; ++place) {
            csv << report.points[point].step << toText(head) << phi << probability << concreteWholeProbability(phi)
                << placeOf(place) << concreteDensity(phi, placeOf(place));
            csv.endLine();
        }
    }
    return csv.text();
}

std::size_t decidedOpen(const TrainingPoint &point)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(point.closed, [](const auto &gate) { return concretePhi(gate.second) >= 0; }));
}

} // namespace headscope
