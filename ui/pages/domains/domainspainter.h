#pragma once

#include "ui/charts/scatterpainter.h"
#include "ui/delegates/headgridpainter.h"

#include <QString>

#include <optional>
#include <vector>

class QPainter;
class QRectF;

namespace headscope {

/// What the page Domains shows: grids side by side with one legend, and a scatter below them.
struct DomainsPicture
{
    struct Grid
    {
        GridPicture picture;
        QString title;
        QString detail; ///< below it
    };
    std::vector<Grid> grids;
    std::optional<ScatterPicture> scatter; ///< nothing: it is folded, or there is none
    double gridsHeight = 0;                ///< on the page, with titles; 0: as it comes
};

void paintDomains(QPainter &painter, const QRectF &rect, const DomainsPicture &shown);

} // namespace headscope
