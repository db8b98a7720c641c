#include "ui/charts/surfaceseries.h"

#include "ui/heatmap/colorscale.h"
#include "ui/models/numbertext.h"
#include "ui/models/roletext.h"

#include <QCoreApplication>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace headscope {
namespace {

struct SurfaceWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::SurfaceSeries)
};

struct Wanted
{
    QString name;
    std::optional<double> HeadSurface::*share;
};

std::vector<Wanted> wantedOf(SurfacePanel panel)
{
    switch (panel) {
    case SurfacePanel::Neighbours:
        return {{SurfaceWords::tr("previous token"), &HeadSurface::previous},
                {SurfaceWords::tr("next token"), &HeadSurface::next},
                {SurfaceWords::tr("itself"), &HeadSurface::self}};
    case SurfacePanel::Special:
        return {{SurfaceWords::tr("first token"), &HeadSurface::first},
                {SurfaceWords::tr("delimiters"), &HeadSurface::delimiter},
                {SurfaceWords::tr("punctuation"), &HeadSurface::punctuation}};
    case SurfacePanel::Delimiters:
        return {{SurfaceWords::tr("delimiters from delimiters"), &HeadSurface::delimiterToDelimiter},
                {SurfaceWords::tr("delimiters from other tokens"), &HeadSurface::otherToDelimiter}};
    case SurfacePanel::Entropy:
        break;
    }
    return {{SurfaceWords::tr("all tokens"), nullptr}, {SurfaceWords::tr("first token"), &HeadSurface::firstEntropy}};
}

std::optional<double> valueOf(const HeadSurface &head, const Wanted &wanted)
{
    return wanted.share ? head.*wanted.share : std::optional(head.entropy);
}

/// A point per head of the kind.
LineSeries::Line pointsOf(const SimilarityResult &result, HeadKind kind, const Wanted &wanted, bool isEntropy)
{
    LineSeries::Line line{.name = wanted.name, .points = {}, .look = LineSeries::Look::Points};
    for (const HeadSurface &head : result.heads) {
        const std::optional<double> value = valueOf(head, wanted);
        if (head.head.kind != kind || !value)
            continue;
        const double shown = (isEntropy ? 1 : 100) * *value;
        const QString text = isEntropy ? SurfaceWords::tr("%1 nats").arg(numberText(*value, 2)) : shareText(*value);
        line.points.push_back(
            {.x = static_cast<double>(head.head.layer),
             .y = shown,
             .low = shown,
             .high = shown,
             .name = SurfaceWords::tr("%1, %2: %3").arg(QString::fromStdString(toText(head.head)), wanted.name, text)});
    }
    return line;
}

/// Through the means of the layers.
LineSeries::Line meansOf(const LineSeries::Line &points)
{
    std::map<double, std::pair<double, int>> sums;
    for (const LineSeries::Point &point : points.points) {
        auto &[sum, heads] = sums[point.x];
        sum += point.y;
        ++heads;
    }
    LineSeries::Line mean{.name = points.name, .style = points.style, .points = {}, .look = LineSeries::Look::Thin};
    for (const auto &[layer, sum] : sums) {
        const double value = sum.first / sum.second;
        mean.points.push_back({layer, value, value, value});
    }
    return mean;
}

} // namespace

QString surfacePanelName(SurfacePanel panel)
{
    switch (panel) {
    case SurfacePanel::Neighbours:
        return SurfaceWords::tr("Previous, next, itself");
    case SurfacePanel::Special:
        return SurfaceWords::tr("First token, delimiters, punctuation");
    case SurfacePanel::Delimiters:
        return SurfaceWords::tr("Delimiters, from delimiters and others");
    case SurfacePanel::Entropy:
        break;
    }
    return SurfaceWords::tr("Entropy");
}

LineSeries makeSurfaceSeries(const SimilarityResult &result, HeadKind kind, SurfacePanel panel)
{
    const bool isEntropy = panel == SurfacePanel::Entropy;
    LineSeries series;
    std::vector<LineSeries::Line> means;
    const std::vector<Wanted> all = wantedOf(panel);
    for (std::size_t i = 0; i < all.size(); ++i) {
        LineSeries::Line points = pointsOf(result, kind, all[i], isEntropy);
        points.style = static_cast<int>(i);
        // The first token of a causal decoder sees itself alone.
        const auto isNothing = [](const LineSeries::Point &point) { return point.y <= 0; };
        if (isEntropy ? std::ranges::all_of(points.points, isNothing) : points.points.empty())
            continue;
        means.push_back(meansOf(points));
        series.lines.push_back(std::move(points));
    }
    if (series.empty())
        return series;
    std::ranges::move(means, std::back_inserter(series.lines));
    series.zeroLine = true;
    if (const auto of = std::ranges::find(result.kinds, kind, &KindSimilarity::kind);
        isEntropy && of != result.kinds.end()) {
        series.reference = of->meanLogKeys;
        series.referenceName = SurfaceWords::tr("equal attention to all");
    }
    std::set<int> layers;
    for (const LineSeries::Line &line : series.lines) {
        for (const LineSeries::Point &point : line.points)
            layers.insert(static_cast<int>(point.x));
    }
    series.axes.xLow = -0.5;
    series.axes.xHigh = std::max(1, *layers.rbegin()) + 0.5;
    for (const int layer : layers)
        series.axes.xTicks.emplace_back(layer, QString::number(layer));
    series.axes.xTitle = SurfaceWords::tr("layer");
    series.axes.yTitle = isEntropy ? SurfaceWords::tr("entropy (nats)") : SurfaceWords::tr("attention of a token (%)");
    fitScores(series);
    return series;
}

} // namespace headscope
