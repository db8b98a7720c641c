#pragma once

#include "ui/charts/lineseries.h"
#include "ui/heatmap/viewpalette.h"

#include <QRectF>

#include <cstddef>
#include <optional>

class QPainter;

namespace headscope {

/// A point of a LineSeries, by the places of its line and of itself.
struct LinePoint
{
    std::size_t line = 0;
    std::size_t point = 0;
    bool operator==(const LinePoint &) const = default;
};

/// Everything a chart of lines shows. The window and the exports paint the same picture.
struct LinePicture
{
    LineSeries series;
    ViewPalette palette = ViewPalette::light();
    std::optional<double> cursor{};     ///< the x under the pointer: a vertical line
    std::optional<LinePoint> pointed{}; ///< ringed, with its name
};

/// Lines with markers, their intervals as bands, a legend over the plot. Fonts follow painter.font(). Returns where the
/// plot lies.
QRectF paintLines(QPainter &painter, const QRectF &rect, const LinePicture &picture);

} // namespace headscope
