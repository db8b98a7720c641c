#include "ui/charts/pathseries.h"

#include "ui/models/numbertext.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace headscope {
namespace {

struct PathWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::PathSeries)
};

std::vector<const PathEffect *> pathsShown(const PathsResult &result, const PathsShown &shown, const Significance &by)
{
    std::vector<const PathEffect *> found;
    for (const PathEffect &path : result.paths) {
        if (!path.together.empty() && std::abs(path.effect.delta) > 0 && shown.includes(path, by))
            found.push_back(&path);
    }
    std::ranges::stable_sort(found, std::ranges::greater{},
                             [](const PathEffect *path) { return std::abs(path->effect.delta); });
    found.resize(std::min(found.size(), shown.most));
    return found;
}

} // namespace

QString pathInputName(PathInput input)
{
    switch (input) {
    case PathInput::Query:
        return PathWords::tr("query");
    case PathInput::Key:
        return PathWords::tr("key");
    case PathInput::Value:
        return PathWords::tr("value");
    case PathInput::All:
        return PathWords::tr("query, key and value");
    case PathInput::Logits:
        break;
    }
    return PathWords::tr("logits");
}

QChar pathInputLetter(PathInput input)
{
    switch (input) {
    case PathInput::Query:
        return u'Q';
    case PathInput::Key:
        return u'K';
    case PathInput::Value:
        return u'V';
    default:
        return {};
    }
}

QString receiverName(const PathEffect &path)
{
    if (path.together.empty())
        return PathWords::tr("output");
    const QString first = QString::fromStdString(toText(path.together.front()));
    return path.together.size() == 1 ? first : QStringLiteral("%1–%2").arg(first).arg(path.together.back().head);
}

std::set<HeadRef> headsOf(const PathEffect &path)
{
    std::set<HeadRef> heads(path.together.begin(), path.together.end());
    heads.insert(path.head);
    return heads;
}

bool isSignificant(const PathEffect &path, const Significance &by)
{
    return path.exact && by.holds(path.p, std::nullopt, path.discoveryP).value_or(false);
}

bool PathsShown::includes(const PathEffect &path, const Significance &by) const
{
    const auto isAsked = [this](const HeadRef &head) { return of->contains(head); };
    return (!input || path.input == *input)
        && (!of || isAsked(path.head) || std::ranges::any_of(path.together, isAsked))
        && (!onlySignificant || isSignificant(path, by));
}

namespace {
/// An arrow for each path, as strong as its change beside the largest, which comes first.
void addLinks(GridContent &content, const std::vector<const PathEffect *> &paths)
{
    content.linkText = PathWords::tr("brings over what the other text says");
    content.apartText = PathWords::tr("works against it");
    for (const PathEffect *path : paths) {
        const double towards = std::isfinite(path->effect.effect) ? path->effect.effect : path->effect.delta;
        content.links.push_back({.head = path->head,
                                 .other = path->together.front(),
                                 .apart = towards < 0,
                                 .strength = std::abs(path->effect.delta / paths.front()->effect.delta),
                                 .isArrow = true,
                                 .letter = pathInputLetter(path->input)});
    }
}
} // namespace

GridContent pathsContent(const HeadLayout &layout, const PathsResult &result, const PathsShown &shown,
                         const Significance &by)
{
    GridContent content = emptyContent(layout);
    content.measure = PathWords::tr("Direct path to the output");
    content.symbol = PathWords::tr("effect");
    content.diverging = true;
    content.significance = by;
    content.examples = result.examples;
    content.totalExamples = result.manifest.totalExamples;
    content.partial = result.manifest.partial;
    content.manifests = {result.manifest};
    content.dataName = QString::fromStdString(result.manifest.data);
    for (const PathEffect &path : result.paths) {
        const auto index = content.layout.indexOf(path.head);
        if (path.input != PathInput::Logits || index < 0 || !std::isfinite(path.effect.effect))
            continue;
        HeadCell &cell = content.cells[static_cast<std::size_t>(index)];
        cell.value = path.effect.effect;
        cell.examples = result.examples;
        if (std::isfinite(path.effect.interval.low))
            cell.interval = path.effect.interval;
        if (path.exact && std::isfinite(path.p)) {
            cell.p = path.p;
            cell.discoveryP = path.discoveryP;
            cell.significant = by.holds(cell.p, cell.pAdjusted, cell.discoveryP);
        }
    }
    addLinks(content, pathsShown(result, shown, by));
    return content;
}

MatrixSeries makeMatrixSeries(const PathsResult &result, const HeadLayout &layout, PathInput input)
{
    MatrixSeries series;
    series.leaves = layout.heads();
    series.values = PairTable(series.leaves.size());
    std::ranges::fill(series.values.values(), std::numeric_limits<double>::quiet_NaN());
    std::vector<double> known;
    for (const PathEffect &path : result.paths) {
        const auto column = layout.indexOf(path.head);
        if (path.input != input || column < 0 || !std::isfinite(path.effect.effect))
            continue;
        for (const HeadRef &receiver : path.together) {
            const auto row = layout.indexOf(receiver);
            if (row < 0)
                continue;
            series.values.at(static_cast<std::size_t>(row), static_cast<std::size_t>(column)) = path.effect.effect;
            known.push_back(path.effect.effect);
        }
    }
    if (known.empty())
        return {};
    series.scale = ColorScale::fitting(ScaleKind::Diverging, known);
    series.format = {.decimals = 3};
    series.legend = PathWords::tr("effect of the path from the earlier head to the %1 of the later one")
                        .arg(pathInputName(input));
    return series;
}

} // namespace headscope
