#pragma once

#include "ui/delegates/headgridpainter.h"

#include <QRectF>

#include <vector>

class QFontMetricsF;
class QPainter;

namespace headscope {

/// Stacked: roles beside the scale, symbols in a line below, as under one grid. Beside: roles and symbols flow to the
/// right of the scales, as under several grids in a row.
enum class GridLegendForm { Stacked, Beside };

double gridLegendHeight(const QFontMetricsF &metrics, GridLegendForm form);

/// The legend of one grid, or of several side by side: each colour scale that they use once, the roles and the symbols
/// that occur in any of them.
void paintGridLegend(QPainter &painter, const QRectF &rect, const std::vector<const GridPicture *> &pictures,
                     GridLegendForm form);

} // namespace headscope
