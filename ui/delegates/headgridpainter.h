#pragma once

#include "ui/delegates/headgridgeometry.h"
#include "ui/heatmap/colorscale.h"
#include "ui/models/gridcontent.h"

#include <optional>
#include <set>
#include <vector>

class QPainter;

namespace headscope {

/// Everything a head grid shows. The window, the exports and --screenshot paint the same picture.
struct GridPicture
{
    GridContent content;
    HeadMask mask;
    ColorScale scale;
    std::set<HeadRef> selection;
    std::optional<HeadRef> current;
    std::optional<HeadRef> hovered;
    bool focused = false;
    ViewPalette palette = ViewPalette::light();
    std::set<HeadRef> pins{};
    GridOrder order{};
};

/// The scale that covers the values of `content`.
ColorScale scaleFor(const GridContent &content);
/// What that goes by: where values are tested, those that are significant, or how far chance reaches if none is.
std::vector<double> scaleValues(const GridContent &content);
/// The same for the values of several grids like `content` on one scale.
ColorScale scaleFor(const std::vector<double> &values, const GridContent &content);
/// "Δ BLEU (BLEU points), test_2016_flickr, 1,000 examples": the caption of a legend.
QString gridCaption(const GridContent &content);
/// Height of legend and key with this font.
double gridFooterHeight(const QFontMetricsF &metrics);

/// Paints into the geometry's coordinates, `dirty` only.
void paintHeadGrid(QPainter &painter, const GridPicture &picture, const HeadGridGeometry &geometry,
                   const QRectF &dirty);
/// Paints the whole picture into `rect`: for exports.
void paintHeadGrid(QPainter &painter, const QRectF &rect, const GridPicture &picture);

} // namespace headscope
