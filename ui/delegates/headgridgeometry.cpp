#include "ui/delegates/headgridgeometry.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope {

namespace {
constexpr double kFooterWidth = 420;
constexpr double kSmallestUnlabelled = 3;

std::map<HeadRef, int> spansOf(const GridContent &content)
{
    std::map<HeadRef, int> spans;
    for (const HeadCell &cell : content.cells) {
        if (content.byKeyGroup)
            spans[cell.head] = cell.others.empty() ? 1 : cell.others.back().head - cell.head.head + 1;
    }
    return spans;
}
} // namespace

HeadGridGeometry::HeadGridGeometry(const HeadLayout &layout, const QSizeF &available, const QFontMetricsF &metrics,
                                   double footer, GridLabels labels, GridOrder order)
    : m_layout(layout), m_order(std::move(order)), m_labels(labels)
{
    setup(available, metrics, footer);
}

HeadGridGeometry::HeadGridGeometry(const GridContent &content, const QSizeF &available, const QFontMetricsF &metrics,
                                   double footer, GridLabels labels, GridOrder order)
    : m_layout(content.layout), m_spans(spansOf(content)), m_order(std::move(order)), m_labels(labels)
{
    setup(available, metrics, footer);
}

void HeadGridGeometry::setup(const QSizeF &available, const QFontMetricsF &metrics, double footer)
{
    m_line = std::ceil(metrics.height());
    const bool labelled = m_labels == GridLabels::Shown;
    m_above = labelled ? 2 * m_line + 6 : 0;
    m_margin = labelled ? std::ceil(metrics.horizontalAdvance(QStringLiteral("00"))) + 8 : 0;
    m_blockGap = labelled ? 18 : 6;
    m_padding = labelled ? 8 : 0;
    m_smallest = labelled ? kSmallestCell : kSmallestUnlabelled;
    for (const auto &source : m_layout.blocks()) {
        Block block;
        block.kind = source.kind;
        block.rows = static_cast<int>(source.layers.size());
        for (int layer = 0; layer < block.rows; ++layer) {
            const std::vector<int> &heads = source.layers[static_cast<std::size_t>(layer)];
            if (!heads.empty())
                block.columns = std::max(block.columns, heads.back() + spanOf({source.kind, layer, heads.back()}));
        }
        if (block.rows > 0 && block.columns > 0)
            m_blocks.push_back(block);
    }
    if (m_blocks.empty()) {
        m_size = m_contentSize = available;
        m_footer = QRectF(0, available.height() - footer, available.width(), footer);
        return;
    }
    place(arrange(available, footer), available, footer);
}

HeadGridGeometry::Arrangement HeadGridGeometry::arrange(const QSizeF &available, double footer) const
{
    int columns = 0;
    int rows = 0;
    int widest = 0;
    int highest = 0;
    for (const Block &block : m_blocks) {
        columns += block.columns;
        rows += block.rows;
        widest = std::max(widest, block.columns);
        highest = std::max(highest, block.rows);
    }
    const auto count = static_cast<double>(m_blocks.size());
    const double width = available.width() - 2 * m_padding;
    const double height = available.height() - 2 * m_padding - footer;
    const auto fit
        = [this](double w, double h) { return std::floor(std::clamp(std::min(w, h), m_smallest, kLargestCell)); };
    const Arrangement beside{
        false, fit((width - count * m_margin - (count - 1) * m_blockGap) / columns, (height - m_above) / highest)};
    const Arrangement stacked{
        true, fit((width - m_margin) / widest, (height - count * m_above - (count - 1) * m_blockGap) / rows)};
    return stacked.cell > beside.cell * 1.2 ? stacked : beside;
}

