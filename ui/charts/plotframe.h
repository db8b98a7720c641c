#pragma once

#include "ui/heatmap/viewpalette.h"

#include <QPointF>
#include <QRectF>
#include <QString>

#include <utility>
#include <vector>

class QPainter;

namespace headscope {

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

private:
    QRectF m_rect;
    QRectF m_plot;
    const PlotAxes &m_axes;
};

} // namespace headscope
