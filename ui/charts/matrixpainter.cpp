#include "ui/charts/matrixpainter.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace headscope {
namespace {

constexpr double kDendrogramShare = 0.22; ///< of the height
constexpr double kMatrixReach = 5;        ///< pixels around a crossbar

QPointF centreOf(const QRectF &cells, double step, double column)
{
    return {cells.left() + (column + 0.5) * step, cells.top()};
}

void paintDendrogram(QPainter &painter, const MatrixGeometry &geometry, const MatrixPicture &picture)
{
    const MatrixSeries &series = picture.series;
    const double highest = series.highest();
    for (const MatrixSeries::Join &join : series.joins) {
        bool selected = !picture.selection.empty();
        for (std::size_t leaf = join.firstLeaf; leaf <= join.lastLeaf && selected; ++leaf)
            selected = picture.selection.contains(series.leaves[leaf]);
        painter.setPen(QPen(selected ? picture.palette.accent : picture.palette.ink, selected ? 2 : 1));
        const QPointF left = geometry.joinAt(join.left, join.height, highest);
        const QPointF right = geometry.joinAt(join.right, join.height, highest);
        painter.drawLine(geometry.joinAt(join.left, join.leftFoot, highest), left);
        painter.drawLine(left, right);
        painter.drawLine(right, geometry.joinAt(join.right, join.rightFoot, highest));
    }
}

/// Bars beside and under the cells of heads that are selected or hovered.
void paintSides(QPainter &painter, const MatrixGeometry &geometry, const MatrixPicture &picture)
{
    constexpr double kBar = 4;
    for (std::size_t leaf = 0; leaf < picture.series.leaves.size(); ++leaf) {
        const HeadRef &head = picture.series.leaves[leaf];
        const bool hovered = picture.hovered == head;
        if (!hovered && !picture.selection.contains(head))
            continue;
        const QColor color = hovered ? picture.palette.ink : picture.palette.accent;
        const double from = static_cast<double>(leaf) * geometry.step;
        const double size = std::max(geometry.step, 1.5);
        painter.fillRect(QRectF(geometry.cells.left() - kBar - 1, geometry.cells.top() + from, kBar, size), color);
        painter.fillRect(QRectF(geometry.cells.left() + from, geometry.cells.bottom() + 1, size, kBar), color);
    }
    if (!picture.cell)
        return;
    painter.setPen(QPen(picture.palette.ink, 1.2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(geometry.cells.left() + picture.cell->x() * geometry.step,
                            geometry.cells.top() + picture.cell->y() * geometry.step, geometry.step, geometry.step));
}

std::vector<std::size_t> placesOf(const std::vector<std::int64_t> &order)
{
    return {order.begin(), order.end()};
}

/// The dendrogram of `merges` over its leaves, which are places of `heads`, and what they are in `values`.
MatrixSeries inOrder(const std::vector<HeadRef> &heads, const PairTable &values, const std::vector<std::size_t> &order,
                     const std::vector<ClusterMerge> &merges)
{
    MatrixSeries series;
    series.values = PairTable(heads.size());
    std::vector<std::size_t> leafOf(heads.size());
    for (std::size_t leaf = 0; leaf < heads.size(); ++leaf) {
        leafOf[order[leaf]] = leaf;
        series.leaves.push_back(heads[order[leaf]]);
        for (std::size_t before = 0; before < leaf; ++before)
            series.values.at(before, leaf) = values.at(order[before], order[leaf]);
    }
    struct Branch
    {
        double middle;
        double height;
        std::size_t first, last;
    };
    std::vector<Branch> branches;
    for (const std::size_t leaf : leafOf)
        branches.push_back({static_cast<double>(leaf), 0, leaf, leaf});
    for (const ClusterMerge &merge : merges) {
        Branch left = branches[static_cast<std::size_t>(merge.first)];
        Branch right = branches[static_cast<std::size_t>(merge.second)];
        if (left.middle > right.middle)
            std::swap(left, right);
        series.joins.push_back({left.middle, right.middle, left.height, right.height, merge.height,
                                std::min(left.first, right.first), std::max(left.last, right.last)});
        branches.push_back({(left.middle + right.middle) / 2, merge.height, series.joins.back().firstLeaf,
                            series.joins.back().lastLeaf});
    }
    return series;
}

} // namespace

MatrixSeries makeMatrixSeries(const KindSimilarity &kind, HeadDistance distance, const QString &legend)
{
    MatrixSeries series = inOrder(kind.heads, distancesOf(kind, distance), placesOf(kind.order), kind.merges);
    series.legend = legend;
    series.scale = ColorScale::fitting(ScaleKind::Sequential, series.values.values());
    return series;
}

MatrixSeries makeMatrixSeries(const InteractionsResult &result, const QString &legend)
{
    const std::vector<HeadRef> &heads = result.clusters.heads;
    if (heads.empty() || result.pairs.empty()) // also of earlier versions, which had no clusters
        return {};
    const auto placeOf = [&](const HeadRef &head) {
        return static_cast<std::size_t>(std::ranges::lower_bound(heads, head) - heads.begin());
    };
    PairTable values(heads.size());
    std::ranges::fill(values.values(), std::numeric_limits<double>::quiet_NaN());
    std::vector<double> sizes;
    for (const HeadInteraction &pair : result.pairs) {
        values.at(placeOf(pair.head), placeOf(pair.other)) = pair.interaction;
        sizes.push_back(std::abs(pair.interaction));
    }
    MatrixSeries series = inOrder(heads, values, placesOf(result.clusters.order), result.clusters.merges);
    series.legend = legend;
    series.format = metricFormat(QString::fromStdString(result.metric));
    constexpr double kShown = 0.98; // of the pairs: the few beyond them have the colours of the ends
    std::ranges::sort(sizes);
    const double extent = sizes[static_cast<std::size_t>(kShown * double(sizes.size() - 1))];
    series.scale = ColorScale::fitting(ScaleKind::Diverging, std::array{-extent, extent}).colored(result.better);
    return series;
}

MatrixGeometry::MatrixGeometry(const MatrixPicture &picture, const QRectF &rect, const QFontMetricsF &metrics)
{
    constexpr double kSide = 8;
    const double under = legendHeight(metrics) + 2 * kSide;
    const double tree = picture.series.joins.empty() ? 0 : (rect.height() - under) * kDendrogramShare;
    const double side = std::min(rect.width() - 2 * kSide, rect.height() - under - tree - kSide);
    const double left = rect.center().x() - side / 2;
    dendrogram = QRectF(left, rect.top() + kSide / 2, side, tree);
    cells = QRectF(left, dendrogram.bottom() + 2, side, side);
    legend = QRectF(rect.left() + kSide, cells.bottom() + kSide, rect.width() - 2 * kSide,
                    rect.bottom() - cells.bottom() - kSide);
    step = picture.series.empty() ? 0 : side / static_cast<double>(picture.series.leaves.size());
}

std::optional<QPoint> MatrixGeometry::cellAt(const QPointF &point) const
{
    if (step <= 0 || !cells.contains(point))
        return {};
    const int last = static_cast<int>(std::lround(cells.width() / step)) - 1;
    const auto place = [&](double from) { return std::clamp(static_cast<int>(from / step), 0, last); };
    return QPoint(place(point.x() - cells.left()), place(point.y() - cells.top()));
}

QPointF MatrixGeometry::joinAt(double place, double height, double highest) const
{
    const double share = highest > 0 ? height / highest : 0;
    return {centreOf(cells, step, place).x(), dendrogram.bottom() - share * dendrogram.height()};
}

std::optional<std::size_t> MatrixGeometry::joinNear(const MatrixSeries &series, const QPointF &point) const
{
    std::optional<std::size_t> found;
    double best = kMatrixReach;
    for (std::size_t i = 0; i < series.joins.size(); ++i) {
        const QPointF left = joinAt(series.joins[i].left, series.joins[i].height, series.highest());
        const QPointF right = joinAt(series.joins[i].right, series.joins[i].height, series.highest());
        const double gap = std::abs(point.y() - left.y());
        if (point.x() >= left.x() - 2 && point.x() <= right.x() + 2 && gap < best) {
            best = gap;
            found = i;
        }
    }
    return found;
}

QImage matrixCells(const MatrixPicture &picture)
{
    const auto size = static_cast<int>(picture.series.leaves.size());
    QImage image(size, size, QImage::Format_RGB32);
    for (int row = 0; row < size; ++row) {
        for (int column = 0; column <= row; ++column) {
            const double value
                = picture.series.values.at(static_cast<std::size_t>(row), static_cast<std::size_t>(column));
            const QRgb color = picture.series.scale.color(value, picture.palette.appearance).rgb();
            image.setPixel(column, row, color);
            image.setPixel(row, column, color);
        }
    }
    return image;
}

MatrixGeometry paintMatrix(QPainter &painter, const QRectF &rect, const MatrixPicture &picture, const QImage &cells)
{
    painter.fillRect(rect, picture.palette.paper);
    const QFontMetricsF metrics(painter.font(), painter.device());
    const MatrixGeometry geometry(picture, rect, metrics);
    if (picture.series.empty())
        return geometry;
    painter.save();
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.drawImage(geometry.cells, cells.isNull() ? matrixCells(picture) : cells);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(picture.palette.line, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(geometry.cells);
    paintDendrogram(painter, geometry, picture);
    paintSides(painter, geometry, picture);
    const bool isWhole
        = std::ranges::none_of(picture.series.values.values(), [](double one) { return std::isnan(one); });
    paintLegend(painter, geometry.legend, picture.series.scale, picture.series.legend, picture.palette,
                picture.series.format.factor, !isWhole);
    painter.restore();
    return geometry;
}

} // namespace headscope
