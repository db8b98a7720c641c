#include "ui/charts/chartstyle.h"

#include "ui/heatmap/colorscale.h"

#include <QAbstractAxis>
#include <QChart>
#include <QCoreApplication>
#include <QGraphicsLayout>
#include <QGraphicsScene>
#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

/// How the curves of an order of removal are drawn and called.
struct DrawnOrder
{
    QLatin1String order;
    const char *name;
    int color; ///< of the series; below zero: muted
    MarkerShape shape;
};

const DrawnOrder *drawnOrder(const QString &order)
{
    static constexpr DrawnOrder kOrders[] = {
        {"importance"_L1, QT_TRANSLATE_NOOP("headscope::PruningChart", "Importance"), 0, MarkerShape::Circle},
        {"ablation"_L1, QT_TRANSLATE_NOOP("headscope::PruningChart", "Ablation"), 1, MarkerShape::Square},
        {"random"_L1, QT_TRANSLATE_NOOP("headscope::PruningChart", "Random"), -1, MarkerShape::Triangle},
        {"greedy"_L1, QT_TRANSLATE_NOOP("headscope::PruningChart", "Greedy"), 3, MarkerShape::Triangle},
        {"shapley"_L1, QT_TRANSLATE_NOOP("headscope::PruningChart", "Shapley values"), 4, MarkerShape::Circle},
        {"relevance"_L1, QT_TRANSLATE_NOOP("headscope::PruningChart", "Relevance"), 5, MarkerShape::Square},
        {"gating"_L1, QT_TRANSLATE_NOOP("headscope::PruningChart", "Gates"), 6, MarkerShape::Triangle},
        {"search"_L1, QT_TRANSLATE_NOOP("headscope::PruningChart", "Mask search"), 2, MarkerShape::Diamond},
    };
    const auto found = std::ranges::find_if(kOrders, [&](const DrawnOrder &drawn) { return order == drawn.order; });
    return found == std::end(kOrders) ? nullptr : found;
}

} // namespace

OrderStyle orderStyle(const QString &order, bool variant, const ViewPalette &palette)
{
    if (variant)
        return {palette.series(2), MarkerShape::Diamond};
    const DrawnOrder *drawn = drawnOrder(order);
    if (!drawn)
        return {palette.series(3), MarkerShape::Diamond};
    return {drawn->color < 0 ? palette.muted : palette.series(static_cast<std::size_t>(drawn->color)), drawn->shape};
}

QString orderName(const QString &order)
{
    const DrawnOrder *drawn = drawnOrder(order);
    return drawn ? QCoreApplication::translate("headscope::PruningChart", drawn->name) : order;
}

OrderStyle kindStyle(int kind, const ViewPalette &palette)
{
    static constexpr MarkerShape shapes[]
        = {MarkerShape::Circle, MarkerShape::Square, MarkerShape::Triangle, MarkerShape::Diamond};
    return {palette.series(static_cast<std::size_t>(kind)), shapes[kind % 4]};
}

OrderStyle rankStyle(double rank, const ViewPalette &palette)
{
    static constexpr MarkerShape shapes[] = {MarkerShape::Circle, MarkerShape::Square, MarkerShape::Triangle};
    constexpr double kPalest = 0.35; // what is paler cannot be told from paper
    const auto shape = static_cast<std::size_t>(rank * 9.5) % std::size(shapes);
    return {ColorScale::sequential(0, 1).color(kPalest + (1 - kPalest) * rank, palette.appearance), shapes[shape]};
}

OrderStyle trainingStyle(TrainingLine line, const ViewPalette &palette)
{
    static constexpr MarkerShape shapes[] = {MarkerShape::Circle, MarkerShape::Square, MarkerShape::Diamond};
    const auto index = static_cast<std::size_t>(line);
    return {palette.series(index), shapes[index]};
}

QPen curvePen(const QColor &color, bool outOfDomain, double width)
{
    QPen pen(color, width);
    pen.setCapStyle(Qt::FlatCap);
    pen.setJoinStyle(Qt::RoundJoin);
    if (outOfDomain)
        pen.setDashPattern({4, 3});
    return pen;
}

void drawMarker(QPainter &painter, const QPointF &centre, double size, const OrderStyle &style, bool hollow,
                const ViewPalette &palette)
{
    const double r = size / 2;
    painter.save();
    painter.setPen(QPen(hollow ? style.color : palette.paper, hollow ? 1.6 : 1));
    painter.setBrush(hollow ? palette.paper : style.color);
    const auto at = [&](double dx, double dy) { return centre + QPointF(dx * r, dy * r); };
    switch (style.shape) {
    case MarkerShape::Circle:
        painter.drawEllipse(centre, r, r);
        break;
    case MarkerShape::Square:
        painter.drawRect(QRectF(at(-0.9, -0.9), at(0.9, 0.9)));
        break;
    case MarkerShape::Diamond:
        painter.drawPolygon(QPolygonF({at(0, -1.2), at(1.2, 0), at(0, 1.2), at(-1.2, 0)}));
        break;
    case MarkerShape::Triangle:
        painter.drawPolygon(QPolygonF({at(0, -1.15), at(1.1, 0.85), at(-1.1, 0.85)}));
        break;
    }
    painter.restore();
}

void styleChart(QChart &chart, const ViewPalette &palette)
{
    chart.setBackgroundBrush(palette.paper);
    chart.setBackgroundRoundness(0);
    chart.setBackgroundPen(Qt::NoPen);
    chart.setAnimationOptions(QChart::NoAnimation);
    chart.layout()->setContentsMargins(0, 0, 0, 0);
    chart.setLocalizeNumbers(true);
}

void styleAxis(QAbstractAxis &axis, const ViewPalette &palette, const QFont &font, const QString &title)
{
    axis.setLabelsFont(font);
    axis.setTitleFont(font);
    axis.setTitleText(title);
    axis.setLabelsColor(palette.muted);
    axis.setTitleBrush(palette.ink);
    axis.setLinePen(QPen(palette.line, 1));
    axis.setGridLinePen(QPen(palette.gridLine, 1));
}

void settleChart(QChart &chart)
{
    chart.layout()->invalidate();
    chart.layout()->activate();
}

void renderChart(QPainter &painter, const QRectF &rect, QGraphicsScene &scene, QChart &chart)
{
    chart.resize(rect.size());
    settleChart(chart);
    scene.setSceneRect(QRectF(QPointF(0, 0), rect.size()));
    scene.render(&painter, rect, scene.sceneRect(), Qt::IgnoreAspectRatio);
}

} // namespace headscope