void HeadGridGeometry::place(const Arrangement &arrangement, const QSizeF &available, double footer)
{
    m_cell = arrangement.cell;
    double x = m_padding;
    double y = m_padding;
    double right = 0;
    double bottom = 0;
    for (Block &block : m_blocks) {
        const double width = m_margin + block.columns * m_cell;
        const double height = m_above + block.rows * m_cell;
        block.title = QRectF(x + m_margin, y, width - m_margin, m_line);
        block.cells = QRectF(x + m_margin, y + m_above, block.columns * m_cell, block.rows * m_cell);
        right = std::max(right, x + width);
        bottom = std::max(bottom, y + height);
        if (arrangement.stacked)
            y += height + m_blockGap;
        else
            x += width + m_blockGap;
    }
    // Blocks of different heights stand on one line.
    if (!arrangement.stacked) {
        for (Block &block : m_blocks) {
            const double down = bottom - block.cells.bottom();
            block.cells.translate(0, down);
            block.title.translate(0, down);
        }
    }
    const double contentWidth = right + m_padding;
    const double contentHeight = bottom + m_padding + footer;
    m_contentSize = QSizeF(std::max(contentWidth, footer > 0 ? kFooterWidth + 2 * m_padding : 0), contentHeight);
    m_size = QSizeF(std::max(available.width(), contentWidth), std::max(available.height(), contentHeight));
    // The remaining space surrounds the grid: it stays near the middle, with the legend right below it.
    const double dx = std::floor((m_size.width() - contentWidth) / 2);
    const double dy = std::floor((m_size.height() - contentHeight) * 0.4);
    for (Block &block : m_blocks) {
        block.cells.translate(dx, dy);
        block.title.translate(dx, dy);
    }
    // As wide as the grid, but a legend needs room for its words.
    const double wide = std::max(contentWidth - 2 * m_padding, std::min(kFooterWidth, m_size.width() - 2 * m_padding));
    const double left = std::min(dx + m_padding, std::max(m_padding, (m_size.width() - wide) / 2));
    m_footer = QRectF(left, bottom + m_padding + dy, wide, footer);
}

QRectF HeadGridGeometry::slot(const Block &block, int row, int column) const
{
    return QRectF(block.cells.left() + column * m_cell, block.cells.bottom() - (row + 1) * m_cell, m_cell, m_cell);
}

int HeadGridGeometry::spanOf(const HeadRef &first) const
{
    const auto found = m_spans.find(first);
    return found == m_spans.end() ? 1 : found->second;
}

/// Sorted by rank, a group begins after those on its left.
int HeadGridGeometry::columnOf(const HeadRef &first) const
{
    const int place = m_order.columnOf(first);
    if (m_spans.empty() || !m_order.sorting().headsByRank)
        return place;
    int column = 0;
    for (int before = 0; before < place; ++before)
        column += spanOf({first.kind, first.layer, m_order.headAt(first.kind, first.layer, before)});
    return column;
}

QRectF HeadGridGeometry::cellRect(const HeadRef &head) const
{
    const HeadRef first = m_spans.empty() ? head : firstOfGroup(m_layout, head);
    if (!m_layout.contains(first))
        return {};
    const auto at
        = std::find_if(m_blocks.begin(), m_blocks.end(), [&](const Block &block) { return block.kind == head.kind; });
    if (at == m_blocks.end())
        return {};
    QRectF cell = slot(*at, m_order.rowOf(head.kind, head.layer), columnOf(first));
    cell.setWidth(cell.width() * spanOf(first));
    return cell;
}

std::optional<HeadRef> HeadGridGeometry::headAt(const QPointF &point) const
{
    if (!m_spans.empty()) {
        const auto &firsts = m_layout.heads();
        const auto found
            = std::ranges::find_if(firsts, [&](const HeadRef &first) { return cellRect(first).contains(point); });
        return found == firsts.end() ? std::nullopt : std::optional(*found);
    }
    for (const Block &block : m_blocks) {
        if (!block.cells.contains(point))
            continue;
        const int layer = m_order.layerAt(block.kind, static_cast<int>((block.cells.bottom() - point.y()) / m_cell));
        const int column = static_cast<int>((point.x() - block.cells.left()) / m_cell);
        const HeadRef head{block.kind, layer, m_order.headAt(block.kind, layer, column)};
        if (m_layout.contains(head))
            return head;
    }
    return std::nullopt;
}

std::vector<HeadRef> HeadGridGeometry::headsIn(const QRectF &rect) const
{
    std::vector<HeadRef> heads;
    for (const HeadRef &head : m_layout.heads()) {
        if (cellRect(head).intersects(rect))
            heads.push_back(head);
    }
    return heads;
}

std::optional<HeadRef> HeadGridGeometry::neighbour(const HeadRef &from, int columns, int rows) const
{
    const QRectF start = cellRect(from);
    if (start.isNull())
        return std::nullopt;
    // The nearest head whose middle lies in the direction of the key, straight ahead before aside: the same
    // rule inside a block, over the gaps of pruned heads and from block to block.
    const QPointF direction(columns, -rows);
    std::optional<HeadRef> best;
    double bestCost = 0;
    for (const HeadRef &head : m_layout.heads()) {
        const QPointF way = cellRect(head).center() - start.center();
        const double ahead = QPointF::dotProduct(way, direction);
        const double aside = std::abs(way.x() * direction.y()) + std::abs(way.y() * direction.x());
        if (ahead < m_cell / 2)
            continue;
        const double cost = ahead + 8 * aside;
        if (!best || cost < bestCost) {
            best = head;
            bestCost = cost;
        }
    }
    return best;
}

} // namespace headscope
