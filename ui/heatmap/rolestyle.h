#pragma once

#include "core/results/roles.h"
#include "ui/heatmap/viewpalette.h"

class QPainter;
class QRectF;

namespace headscope {

/// Of a set that colour-blind readers can tell apart, always used with the role's letter. 3 : 1 on the paper.
QColor roleColor(Role role, const ViewPalette &palette);

/// A square of the role's colour with `mark` in it ("P", "P?"); without room for letters only the square.
void paintRoleTag(QPainter &painter, const QRectF &rect, Role role, const QString &mark, const ViewPalette &palette);

} // namespace headscope
