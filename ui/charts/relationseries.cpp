#include "ui/charts/relationseries.h"

#include "ui/models/numbertext.h"
#include "ui/models/roletext.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>

namespace headscope {
namespace {

struct RelationWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::RelationSeries)
};

bool isShown(const RelationDirection &relation, const RoleThresholds &thresholds)
{
    return thresholds.wants(relation.relation) && relation.instances >= thresholds.instances;
}

QString relationText(const RelationDirection &relation)
{
    const QString name = QString::fromStdString(relation.relation);
    return relation.direction == ArcDirection::DependentToHead ? RelationWords::tr("%1 → head").arg(name)
                                                               : RelationWords::tr("head → %1").arg(name);
}

/// The same, as short as below an axis: where a label has no room, a column has no name.
QString tickText(const RelationDirection &relation)
{
    const QString name = QString::fromStdString(relation.relation);
    return relation.direction == ArcDirection::DependentToHead ? QStringLiteral("%1 →").arg(name)
                                                               : QStringLiteral("→ %1").arg(name);
}

QString modelName(const RolesResult &result)
{
    QString folder = QString::fromStdString(result.manifest.model);
    while (folder.endsWith(u'/'))
        folder.chop(1);
    return QFileInfo(folder).fileName();
}

LineSeries::Point relationPoint(double x, double y, const QString &name = {})
{
    return {.x = x, .y = y, .low = y, .high = y, .name = name};
}

/// nullptr: the result has no such relation.
const RelationDirection *find(const RolesResult &result, const RelationDirection &wanted)
{
    const auto found = std::ranges::find_if(result.relations, [&](const RelationDirection &one) {
        return one.relation == wanted.relation && one.direction == wanted.direction;
    });
    return found == result.relations.end() ? nullptr : &*found;
}

/// How often a head finds the partners of a relation of the result.
LineSeries::Point headPoint(double x, const RolesResult &result, const HeadRoleScores &head, std::size_t relation)
{
    const double accuracy = accuracyOf(result, head, relation);
    return relationPoint(x, 100 * accuracy,
                         RelationWords::tr("%1, %2: %3")
                             .arg(QString::fromStdString(toText(head.head)), relationText(result.relations[relation]),
                                  shareText(accuracy)));
}

void addHeads(LineSeries &series, const RolesResult &result, const std::vector<const RelationDirection *> &relations)
{
    LineSeries::Line every{
        .name = RelationWords::tr("heads"), .style = 0, .points = {}, .look = LineSeries::Look::Points, .hollow = true};
    for (std::size_t place = 0; place < relations.size(); ++place) {
        const auto number = static_cast<std::size_t>(relations[place] - result.relations.data());
        for (const HeadRoleScores &head : result.heads) {
            if (number >= head.relationHits.size())
                continue;
            every.points.push_back(headPoint(static_cast<double>(place), result, head, number));
        }
    }
    if (!every.points.empty())
        series.lines.push_back(std::move(every));
}

/// Of one of the `results`, whose points stand beside those of the others: its best heads and the best fixed offsets.
void addBestHeads(LineSeries &series, const std::vector<const RolesResult *> &results, std::size_t of,
                  const std::vector<const RelationDirection *> &relations)
{
    const RolesResult &result = *results[of];
    const bool isAlone = results.size() == 1;
    const double shift = 0.16 * (static_cast<double>(of) - static_cast<double>(results.size() - 1) / 2);
    LineSeries::Line best{.name = isAlone ? RelationWords::tr("best head")
                                          : RelationWords::tr("best head of %1").arg(modelName(result)),
                          .style = isAlone ? 0 : static_cast<int>(of),
                          .points = {},
                          .look = LineSeries::Look::Points};
    LineSeries::Line fixed{.name = isAlone ? RelationWords::tr("best fixed offset")
                                           : RelationWords::tr("best fixed offset, %1").arg(modelName(result)),
                           .style = isAlone ? 1 : static_cast<int>(of),
                           .points = {},
                           .look = LineSeries::Look::Points,
                           .hollow = !isAlone};
    for (std::size_t place = 0; place < relations.size(); ++place) {
        const RelationDirection *relation = find(result, *relations[place]);
        if (!relation)
            continue;
        const auto number = static_cast<std::size_t>(relation - result.relations.data());
        const double x = static_cast<double>(place) + shift;
        if (const HeadRoleScores *head = bestHeadOf(result, number))
            best.points.push_back(headPoint(x, result, *head, number));
        fixed.points.push_back(relationPoint(
            x, 100 * relation->baseline,
            RelationWords::tr("%1, always %2 words away: %3")
                .arg(relationText(*relation), signedText(relation->baselineOffset, 0), shareText(relation->baseline))));
    }
    for (LineSeries::Line *line : {&fixed, &best}) {
        if (!line->points.empty())
            series.lines.push_back(std::move(*line));
    }
}

} // namespace

