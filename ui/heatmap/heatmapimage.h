#pragma once

#include "ui/heatmap/colorscale.h"

#include <QImage>

#include <span>

namespace headscope {

/// One pixel per value, row by row. values: [rows, columns]; the image is null when they do not fit.
QImage heatMapImage(std::span<const double> values, int rows, int columns, const ColorScale &scale,
                    Appearance appearance);

} // namespace headscope
