#pragma once

#include "ui/heatmap/colorscale.h"

#include <QColor>
#include <QImage>

#include <optional>
#include <span>

namespace headscope {

/// One pixel per value, row by row. values: [rows, columns]; the image is null when they do not fit. `paper`: colours
/// are dimmed towards it.
QImage heatMapImage(std::span<const double> values, int rows, int columns, const ColorScale &scale,
                    Appearance appearance, const std::optional<QColor> &paper = {});
/// Half way to the paper, so that the pattern can still be read.
QColor dimmed(const QColor &color, const QColor &paper);

} // namespace headscope
