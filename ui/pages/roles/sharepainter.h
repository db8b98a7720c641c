#pragma once

#include "ui/heatmap/viewpalette.h"
#include "ui/pages/roles/shareseries.h"

#include <QRectF>

#include <vector>

class QPainter;

namespace headscope {

struct SharePicture
{
    ShareSeries series;
    QColor strong; ///< of bars that make a label
    ViewPalette palette = ViewPalette::light();
};

/// Returns where the bars' rows or columns are, in the order of series.bars: for tool tips.
std::vector<QRectF> paintShares(QPainter &painter, const QRectF &rect, const SharePicture &picture);
/// Height that lying bars need with this font.
double sharesHeight(const ShareSeries &series, double lineHeight);

} // namespace headscope
