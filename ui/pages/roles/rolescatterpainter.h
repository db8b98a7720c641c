#pragma once

#include "ui/charts/headmarkchart.h"
#include "ui/pages/roles/rolescatterseries.h"

#include <QRectF>

#include <optional>
#include <vector>

class QPainter;

namespace headscope {

/// Everything the chart shows. The window and the exports paint the same picture.
struct RoleScatterPicture : HeadMarkLooks
{
    RoleScatterSeries series;
    std::optional<Role> onlyRole; ///< the others are dimmed
};

/// Panels with a legend over them: a letter and a colour for each role, a shape for each kind of attention. A head has
/// a mark in every row of panels.
std::vector<HeadMark> paintRoleScatter(QPainter &painter, const QRectF &rect, const RoleScatterPicture &picture);

} // namespace headscope
