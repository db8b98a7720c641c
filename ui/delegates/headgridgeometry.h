#pragma once

#include "ui/models/gridorder.h"

#include <QFontMetricsF>
#include <QRectF>

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace headscope {

/// Whether blocks have titles, and rows and columns their numbers.
enum class GridLabels { Shown, None };

/// The layout of a head grid: one block per attention kind, layers and heads in a GridOrder. Blocks are in a row, below
/// each other, or in lines of several (2 + 1), whichever makes cells largest. Cells are square, or as much wider than
/// high as kMostWide says where there is width to spare.
class HeadGridGeometry
{
public:
    static constexpr double kSmallestCell = 8; ///< below this the view scrolls
    static constexpr double kGoodCell = 18;
    static constexpr double kLargestCell = 180;
    static constexpr double kMostWide = 1.5; ///< a cell's width in heights

    struct Block
    {
        HeadKind kind = HeadKind::Encoder;
        int rows = 0;
        int columns = 0;
        QRectF title;
        QRectF cells; ///< all cells, without labels
    };

    HeadGridGeometry() = default;
    /// Fits into `available`, unless cells would be smaller than kSmallestCell: then size() is larger.
    /// `footer` is kept free below the blocks for the legend.
    HeadGridGeometry(const HeadLayout &layout, const QSizeF &available, const QFontMetricsF &metrics, double footer,
                     GridLabels labels = GridLabels::Shown, GridOrder order = {});

    /// Of the cells of `content`: those of a key group are one, as wide as all of its heads.
    HeadGridGeometry(const GridContent &content, const QSizeF &available, const QFontMetricsF &metrics, double footer,
                     GridLabels labels = GridLabels::Shown, GridOrder order = {});

    QSizeF size() const { return m_size; }
    QSizeF contentSize() const { return m_contentSize; } ///< what blocks and footer need of it
    GridLabels labels() const { return m_labels; }
    const GridOrder &order() const { return m_order; }
    double cell() const { return m_cell.height(); } ///< the shorter side
    QSizeF cellSize() const { return m_cell; }
    const std::vector<Block> &blocks() const { return m_blocks; }
    QRectF footer() const { return m_footer; }
    QRectF allCells() const; ///< around the cells of all blocks
    /// The largest room beside a line of blocks that is shorter than the others; null where there is none.
    QRectF vacancy() const { return m_vacancy; }
    /// Of any row (from below) and column of a block, whether or not a head is there.
    QRectF slot(const Block &block, int row, int column) const;
    QRectF cellRect(const HeadRef &head) const; ///< of its group where cells are groups; null rectangle: no such head
    /// The first of its group where cells are groups.
    std::optional<HeadRef> headAt(const QPointF &point) const;
    std::vector<HeadRef> headsIn(const QRectF &rect) const; ///< touched by the rectangle
    /// The head that an arrow key moves to: `columns` to the right, `rows` up; across blocks at their edges.
    std::optional<HeadRef> neighbour(const HeadRef &from, int columns, int rows) const;

private:
    struct Arrangement
    {
        std::vector<std::size_t> lines; ///< how many blocks stand beside each other in each, from above
        QSizeF cell;
    };
    std::vector<std::vector<std::size_t>> possibleLines() const;
    QSizeF cellIn(const std::vector<std::size_t> &lines, const QSizeF &room) const;
    Arrangement arrange(const QSizeF &available, double footer) const;
    void place(const Arrangement &arrangement, const QSizeF &available, double footer);
    void placeLine(std::size_t first, std::size_t count, double top);
    void findVacancy(const std::vector<std::size_t> &lines, double right);
    void setup(const QSizeF &available, const QFontMetricsF &metrics, double footer);
    int spanOf(const HeadRef &first) const;
    int columnOf(const HeadRef &first) const;

    HeadLayout m_layout;
    std::map<HeadRef, int> m_spans; ///< columns of groups by their first heads; empty: cells are heads
    GridOrder m_order;
    GridLabels m_labels = GridLabels::Shown;
    std::vector<Block> m_blocks;
    double m_line = 0;   ///< height of a line of text
    double m_above = 0;  ///< of a block's cells, for its title and the head numbers
    double m_margin = 0; ///< left of a block, for layer numbers
    double m_blockGap = 0;
    double m_padding = 0;
    double m_smallest = 0;
    QSizeF m_cell;
    QRectF m_footer;
    QRectF m_vacancy;
    QSizeF m_size;
    QSizeF m_contentSize;
};

} // namespace headscope