LineSeries makeRelationOffsets(const RolesResult &result, const RoleThresholds &thresholds)
{
    LineSeries series;
    for (const RelationDirection &relation : result.relations) {
        if (relation.direction != ArcDirection::DependentToHead || !isShown(relation, thresholds)
            || relation.offsets.empty())
            continue;
        LineSeries::Line line{QString::fromStdString(relation.relation), static_cast<int>(series.lines.size()), {}};
        for (int offset = -kLargestOffset; offset <= kLargestOffset; ++offset) {
            const auto at = std::ranges::find(relation.offsets, offset, &RelationOffset::offset);
            const std::int64_t count = at == relation.offsets.end() ? 0 : at->count;
            line.points.push_back(
                relationPoint(offset, 100 * static_cast<double>(count)
                                          / static_cast<double>(std::max<std::int64_t>(1, relation.instances))));
        }
        series.lines.push_back(std::move(line));
    }
    if (series.empty())
        return series;
    series.zeroLine = true;
    series.axes.xLow = -kLargestOffset - 0.4;
    series.axes.xHigh = kLargestOffset + 0.4;
    for (int offset = -kLargestOffset; offset <= kLargestOffset; ++offset)
        series.axes.xTicks.emplace_back(offset, offset == 0 ? QStringLiteral("0") : signedText(offset, 0));
    series.axes.xTitle = RelationWords::tr("words from the dependent to its head");
    series.axes.yTitle = RelationWords::tr("dependents (%)");
    fitScores(series);
    return series;
}

LineSeries makeRelationHeads(const std::vector<const RolesResult *> &results, const RoleThresholds &thresholds)
{
    LineSeries series;
    if (results.empty())
        return series;
    std::vector<const RelationDirection *> relations;
    for (const RelationDirection &relation : results.front()->relations) {
        if (isShown(relation, thresholds))
            relations.push_back(&relation);
    }
    if (relations.empty())
        return series;
    if (results.size() == 1)
        addHeads(series, *results.front(), relations);
    for (std::size_t i = 0; i < results.size(); ++i)
        addBestHeads(series, results, i, relations);
    series.zeroLine = true;
    series.axes.xLow = -0.5;
    series.axes.xHigh = static_cast<double>(relations.size()) - 0.5;
    for (std::size_t place = 0; place < relations.size(); ++place)
        series.axes.xTicks.emplace_back(static_cast<double>(place), tickText(*relations[place]));
    series.axes.xTitle = RelationWords::tr("relation (x →: from the dependent to its head, → x: the other way)");
    series.axes.yTitle = RelationWords::tr("partners found (%)");
    fitScores(series);
    return series;
}

namespace {

/// Over the target positions, counted from 1.
void placePositions(LineSeries &series, const RelevanceResult &result)
{
    const auto most = static_cast<double>(result.contributions.back().position + 1);
    series.axes.xLow = 0.5;
    series.axes.xHigh = most + 0.5;
    const int every = most > 40 ? 10 : most > 16 ? 5 : 1;
    for (int tick = every; tick <= static_cast<int>(most); tick += every)
        series.axes.xTicks.emplace_back(tick, QString::number(tick));
    series.axes.xTitle = RelationWords::tr("position in the target");
    fitScores(series);
}

} // namespace

LineSeries makeContributionSeries(const RelevanceResult &result)
{
    LineSeries series;
    if (result.contributions.empty())
        return series;
    LineSeries::Line source{RelationWords::tr("source"), 0, {}};
    LineSeries::Line prefix{RelationWords::tr("prefix"), 1, {}};
    for (const ContributionPoint &point : result.contributions) {
        const auto x = static_cast<double>(point.position + 1);
        source.points.push_back(relationPoint(x, 100 * point.source));
        prefix.points.push_back(relationPoint(x, 100 * (1 - point.source)));
    }
    series.lines = {std::move(source), std::move(prefix)};
    series.axes.yTitle = RelationWords::tr("share of relevance (%)");
    placePositions(series, result);
    return series;
}

LineSeries makeContributionEntropies(const RelevanceResult &result)
{
    LineSeries series;
    if (result.contributions.empty())
        return series;
    LineSeries::Line source{RelationWords::tr("over the source"), 0, {}};
    LineSeries::Line prefix{RelationWords::tr("over the prefix"), 1, {}};
    for (const ContributionPoint &point : result.contributions) {
        const auto x = static_cast<double>(point.position + 1);
        source.points.push_back(relationPoint(x, point.sourceEntropy));
        prefix.points.push_back(relationPoint(x, point.prefixEntropy));
    }
    series.lines = {std::move(source), std::move(prefix)};
    series.zeroLine = true;
    series.axes.yTitle = RelationWords::tr("entropy (nats)");
    placePositions(series, result);
    return series;
}

} // namespace headscope
