#pragma once

#include "ui/heatmap/viewpalette.h"
#include "ui/pages/pruning/rolestripseries.h"

#include <QRectF>

#include <optional>

class QFontMetricsF;
class QPainter;

namespace headscope {

struct RoleStripPicture
{
    RoleStripSeries series;
    std::optional<double> slider; ///< heads removed
    ViewPalette palette = ViewPalette::light();
};

/// A column of stacked roles at every point of the curve, with a key over them. `left` and `right`: where 0 and all
/// candidates lie in `rect`, as in the chart above.
void paintRoleStrip(QPainter &painter, const QRectF &rect, double left, double right, const RoleStripPicture &picture);
double roleStripHeight(const QFontMetricsF &metrics);
/// Of the column nearest to `removed`: "48 heads removed: positional 5 of 6, …". Empty without columns.
QString roleStripText(const RoleStripSeries &series, double removed);

} // namespace headscope
