#include "ui/pages/map/mapseries.h"

#include "ui/heatmap/colorscale.h"
#include "ui/heatmap/rolestyle.h"
#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"
#include "ui/models/roletext.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

struct MapSeriesWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::HeadMap)
};

struct BehaviourMark
{
    const char *name;
    char16_t mark;
};
/// In the order of Behaviour.
constexpr std::array kBehaviours{BehaviourMark{"", u' '},
                                 BehaviourMark{QT_TRANSLATE_NOOP("headscope::HeadMap", "next token"), u'N'},
                                 BehaviourMark{QT_TRANSLATE_NOOP("headscope::HeadMap", "previous token"), u'P'},
                                 BehaviourMark{QT_TRANSLATE_NOOP("headscope::HeadMap", "broad attention"), u'B'},
                                 BehaviourMark{QT_TRANSLATE_NOOP("headscope::HeadMap", "first token"), u'F'},
                                 BehaviourMark{QT_TRANSLATE_NOOP("headscope::HeadMap", "delimiter"), u'D'},
                                 BehaviourMark{QT_TRANSLATE_NOOP("headscope::HeadMap", "punctuation"), u'.'}};

const HeadSurface *surfaceOf(const SimilarityResult &result, const HeadRef &head)
{
    const auto found = std::ranges::find(result.heads, head, &HeadSurface::head);
    return found == result.heads.end() ? nullptr : &*found;
}

const RoleLabel *firstRole(const std::vector<HeadRoles> *assigned, const HeadRef &head)
{
    const auto found
        = assigned ? std::ranges::find(*assigned, head, &HeadRoles::head) : std::vector<HeadRoles>::const_iterator();
    return assigned && found != assigned->end() ? found->first() : nullptr;
}

/// "encoder.2.6: previous token; previous 0.91, entropy 0.42 nats; nearest encoder.3.1 (0.12), 500 examples"
QString textOf(const SimilarityResult &result, const KindSimilarity &kind, const PairTable &distances,
               std::size_t place)
{
    const HeadRef &head = kind.heads[place];
    QStringList parts;
    if (const HeadSurface *surface = surfaceOf(result, head)) {
        if (surface->behaviour != Behaviour::None)
            parts << behaviourName(surface->behaviour);
        const auto share = [&](const QString &name, const std::optional<double> &value) {
            if (value)
                parts << u"%1 %2"_s.arg(name, numberText(*value, 2));
        };
        share(MapSeriesWords::tr("itself"), surface->self);
        share(MapSeriesWords::tr("previous"), surface->previous);
        share(MapSeriesWords::tr("next"), surface->next);
        share(MapSeriesWords::tr("first token"), surface->first);
        share(MapSeriesWords::tr("delimiters"), surface->delimiter);
        share(MapSeriesWords::tr("punctuation"), surface->punctuation);
        parts << MapSeriesWords::tr("entropy %1 nats").arg(numberText(surface->entropy, 2));
    }
    std::size_t nearest = place;
    for (std::size_t i = 0; i < kind.heads.size(); ++i) {
        if (i != place && (nearest == place || distances.at(place, i) < distances.at(place, nearest)))
            nearest = i;
    }
    if (nearest != place)
        parts << MapSeriesWords::tr("nearest %1 (%2)")
                     .arg(QString::fromStdString(toText(kind.heads[nearest])),
                          numberText(distances.at(place, nearest), 3));
    parts << (result.manifest.partial ? MapSeriesWords::tr("%1 of %2 examples")
                                            .arg(countText(result.examples), countText(result.manifest.totalExamples))
                                      : MapSeriesWords::tr("%Ln examples", nullptr, static_cast<int>(result.examples)));
    return QString::fromStdString(toText(head)) + u": "_s + parts.join(u", "_s);
}

/// The group of a head by its number: a layer, a Role, a Behaviour.
std::optional<int> groupNumber(const SimilarityResult &result, const HeadRef &head, MapColoring coloring,
                               const std::vector<HeadRoles> *assigned)
{
    if (coloring == MapColoring::Layer)
        return head.layer;
    if (coloring == MapColoring::Role) {
        const RoleLabel *role = firstRole(assigned, head);
        return role ? std::optional(static_cast<int>(role->role)) : std::nullopt;
    }
    const HeadSurface *surface = surfaceOf(result, head);
    return surface && surface->behaviour != Behaviour::None ? std::optional(static_cast<int>(surface->behaviour))
                                                            : std::nullopt;
}

