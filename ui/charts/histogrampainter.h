#pragma once

#include "ui/charts/histogramseries.h"
#include "ui/heatmap/viewpalette.h"

#include <QRectF>

class QPainter;

namespace headscope {

/// Everything the histogram shows. The window and the exports paint the same picture.
struct HistogramPicture
{
    HistogramSeries series;
    ViewPalette palette = ViewPalette::light();
};

/// Bars of heads by score, the full model's score marked. Fonts follow painter.font(). Returns where the plot lies.
QRectF paintHistogram(QPainter &painter, const QRectF &rect, const HistogramPicture &picture);

} // namespace headscope
