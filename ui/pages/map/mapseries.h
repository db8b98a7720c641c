#pragma once

#include "core/results/roles.h"
#include "core/results/similarityresult.h"
#include "ui/charts/lineseries.h"

#include <QColor>
#include <QString>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace headscope {

/// By what the heads on the map are coloured. Every colour comes with a mark.
enum class MapColoring { Layer, Role, Behaviour };

/// The heads of one kind of attention on a plane: near each other where they attend alike.
struct MapSeries
{
    struct Group
    {
        QString name;  ///< "layer 3", "Positional", "next token"
        QString mark;  ///< in its heads: "3", "P", "N"
        int color = 0; ///< of mapColor(); of layers its number
    };
    struct Point
    {
        HeadRef head;
        double x = 0;
        double y = 0;
        std::optional<std::size_t> group; ///< none: no role, no behaviour
        QString text;                     ///< the description of the head
    };
    MapColoring coloring = MapColoring::Layer;
    HeadKind kind = HeadKind::Encoder;
    std::vector<Group> groups; ///< groups that some head belongs to
    std::vector<Point> points;
    double stress = 0;
    bool empty() const { return points.empty(); }
};

/// `assigned`: roles of the heads, null where they are not computed.
MapSeries makeMapSeries(const SimilarityResult &result, const KindSimilarity &kind, MapColoring coloring,
                        const std::vector<HeadRoles> *assigned);
QColor mapColor(const MapSeries &series, const MapSeries::Group &group, const ViewPalette &palette);

/// "next token", "broad attention"; empty for none.
QString behaviourName(Behaviour behaviour);

/// How far the heads of a layer are from each other, over the layers: a line for every kind of attention.
LineSeries makeSpreadSeries(const SimilarityResult &result);

/// "root of the mean Jensen–Shannon divergence"
QString distanceName(HeadDistance distance);

} // namespace headscope
