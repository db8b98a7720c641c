#pragma once

#include "ui/charts/lineseries.h"
#include "ui/heatmap/viewpalette.h"

#include <QRectF>

class QPainter;

namespace headscope {

/// Everything a chart of lines shows. The window and the exports paint the same picture.
struct LinePicture
{
    LineSeries series;
    ViewPalette palette = ViewPalette::light();
};

/// Lines with markers, their intervals as bands, a legend over the plot. Fonts follow painter.font().
void paintLines(QPainter &painter, const QRectF &rect, const LinePicture &picture);

} // namespace headscope
