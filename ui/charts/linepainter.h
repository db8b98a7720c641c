#pragma once

#include "ui/charts/lineseries.h"
#include "ui/heatmap/viewpalette.h"

#include <QRectF>

#include <optional>

class QPainter;

namespace headscope {

/// Everything a chart of lines shows. The window and the exports paint the same picture.
struct LinePicture
{
    LineSeries series;
    ViewPalette palette = ViewPalette::light();
    std::optional<double> cursor{}; ///< an x that is looked at: a vertical line
};

/// Lines with markers, their intervals as bands, a legend over the plot. Fonts follow painter.font(). Returns where the
/// plot lies.
QRectF paintLines(QPainter &painter, const QRectF &rect, const LinePicture &picture);

} // namespace headscope
