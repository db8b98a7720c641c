#pragma once

#include "ui/charts/scatterseries.h"
#include "ui/heatmap/viewpalette.h"

#include <QFont>

#include <optional>
#include <set>

class QChart;
class QPainter;

namespace headscope {

/// Everything the scatter shows. The window and the exports paint the same picture.
struct ScatterPicture
{
    ScatterSeries series;
    std::set<HeadRef> selection;
    std::optional<HeadRef> current;
    std::optional<HeadRef> hovered;
    std::set<HeadRef> masked;
    QRectF brush; ///< in plot coordinates; null = none
    ViewPalette palette = ViewPalette::light();
};

/// Fills an empty chart with axes.
void buildScatterChart(QChart &chart, const ScatterPicture &picture, const QFont &font);
/// Title with coefficients, legend, identity line, points, selection; in the chart's coordinates.
void paintScatterOverlay(QPainter &painter, QChart &chart, const ScatterPicture &picture);
void paintScatterChart(QPainter &painter, const QRectF &rect, const ScatterPicture &picture);

/// Where a value pair lies in the plot, and back.
QPointF scatterPosition(const ScatterSeries &series, const QRectF &plot, const QPointF &value);
QPointF scatterValue(const ScatterSeries &series, const QRectF &plot, const QPointF &position);
/// "encoder.2.6: in-domain −0.53, out-of-domain −0.41"
QString scatterPointText(const ScatterSeries &series, const ScatterSeries::Point &point);

} // namespace headscope
