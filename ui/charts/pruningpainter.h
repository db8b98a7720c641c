#pragma once

#include "ui/charts/pruningseries.h"
#include "ui/heatmap/viewpalette.h"

#include <QFont>
#include <QRectF>

#include <optional>
#include <vector>

class QChart;
class QPainter;

namespace headscope {

/// "Importance", "Importance (re-estimated)", "Importance, decoder" where each kind has its curve.
QString curveName(const CurveSeries &curve);

/// How a curve looks: a piece of its line with its marker.
void paintCurveSample(QPainter &painter, const QRectF &rect, const CurveSeries &curve, const ViewPalette &palette);
/// "Importance, in-domain"
QString curveLabel(const CurveSeries &curve);

/// A score measured under the present mask: a point on the slider's line.
struct LiveScore
{
    bool outOfDomain = false;
    double score = 0; ///< as shown
    std::optional<Interval> interval;
};

/// Where a pinned head is removed in the slider's order.
struct PinnedPlace
{
    int removed = 0; ///< heads removed up to it
    QString name;
};

/// Everything the pruning chart shows. The window and the exports paint the same picture.
struct PruningPicture
{
    PruningSeries series;
    std::optional<double> slider; ///< heads removed
    std::vector<LiveScore> live;
    std::vector<PinnedPlace> pins{}; ///< ascending
    ViewPalette palette = ViewPalette::light();
    /// Inside: in the corner of the plot that the curves leave empty. None: a table beside the chart says which curve
    /// is which.
    enum class Legend { Above, Inside, None };
    Legend legend = Legend::Above;
    /// Of the scores: where it is seen from, and how much, in shares of their axis. The slider stands under all heads.
    double zoomFrom = 0;
    double zoomShare = 1;
};

/// Fills an empty chart with axes, lines and bands.
void buildPruningChart(QChart &chart, const PruningPicture &picture, const QFont &font);
/// Whether a legend inside the plot of such a chart, in this font, can keep off the curves.
bool hasLegendPlace(QChart &chart, const PruningPicture &picture, const QFont &font);
/// What Qt Charts cannot draw, in the chart's coordinates: legend, point markers, the margin of a loss, "first
/// significant loss", pinned heads, the slider's line with its readings.
void paintPruningOverlay(QPainter &painter, QChart &chart, const PruningPicture &picture);
/// The whole picture, with vector text where the device has it. Returns where the plot lies.
QRectF paintPruningChart(QPainter &painter, const QRectF &rect, const PruningPicture &picture);

} // namespace headscope
