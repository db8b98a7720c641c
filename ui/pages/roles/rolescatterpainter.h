#pragma once

#include "ui/heatmap/viewpalette.h"
#include "ui/pages/roles/rolescatterseries.h"

#include <QPointF>

#include <optional>
#include <set>
#include <vector>

class QPainter;

namespace headscope {

/// Everything the chart shows. The window and the exports paint the same picture.
struct RoleScatterPicture
{
    RoleScatterSeries series;
    std::set<HeadRef> selection;
    std::optional<HeadRef> current;
    std::optional<HeadRef> hovered;
    std::set<HeadRef> masked;
    std::optional<Role> onlyRole; ///< the others are dimmed
    QRectF brush;                 ///< null = none
    ViewPalette palette = ViewPalette::light();
};

/// Where a head was painted; a head has a mark in every row of panels.
struct RoleScatterMark
{
    HeadRef head;
    QPointF centre;
};

/// Panels with a legend over them: a letter and a colour for each role, a shape for each kind of attention.
std::vector<RoleScatterMark> paintRoleScatter(QPainter &painter, const QRectF &rect, const RoleScatterPicture &picture);

} // namespace headscope
