#pragma once

#include "ui/heatmap/viewpalette.h"

#include <QPointF>
#include <QRectF>
#include <QString>

#include <utility>
#include <vector>

class QPainter;

namespace headscope {

/// The part of a plot that is seen, in shares of its axes from the lower left corner; all of it until somebody zooms.
struct PlotZoom
{
    QRectF seen{0, 0, 1, 1};

    bool isAll() const { return seen == QRectF(0, 0, 1, 1); }
    /// What lies at `place` of the plot, in shares from its lower left corner, stays there while everything is drawn
    /// `factor` times as large. Never beyond the axes' ends, at most 64 times.
    void zoomBy(double factor, const QPointF &place);
    /// The same for a picture that is painted larger than the room `rect` that it is seen through: around `point` of
    /// it.
    void zoomBy(double factor, const QPointF &point, const QRectF &rect);
    /// How large such a picture is painted, and where, so that `seen` of it lies in `rect`.
    QRectF canvas(const QRectF &rect) const;
    /// Moves by shares of what is seen.
    void moveBy(const QPointF &shares);

    bool operator==(const PlotZoom &) const = default;
};

/// Axes of a plot that is painted without Qt Charts: ranges, ticks with their text, titles.
struct PlotAxes
{
    double xLow = 0;
    double xHigh = 1;
    double yLow = 0;
    double yHigh = 1;
    std::vector<std::pair<double, QString>> xTicks;
    std::vector<std::pair<double, QString>> yTicks;
    QString xTitle;
    QString yTitle;
    PlotZoom zoom{};
};

/// Ticks at round values, with as many digits as their steps need.
std::vector<std::pair<double, QString>> axisTicks(double low, double high, int atMost);

/// Where the plot of a picture lies, and where its values lie in it.
class PlotFrame
{
public:
    /// Leaves room for axes around the plot, and `top` over it for a legend. Fonts follow painter.font().
    PlotFrame(QPainter &painter, const QRectF &rect, const PlotAxes &axes, double top);

    const QRectF &plot() const { return m_plot; }
    QPointF at(double x, double y) const;
    /// Paper, grid, axes and their texts.
    void paint(QPainter &painter, const ViewPalette &palette) const;
    /// While the plot is zoomed, nothing is painted beside it until the painter's state is restored.
    void clip(QPainter &painter) const;
    const PlotAxes &axes() const { return m_axes; } ///< of what is seen

private:
    QRectF m_rect;
    QRectF m_plot;
    PlotAxes m_axes;
};

/// Two strokes across the y axis of a plot, at the end where it stops short of zero; nothing where zero is on it.
void paintAxisBreak(QPainter &painter, const QRectF &plot, double yLow, double yHigh, const ViewPalette &palette);

} // namespace headscope
