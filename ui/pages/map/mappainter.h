#pragma once

#include "ui/charts/headmarkchart.h"
#include "ui/pages/map/mapseries.h"

#include <QRectF>

class QPainter;

namespace headscope {

/// Everything the map shows. The window and the exports paint the same picture.
struct MapPicture : HeadMarkLooks
{
    MapSeries series;
};

/// The heads on a plane whose both directions have one scale, with the legend of their groups over it. Fonts follow
/// painter.font().
PaintedMarks paintMap(QPainter &painter, const QRectF &rect, const MapPicture &picture);

} // namespace headscope
