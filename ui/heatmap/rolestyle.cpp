#include "ui/heatmap/rolestyle.h"

#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace headscope {

QColor roleColor(Role role, const ViewPalette &palette)
{
    // After Okabe and Ito; darkened or lightened until they stand out from the paper, and in the order of Role.
    static const std::array light{QColor(0x00, 0x72, 0xb2), QColor(0xd5, 0x5e, 0x00), QColor(0x00, 0x80, 0x60),
                                  QColor(0xb3, 0x4f, 0x8b), QColor(0x2b, 0x8f, 0xc8), QColor(0x9a, 0x77, 0x00),
                                  QColor(0x6a, 0x4c, 0x93), QColor(0x5f, 0x5f, 0x5f)};
    static const std::array dark{QColor(0x4d, 0xa8, 0xe0), QColor(0xf0, 0x85, 0x3b), QColor(0x33, 0xc0, 0x98),
                                 QColor(0xe0, 0x92, 0xc0), QColor(0x8f, 0xd0, 0xf5), QColor(0xe5, 0xc5, 0x4a),
                                 QColor(0xb4, 0x9a, 0xe0), QColor(0xb5, 0xb5, 0xb5)};
    return palette.mark((palette.appearance == Appearance::Dark ? dark : light)[static_cast<std::size_t>(role)]);
}

void paintRoleTag(QPainter &painter, const QRectF &rect, Role role, const QString &mark, const ViewPalette &palette)
{
    constexpr double kSmallestLetter = 7;
    const QColor color = roleColor(role, palette);
    painter.save();
    painter.setPen(QPen(palette.paper, 1)); // apart from a cell of the same colour
    painter.setBrush(color);
    painter.drawRect(rect);
    const double height = std::floor(rect.height() - 2);
    if (height >= kSmallestLetter) {
        QFont font = painter.font();
        font.setBold(true);
        font.setPixelSize(static_cast<int>(height));
        const double width = QFontMetricsF(font, painter.device()).horizontalAdvance(mark);
        if (width > rect.width() - 1)
            font.setPixelSize(std::max(1, static_cast<int>(height * (rect.width() - 1) / width)));
        painter.setFont(font);
        painter.setPen(readableOn(color));
        painter.drawText(rect, Qt::AlignCenter, mark);
    }
    painter.restore();
}

} // namespace headscope
