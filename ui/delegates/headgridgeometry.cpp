#include "ui/delegates/headgridgeometry.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
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
    if (m_order.sorting() == GridSorting())
        m_order = GridOrder::usual(m_layout);
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

/// In one line first, then in two, then in more.
std::vector<std::vector<std::size_t>> HeadGridGeometry::possibleLines() const
{
    std::vector<std::vector<std::size_t>> all;
    const auto places = m_blocks.size() - 1; // where a line may end
    for (unsigned ends = 0; ends < 1U << places; ++ends) {
        std::vector<std::size_t> lines{1};
        for (std::size_t i = 0; i < places; ++i) {
            if (ends >> i & 1U)
                lines.push_back(1);
            else
                ++lines.back();
        }
        all.push_back(std::move(lines));
    }
    std::ranges::stable_sort(all, {}, &std::vector<std::size_t>::size);
    return all;
}

/// The largest cells with which such lines fit into the room.
QSizeF HeadGridGeometry::cellIn(const std::vector<std::size_t> &lines, const QSizeF &room) const
{
    double width = room.width();
    double height = room.height() - static_cast<double>(lines.size() - 1) * m_blockGap;
    int rows = 0;
    std::size_t next = 0;
    for (const std::size_t count : lines) {
        int columns = 0;
        int highest = 0;
        for (const std::size_t last = next + count; next < last; ++next) {
            columns += m_blocks[next].columns;
            highest = std::max(highest, m_blocks[next].rows);
        }
        const auto blocks = static_cast<double>(count);
        width = std::min(width, (room.width() - blocks * m_margin - (blocks - 1) * m_blockGap) / columns);
        height -= m_above;
        rows += highest;
    }
    const double high = std::floor(std::clamp(std::min(width, height / rows), m_smallest, kLargestCell));
    return {std::floor(std::clamp(width, high, kMostWide * high)), high};
}

HeadGridGeometry::Arrangement HeadGridGeometry::arrange(const QSizeF &available, double footer) const
{
    constexpr double kClearly = 1.05; // more lines for less would only make the picture restless
    const QSizeF room(available.width() - 2 * m_padding, available.height() - 2 * m_padding - footer);
    Arrangement best;
    for (std::vector<std::size_t> &lines : possibleLines()) {
        const QSizeF cell = cellIn(lines, room);
        if (cell.width() * cell.height() > kClearly * best.cell.width() * best.cell.height() || best.lines.empty())
            best = {std::move(lines), cell};
    }
    return best;
}

/// Blocks of different heights stand on one line.
void HeadGridGeometry::placeLine(std::size_t first, std::size_t count, double top)
{
    int highest = 0;
    for (std::size_t i = first; i < first + count; ++i)
        highest = std::max(highest, m_blocks[i].rows);
    double x = m_padding;
    for (std::size_t i = first; i < first + count; ++i) {
        Block &block = m_blocks[i];
        const double wide = block.columns * m_cell.width();
        const double high = block.rows * m_cell.height();
        const double above = top + (highest - block.rows) * m_cell.height();
        block.title = QRectF(x + m_margin, above, wide, m_line);
        block.cells = QRectF(x + m_margin, above + m_above, wide, high);
        x += m_margin + wide + m_blockGap;
    }
}

void HeadGridGeometry::findVacancy(const std::vector<std::size_t> &lines, double right)
{
    std::size_t next = 0;
    double top = m_padding;
    for (const std::size_t count : lines) {
        next += count;
        const QRectF &last = m_blocks[next - 1].cells;
        const QRectF beside(QPointF(last.right() + m_blockGap, top), QPointF(right, last.bottom()));
        const bool larger = beside.width() * beside.height() > m_vacancy.width() * m_vacancy.height();
        if (beside.width() > 0 && larger)
            m_vacancy = beside;
        top = last.bottom() + m_blockGap;
    }
}

void HeadGridGeometry::place(const Arrangement &arrangement, const QSizeF &available, double footer)
{
    m_cell = arrangement.cell;
    double top = m_padding;
    std::size_t next = 0;
    for (const std::size_t count : arrangement.lines) {
        placeLine(next, count, top);
        next += count;
        top = m_blocks[next - 1].cells.bottom() + m_blockGap;
    }
    const QRectF cells = allCells();
    findVacancy(arrangement.lines, cells.right());
    const double contentWidth = cells.right() + m_padding;
    const double contentHeight = cells.bottom() + m_padding + footer;
    m_contentSize = QSizeF(std::max(contentWidth, footer > 0 ? kFooterWidth + 2 * m_padding : 0), contentHeight);
    m_size = QSizeF(std::max(available.width(), contentWidth), std::max(available.height(), contentHeight));
    // The remaining space surrounds the grid: it stays near the middle, with the legend right below it.
    const double dx = std::floor((m_size.width() - contentWidth) / 2);
    const double dy = std::floor((m_size.height() - contentHeight) * 0.4);
    for (Block &block : m_blocks) {
        block.cells.translate(dx, dy);
        block.title.translate(dx, dy);
    }
    if (!m_vacancy.isNull())
        m_vacancy.translate(dx, dy);
    // As wide as the grid, but a legend needs room for its words.
    const double wide = std::max(contentWidth - 2 * m_padding, std::min(kFooterWidth, m_size.width() - 2 * m_padding));
    const double left = std::min(dx + m_padding, std::max(m_padding, (m_size.width() - wide) / 2));
    m_footer = QRectF(left, cells.bottom() + m_padding + dy, wide, footer);
}

QRectF HeadGridGeometry::allCells() const
{
    QRectF all;
    for (const Block &block : m_blocks)
        all |= block.cells;
    return all;
}

QRectF HeadGridGeometry::slot(const Block &block, int row, int column) const
{
    return QRectF(
        QPointF(block.cells.left() + column * m_cell.width(), block.cells.bottom() - (row + 1) * m_cell.height()),
        m_cell);
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
        const int layer
            = m_order.layerAt(block.kind, static_cast<int>((block.cells.bottom() - point.y()) / m_cell.height()));
        const int column = static_cast<int>((point.x() - block.cells.left()) / m_cell.width());
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
        if (ahead < m_cell.height() / 2)
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
