#include "ui/heatmap/heatmapimage.h"

namespace headscope {

QImage heatMapImage(std::span<const double> values, int rows, int columns, const ColorScale &scale,
                    Appearance appearance)
{
    if (rows <= 0 || columns <= 0 || values.size() != static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns))
        return {};
    QImage image(columns, rows, QImage::Format_RGB32);
    for (int row = 0; row < rows; ++row) {
        auto *line = reinterpret_cast<QRgb *>(image.scanLine(row));
        for (int column = 0; column < columns; ++column)
            line[column] = scale.color(values[static_cast<std::size_t>(row * columns + column)], appearance).rgb();
    }
    return image;
}

} // namespace headscope
