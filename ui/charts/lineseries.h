#pragma once

#include "core/results/pruningresult.h"
#include "core/results/speedresult.h"
#include "ui/charts/plotframe.h"

#include <QString>

#include <optional>
#include <vector>

namespace headscope {

/// A few lines over a common x axis, each point with its interval.
struct LineSeries
{
    struct Point
    {
        double x = 0;
        double y = 0;
        double low = 0;
        double high = 0;
        QString name{}; ///< of one that can be pointed at by itself
    };
    enum class Look {
        Line,    ///< with markers, and their intervals as a band
        Points,  ///< markers alone, each with a line of its interval
        Outline, ///< no markers: a line that joins points of other series, such as a Pareto front
        Thin,    ///< faint, without markers and a name in the legend: one of many, or what runs through points
    };
    struct Line
    {
        QString name;
        int style = 0; ///< of kindStyle()
        std::vector<Point> points;
        std::optional<double> rank{}; ///< 0…1 among lines that follow each other: coloured by rankStyle() instead
        Look look = Look::Line;
        bool hollow = false; ///< its markers: another variant of a line of the same style
    };
    PlotAxes axes{};
    std::vector<Line> lines{};
    bool zeroLine = false;             ///< y = 0 is the reference level
    std::optional<double> reference{}; ///< another reference level, dashed
    QString referenceName{};
    bool empty() const { return lines.empty(); }
};

/// Round ends of the y axis around everything that is drawn.
void fitScores(LineSeries &series);

/// An x axis of layers 0…last, with a tick for each.
void setLayers(PlotAxes &axes, int last);

/// The score while heads of one kind of attention go, a line per kind, over their share (Michel et al.'s Figure 4).
LineSeries makeKindSeries(const PruningResult &eachKind);

/// Examples per second over those of the original in per cent, masked and with heads removed, by batch size (its
/// Table 4): medians with quartiles. Of one way of making batches.
LineSeries makeSpeedSeries(const SpeedResult &result, LengthPolicy lengths = LengthPolicy::Bucketed);

} // namespace headscope
