#include "ui/heatmap/heatmapimage.h"

namespace headscope {

QImage heatMapImage(std::span<const double> values, int rows, int columns, const ColorScale &scale,
                    Appearance appearance, const std::optional<QColor> &paper)
{
    if (rows <= 0 || columns <= 0
        || values.size() != static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns))
        return {};
    QImage image(columns, rows, QImage::Format_RGB32);
    for (int row = 0; row < rows; ++row) {
        auto *line = reinterpret_cast<QRgb *>(image.scanLine(row));
        for (int column = 0; column < columns; ++column) {
            const QColor color = scale.color(values[static_cast<std::size_t>(row * columns + column)], appearance);
            line[column] = (paper ? dimmed(color, *paper) : color).rgb();
        }
    }
    return image;
}

QColor dimmed(const QColor &color, const QColor &paper)
{
    return QColor::fromRgbF((color.redF() + paper.redF()) / 2, (color.greenF() + paper.greenF()) / 2,
                            (color.blueF() + paper.blueF()) / 2);
}

} // namespace headscope
