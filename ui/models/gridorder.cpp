#include "ui/models/gridorder.h"

#include <QCoreApplication>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>

namespace headscope {
namespace {

struct OrderWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::GridOrder)
};

/// What has none comes after all others.
double rankOf(const GridContent &content, const HeadRef &head)
{
    const HeadCell *cell = content.cell(head);
    return cell && cell->rank > 0 ? cell->rank : std::numeric_limits<double>::infinity();
}

/// Over the heads that have one.
double meanRank(const GridContent &content, HeadKind kind, int layer, const std::vector<int> &heads)
{
    double sum = 0;
    int count = 0;
    for (const int head : heads) {
        const double rank = rankOf(content, {kind, layer, head});
        if (rank < std::numeric_limits<double>::infinity()) {
            sum += rank;
            ++count;
        }
    }
    return count > 0 ? sum / count : std::numeric_limits<double>::infinity();
}

int placeIn(const std::vector<int> &order, int number)
{
    const auto found = std::ranges::find(order, number);
    return found == order.end() ? -1 : static_cast<int>(found - order.begin());
}

int numberAt(const std::vector<int> &order, int place)
{
    return place >= 0 && place < std::ssize(order) ? order[static_cast<std::size_t>(place)] : -1;
}

} // namespace

UsualRows &UsualRows::instance()
{
    static UsualRows rows;
    return rows;
}

void UsualRows::set(GridRows rows)
{
    if (rows == m_rows)
        return;
    m_rows = rows;
    Q_EMIT changed();
}

GridOrder GridOrder::usual(const HeadLayout &layout)
{
    return UsualRows::instance().rows() == GridRows::LastAbove
             ? GridOrder()
             : GridOrder(emptyContent(layout), {.rows = UsualRows::instance().rows(), .headsByRank = false});
}

GridOrder::GridOrder(const GridContent &content, const GridSorting &sorting) : m_sorting(sorting)
{
    if (sorting == GridSorting())
        return;
    m_layout = content.layout;
    for (const HeadLayout::Block &source : content.layout.blocks()) {
        Block &block = m_blocks[source.kind];
        block.layers.resize(source.layers.size());
        std::iota(block.layers.begin(), block.layers.end(), 0);
        if (sorting.rows == GridRows::ByRank)
            std::ranges::stable_sort(block.layers, {}, [&](int layer) {
                return meanRank(content, source.kind, layer, source.layers[static_cast<std::size_t>(layer)]);
            });
        if (sorting.rows != GridRows::LastAbove) // the first one is above
            std::ranges::reverse(block.layers);
        block.heads = source.layers;
        for (int layer = 0; layer < std::ssize(block.heads); ++layer) {
            auto &heads = block.heads[static_cast<std::size_t>(layer)];
            if (sorting.headsByRank)
                std::ranges::stable_sort(heads, {}, [&](int head) {
                    return rankOf(content, {source.kind, layer, head});
                });
        }
    }
}

const GridOrder::Block *GridOrder::block(HeadKind kind) const
{
    const auto found = m_blocks.find(kind);
    return found == m_blocks.end() ? nullptr : &found->second;
}

int GridOrder::layerAt(HeadKind kind, int row) const
{
    const Block *sorted = block(kind);
    return sorted ? numberAt(sorted->layers, row) : row;
}

int GridOrder::rowOf(HeadKind kind, int layer) const
{
    const Block *sorted = block(kind);
    return sorted ? placeIn(sorted->layers, layer) : layer;
}

int GridOrder::headAt(HeadKind kind, int layer, int column) const
{
    const Block *sorted = block(kind);
    if (!sorted || !m_sorting.headsByRank)
        return column;
    return layer >= 0 && layer < std::ssize(sorted->heads)
             ? numberAt(sorted->heads[static_cast<std::size_t>(layer)], column)
             : -1;
}

int GridOrder::columnOf(const HeadRef &head) const
{
    const Block *sorted = block(head.kind);
    if (!sorted || !m_sorting.headsByRank)
        return head.head;
    return head.layer >= 0 && head.layer < std::ssize(sorted->heads)
             ? placeIn(sorted->heads[static_cast<std::size_t>(head.layer)], head.head)
             : -1;
}

QString GridOrder::axesText() const
{
    const QString heads = m_sorting.headsByRank ? OrderWords::tr("heads by rank →") : OrderWords::tr("head →");
    switch (m_blocks.empty() ? UsualRows::instance().rows() : m_sorting.rows) {
    case GridRows::LastAbove:
        return OrderWords::tr("layer ↑  %1").arg(heads);
    case GridRows::FirstAbove:
        return OrderWords::tr("layer ↓  %1").arg(heads);
    case GridRows::ByRank:
        return OrderWords::tr("layers by mean rank ↓  %1").arg(heads);
    }
    return {};
}

} // namespace headscope
