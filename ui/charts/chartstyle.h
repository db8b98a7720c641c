#pragma once

#include "ui/heatmap/viewpalette.h"

#include <QColor>
#include <QFont>
#include <QPen>
#include <QString>

class QAbstractAxis;
class QChart;
class QGraphicsScene;
class QPainter;

namespace headscope {

/// How a pruning order is drawn. Shape and dash carry the same information as the colour.
enum class MarkerShape { Circle, Square, Diamond, Triangle };

struct OrderStyle
{
    QColor color;
    MarkerShape shape = MarkerShape::Circle;
};
/// `variant`: another curve of the same order, drawn in a different style.
OrderStyle orderStyle(const QString &order, bool variant, const ViewPalette &palette);
/// "importance" → "Importance"; a file keeps its name.
QString orderName(const QString &order);
/// Colour and shape of an attention kind.
OrderStyle kindStyle(int kind, const ViewPalette &palette);

/// Of lines that follow each other, from the first (0) to the last (1).
OrderStyle rankStyle(double rank, const ViewPalette &palette);

/// The lines of a training run.
enum class TrainingLine { Training, Validation, Bleu };
OrderStyle trainingStyle(TrainingLine line, const ViewPalette &palette);

QPen curvePen(const QColor &color, bool outOfDomain, double width = 2);
/// Filled in-domain, hollow out-of-domain.
void drawMarker(QPainter &painter, const QPointF &centre, double size, const OrderStyle &style, bool hollow,
                const ViewPalette &palette);

/// Background, margins, no animation, no built-in legend.
void styleChart(QChart &chart, const ViewPalette &palette);
void styleAxis(QAbstractAxis &axis, const ViewPalette &palette, const QFont &font, const QString &title);

/// Lays the chart out now rather than at the next event, so that plotArea() is that of what was just set.
void settleChart(QChart &chart);

/// Paints a chart that is in `scene` and in no view, at the size of `rect`; afterwards chart.plotArea() is valid, in
/// coordinates relative to rect.topLeft().
void renderChart(QPainter &painter, const QRectF &rect, QGraphicsScene &scene, QChart &chart);

} // namespace headscope
