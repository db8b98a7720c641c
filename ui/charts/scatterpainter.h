#pragma once

#include "ui/charts/headmarkchart.h"
#include "ui/charts/scatterseries.h"

#include <QRectF>
#include <QString>

#include <vector>

class QPainter;

namespace headscope {

/// Everything the scatter shows. The window and the exports paint the same picture.
struct ScatterPicture : HeadMarkLooks
{
    ScatterSeries series;
    bool isSquare = false; ///< the plot is, and leaves the rest of the rectangle blank
};

/// A mark for every head, with the coefficients and the kinds of attention above. Both axes
/// have the same ends: "equal on both" is the diagonal.
PaintedMarks paintScatterChart(QPainter &painter, const QRectF &rect, const ScatterPicture &picture);

/// "encoder.2.6: in-domain −0.53, out-of-domain −0.41"
QString scatterPointText(const ScatterSeries &series, const ScatterSeries::Point &point);

} // namespace headscope
