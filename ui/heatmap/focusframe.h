#pragma once

#include "ui/heatmap/viewpalette.h"

#include <QPainter>
#include <QPen>
#include <QRect>

namespace headscope {

/// Around a picture that has the keyboard.
inline void paintFocusFrame(QPainter &painter, const QRect &rect, const ViewPalette &palette)
{
    painter.setPen(QPen(palette.accent, 1, Qt::DotLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect.adjusted(0, 0, -1, -1));
}

} // namespace headscope
