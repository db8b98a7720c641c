#pragma once

#include "ui/heatmap/attentiontable.h"
#include "ui/heatmap/colorscale.h"
#include "ui/heatmap/treearcs.h"

#include <QImage>
#include <QPoint>
#include <QRectF>
#include <QSizeF>

#include <algorithm>
#include <optional>
#include <vector>

class QFontMetricsF;
class QPainter;

namespace headscope {

class SlantedLabels;

/// Everything a heat map shows. The window and the exports paint the same picture.
struct HeatMapPicture
{
    AttentionTable table;
    ColorScale scale;     ///< of weights
    QString title;        ///< "encoder.2.6, encoder self-attention"
    QString rowsTitle;    ///< what the rows are: "queries: source"
    QString columnsTitle; ///< what the columns are
    QString legendLabel;
    bool byRow = false;             ///< the scale is of shares of the largest weight of each row
    QString evidence{};             ///< a line below the title; null: there is no such line, empty: its room is kept
    std::vector<TreeArc> arcs = {}; ///< over the columns
    bool masked = false;            ///< the head is masked: dimmed, and marked in the title
    std::optional<QPoint> marked{}; ///< (column, row) of a cell that was looked for: it has a frame
    ViewPalette palette = ViewPalette::light();
    std::optional<int> divider{}; ///< a line before this column
};

/// The space around the cells: as large as the labels are, which takes a while to find out where there are many.
struct HeatMapMargins
{
    HeatMapMargins() = default;
    HeatMapMargins(const HeatMapPicture &picture, const QFontMetricsF &metrics);
    /// Smaller, so that cells can have half of a view of that size: first legend and titles take fewer lines, then the
    /// tree yields, then the labels of columns and those of rows get shorter.
    HeatMapMargins within(const QSizeF &view) const;

    double arcs = 0;   ///< of `top`
    double labels = 0; ///< the longest label of a column, along its slope
    double title = 0;  ///< of `top`: the lines above it all
    double legend = 0; ///< of `bottom`
    double left = 0;
    double top = 0;
    double right = 0;
    double bottom = 0;
    bool flatLegend = false;  ///< on one line
    bool joinedTitle = false; ///< what the rows and columns are stands behind the evidence

private:
    double m_line = 0;   ///< the height of one
    double m_joined = 0; ///< how wide evidence and what rows and columns are would be on one line; 0: there is one only
};

/// The layout of a heat map: its cells fill the room as far as they can. Labels stay in place while the cells scroll
/// under them, and are left out where they would lie over each other.
class HeatMapGeometry
{
public:
    static constexpr double kSmallestCell = 3;  ///< below this the cells scroll
    static constexpr double kLargestCell = 80;  ///< as long as nobody zooms
    static constexpr double kReadableCell = 16; ///< every label can be read

    HeatMapGeometry() = default;
    /// Fits the picture into `available`; cells that do not fit are scrolled to with `scroll`.
    HeatMapGeometry(const HeatMapPicture &picture, const QSizeF &available, const QFontMetricsF &metrics,
                    const QPointF &scroll = {});
    HeatMapGeometry(const HeatMapPicture &picture, const HeatMapMargins &margins, const QSizeF &available,
                    const QFontMetricsF &metrics, const QPointF &scroll, double zoom = 1);

    double cell() const { return std::min(m_cell.width(), m_cell.height()); } ///< its smaller side
    const QSizeF &cellSize() const { return m_cell; }
    int rowStep() const { return m_rowStep; } ///< every how many rows have a label
    int columnStep() const { return m_columnStep; }
    const QRectF &title() const { return m_title; }
    const QRectF &arcs() const { return m_arcs; } ///< above the column labels; empty without arcs
    /// Where a line along the column labels from the middle of a column's upper edge meets the foot of the arcs;
    /// `column` may lie between columns.
    QPointF arcFoot(double column) const;
    const QRectF &columnLabels() const { return m_columnLabels; }
    double labelLength() const { return m_labelLength; } ///< columns' labels are elided to it
    const QRectF &rowLabels() const { return m_rowLabels; }
    const QRectF &window() const { return m_window; } ///< the visible part of the cells
    const QRectF &legend() const { return m_legend; }
    bool hasFlatLegend() const { return m_flatLegend; }   ///< on one line
    bool hasJoinedTitle() const { return m_joinedTitle; } ///< evidence and what rows and columns are, on one line
    QSizeF contentSize() const { return m_content; }      ///< all cells, hidden mass included
    QRectF cellRect(int row, int column) const;
    QRectF hiddenRect(int row) const; ///< the cell of a row's hidden mass
    QRect visibleCells() const;       ///< (column, row) of those that are seen at least in part
    /// (column, row) of the cell at `point`; nothing outside the visible cells.
    std::optional<QPoint> cellAt(const QPointF &point) const;
    /// The space that the whole picture takes with cells of `cell` pixels.
    static QSizeF sizeFor(const HeatMapPicture &picture, double cell, const QFontMetricsF &metrics);

private:
    int m_rows = 0;
    int m_columns = 0;
    bool m_hidden = false;
    QSizeF m_cell;
    int m_rowStep = 1;
    int m_columnStep = 1;
    double m_labelLength = 0;
    QPointF m_origin; ///< top left of the first cell, scrolled
    QSizeF m_content;
    QRectF m_title;
    QRectF m_arcs;
    QRectF m_columnLabels;
    QRectF m_rowLabels;
    QRectF m_window;
    QRectF m_legend;
    bool m_flatLegend = false;
    bool m_joinedTitle = false;
};

/// `hover` = (column, row) under the mouse: its row, column and labels stand out. `cells` = heatMapCells() of the
/// picture, for callers that paint it often; without them every cell is a rectangle, which is crisp at any size.
/// `labels`: those of the columns, for the same callers.
void paintHeatMap(QPainter &painter, const HeatMapPicture &picture, const HeatMapGeometry &geometry,
                  std::optional<QPoint> hover = {}, const QImage &cells = {}, SlantedLabels *labels = nullptr);
/// A pixel for every cell.
QImage heatMapCells(const HeatMapPicture &picture);
/// The whole picture fitted into `rect`: for exports.
void paintHeatMap(QPainter &painter, const QRectF &rect, const HeatMapPicture &picture);

/// What the rows and the columns are, on one line.
QString heatMapAxes(const HeatMapPicture &picture);
/// The title of the column of hidden keys.
AxisLabel hiddenTokensLabel();

/// "chien → dog: 0.8312": the weight under the crosshair. Empty outside the table.
QString heatMapReadout(const AttentionTable &table, const QPoint &cell);

} // namespace headscope
