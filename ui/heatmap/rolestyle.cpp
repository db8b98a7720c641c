#include "ui/heatmap/rolestyle.h"

#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace headscope {

QColor roleColor(Role role, const ViewPalette &palette)
{
    // In the order of Role. None is near the blue of losses or the orange of gains (hues 245 to 260 and 45 to 70
    // degrees of OKLab), so that a role is never taken for a value; neighbours differ in lightness too.
    static const std::array light{QColor(0x00, 0x7d, 0x63), QColor(0xb5, 0x2a, 0x78), QColor(0x6a, 0x3f, 0xa8),
                                  QColor(0x7d, 0x7a, 0x00), QColor(0x00, 0x8f, 0x96), QColor(0x8f, 0x2d, 0x4d),
                                  QColor(0x3f, 0x6b, 0x1e), QColor(0x9a, 0x1f, 0xa8), QColor(0x6e, 0x66, 0x50),
                                  QColor(0x5f, 0x5f, 0x5f)};
    static const std::array dark{QColor(0x2f, 0xc6, 0x9f), QColor(0xf0, 0x7c, 0xbd), QColor(0xb7, 0x98, 0xf0),
                                 QColor(0xd2, 0xd0, 0x4a), QColor(0x55, 0xd6, 0xdc), QColor(0xe8, 0x8a, 0xa6),
                                 QColor(0x9c, 0xcf, 0x6e), QColor(0xe6, 0x8c, 0xf2), QColor(0xcf, 0xc6, 0xa8),
                                 QColor(0xb5, 0xb5, 0xb5)};
    return palette.mark((palette.appearance == Appearance::Dark ? dark : light)[static_cast<std::size_t>(role)]);
}

void paintRoleTag(QPainter &painter, const QRectF &rect, Role role, const QString &mark, const ViewPalette &palette)
{
    constexpr double kSmallestLetter = 9;
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