MapSeries::Group groupOf(int number, MapColoring coloring)
{
    if (coloring == MapColoring::Layer)
        return {MapSeriesWords::tr("layer %1").arg(number), QString::number(number), number};
    if (coloring == MapColoring::Role) {
        const auto role = static_cast<Role>(number);
        return {roleTitle(role), QString(QLatin1Char(roleLetter(role))), number};
    }
    return {behaviourName(static_cast<Behaviour>(number)),
            QString(QChar(kBehaviours[static_cast<std::size_t>(number)].mark)), number - 1};
}

} // namespace

QString behaviourName(Behaviour behaviour)
{
    const char *name = kBehaviours[static_cast<std::size_t>(behaviour)].name;
    return *name ? MapSeriesWords::tr(name) : QString();
}

QString distanceName(HeadDistance distance)
{
    return distance == HeadDistance::Root ? MapSeriesWords::tr("root of the mean Jensen–Shannon divergence")
                                          : MapSeriesWords::tr("mean Jensen–Shannon divergence [nats]");
}

MapSeries makeMapSeries(const SimilarityResult &result, const KindSimilarity &kind, MapColoring coloring,
                        const std::vector<HeadRoles> *assigned)
{
    MapSeries series{.coloring = coloring, .kind = kind.kind, .groups = {}, .points = {}, .stress = kind.stress};
    std::vector<std::optional<int>> numbers;
    for (const HeadRef &head : kind.heads)
        numbers.push_back(groupNumber(result, head, coloring, assigned));
    std::vector<int> present;
    for (const auto &number : numbers) {
        if (number)
            present.push_back(*number);
    }
    std::ranges::sort(present);
    const auto repeated = std::ranges::unique(present);
    present.erase(repeated.begin(), repeated.end());
    std::ranges::transform(present, std::back_inserter(series.groups),
                           [&](int number) { return groupOf(number, coloring); });
    const PairTable distances = distancesOf(kind, result.distance);
    for (std::size_t i = 0; i < kind.heads.size(); ++i) {
        std::optional<std::size_t> group;
        if (numbers[i])
            group = static_cast<std::size_t>(std::ranges::find(present, *numbers[i]) - present.begin());
        series.points.push_back({kind.heads[i], kind.x[i], kind.y[i], group, textOf(result, kind, distances, i)});
    }
    return series;
}

QColor mapColor(const MapSeries &series, const MapSeries::Group &group, const ViewPalette &palette)
{
    if (series.coloring != MapColoring::Layer) // a set that colour-blind readers can tell apart
        return roleColor(kAllRoles[static_cast<std::size_t>(group.color) % std::size(kAllRoles)], palette);
    // Not from the start of the ramp, which has the colour of the paper.
    const double last = series.groups.empty() ? 1 : std::max(series.groups.back().color, 1);
    return ColorScale::sequential(0, 1).color(0.25 + 0.75 * group.color / last, palette.appearance);
}

LineSeries makeSpreadSeries(const SimilarityResult &result)
{
    LineSeries series;
    int last = 1;
    for (const LayerSpread &layer : result.layers) {
        const QString name = headKindTitle(layer.kind);
        if (series.lines.empty() || series.lines.back().name != name)
            series.lines.push_back({name, static_cast<int>(layer.kind), {}});
        const bool known = std::isfinite(layer.interval.low); // one example allows no inference about others
        series.lines.back().points.push_back({static_cast<double>(layer.layer), layer.spread,
                                              known ? layer.interval.low : layer.spread,
                                              known ? layer.interval.high : layer.spread});
        last = std::max(last, layer.layer);
    }
    if (series.empty())
        return series;
    fitScores(series);
    setLayers(series.axes, last);
    series.axes.xTitle = MapSeriesWords::tr("layer");
    series.axes.yTitle = MapSeriesWords::tr("spread");
    return series;
}

} // namespace headscope
