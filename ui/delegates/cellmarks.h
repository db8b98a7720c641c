#pragma once

#include "ui/heatmap/viewpalette.h"

#include <QColor>
#include <QRectF>

class QPainter;

namespace headscope {

// The marks of a cell of a grid, in its rectangle; legends paint the same in their swatches.

/// Diagonals from bottom left to top right, as plain lines: brushes with patterns are lost in SVG.
void paintHatch(QPainter &painter, const QRectF &rect, const QColor &color);
/// Of a masked head.
void paintCross(QPainter &painter, const QRectF &rect, const QColor &color);
/// A folded corner, at the upper right.
void paintPin(QPainter &painter, const QRectF &rect, const ViewPalette &palette);
/// Of a head without a value.
void paintMissing(QPainter &painter, const QRectF &rect, const ViewPalette &palette);

} // namespace headscope
