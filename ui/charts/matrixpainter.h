#pragma once

#include "core/results/interactionsresult.h"
#include "core/results/similarityresult.h"
#include "ui/heatmap/colorscale.h"
#include "ui/heatmap/viewpalette.h"
#include "ui/models/numbertext.h"

#include <QImage>
#include <QPoint>
#include <QPointF>
#include <QRectF>
#include <QString>

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

class QFontMetricsF;
class QPainter;

namespace headscope {

/// Values of pairs of heads, in the order of a dendrogram or, without joins, of the heads.
struct MatrixSeries
{
    std::vector<HeadRef> leaves; ///< from left to right
    PairTable values;            ///< of leaves; NaN: not measured
    ColorScale scale{};
    ValueFormat format{.decimals = 3};
    /// A step of the clustering in places of leaves: the branches stand over the middles of what they hold.
    struct Join
    {
        double left = 0, right = 0;         ///< of the two branches
        double leftFoot = 0, rightFoot = 0; ///< heights where they begin
        double height = 0;
        std::size_t firstLeaf = 0, lastLeaf = 0; ///< all that it holds
    };
    std::vector<Join> joins;
    QString legend; ///< what the colours say
    bool empty() const { return leaves.empty(); }
    double highest() const { return joins.empty() ? 0 : joins.back().height; }
};

/// Distances of the heads of one kind of attention.
MatrixSeries makeMatrixSeries(const KindSimilarity &kind, HeadDistance distance, const QString &legend);
/// Interactions of the heads in the pairs measured: those that stand in for each other are near each other.
MatrixSeries makeMatrixSeries(const InteractionsResult &result, const QString &legend);

struct MatrixPicture
{
    MatrixSeries series{};
    std::set<HeadRef> selection{};
    std::optional<HeadRef> hovered{};
    std::optional<QPoint> cell{}; ///< (column, row) that is looked at
    ViewPalette palette = ViewPalette::light();
};

/// Where the parts of the picture lie.
struct MatrixGeometry
{
    MatrixGeometry() = default;
    MatrixGeometry(const MatrixPicture &picture, const QRectF &rect, const QFontMetricsF &metrics);

    QRectF dendrogram; ///< over the cells
    QRectF cells;      ///< square
    QRectF legend;
    double step = 0; ///< of a cell

    std::optional<QPoint> cellAt(const QPointF &point) const;
    /// Where a join's crossbar lies at its height.
    QPointF joinAt(double place, double height, double highest) const;
    /// The lowest join whose crossbar is near `point`.
    std::optional<std::size_t> joinNear(const MatrixSeries &series, const QPointF &point) const;
};

MatrixGeometry paintMatrix(QPainter &painter, const QRectF &rect, const MatrixPicture &picture,
                           const QImage &cells = {});
/// A pixel for every cell.
QImage matrixCells(const MatrixPicture &picture);

} // namespace headscope
