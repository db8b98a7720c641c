#include "ui/pages/heads/smallgrids.h"

#include "ui/views/gridfeed.h"

#include <algorithm>
#include <utility>

namespace headscope {
namespace {

constexpr int kTileGap = 14;
constexpr double kGoodCell = 5; ///< fewer grids are shown before cells get smaller

struct Shown
{
    Measure measure;
    DomainView view;
    GridContent content;
};

std::vector<Shown> othersOf(const StudyState &state)
{
    std::vector<Shown> others;
    for (const Measure measure : kAllMeasures) {
        for (const DomainView view : {DomainView::In, DomainView::Out, DomainView::Difference}) {
            const bool same = measure == state.measure();
            if (same ? view == state.domainView() : view == DomainView::Difference && state.domainView() != view)
                continue;
            GridContent content = gridContent(state, measure, view);
            if (content.valueCount() > 0)
                others.push_back({measure, view, std::move(content)});
        }
    }
    const auto distance = [&](const Shown &one) {
        return one.measure == state.measure() ? 0 : one.view == state.domainView() ? 1 : 2;
    };
    std::ranges::stable_sort(others, {}, distance);
    return others;
}

} // namespace

SmallGrids::SmallGrids(StudyState &state, QWidget *parent) : QWidget(parent), m_state(state) { }

void SmallGrids::refresh()
{
    std::vector<Shown> others = othersOf(m_state);
    const bool same = std::ranges::equal(others, m_grids, [](const Shown &one, const SmallGrid *grid) {
        return one.measure == grid->measure() && one.view == grid->view();
    });
    if (!same) {
        for (SmallGrid *grid : std::exchange(m_grids, {}))
            delete grid;
        for (const Shown &one : others)
            m_grids.push_back(new SmallGrid(m_state, one.measure, one.view, this));
    }
    for (std::size_t i = 0; i < others.size(); ++i) {
        m_grids[i]->setContent(std::move(others[i].content));
        m_grids[i]->setOrder(m_order);
    }
    arrange();
}

void SmallGrids::setOrder(const GridOrder &order)
{
    m_order = order;
    for (SmallGrid *grid : m_grids)
        grid->setOrder(order);
}

void SmallGrids::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void SmallGrids::arrange()
{
    if (m_grids.empty())
        return;
    const int title = SmallGrid::titleHeight(fontMetrics());
    const QFontMetricsF metrics(font(), this);
    const HeadLayout &layout = m_grids.front()->content().layout;
    const auto tileOf = [&](int columns, int rows) {
        return QSize((width() - (columns - 1) * kTileGap) / columns, (height() - (rows - 1) * kTileGap) / rows);
    };
    const auto cellOf = [&](const QSize &tile) {
        const bool isWideEnough = tile.width() >= kLeastWidth && tile.height() >= kLeastHeight * 2 / 3;
        const QSizeF room(tile.width(), tile.height() - title);
        const HeadGridGeometry geometry(layout, room, metrics, 0, GridLabels::None);
        const bool fits
            = geometry.contentSize().width() <= room.width() && geometry.contentSize().height() <= room.height();
        return isWideEnough && fits ? geometry.cell() : 0.0;
    };
    int count = static_cast<int>(m_grids.size());
    int columns = 1;
    for (;; --count) {
        double best = -1;
        for (int tried = 1; tried <= count; ++tried) {
            const double cell = cellOf(tileOf(tried, (count + tried - 1) / tried));
            if (cell > best) {
                best = cell;
                columns = tried;
            }
        }
        if (best >= kGoodCell || count == 1)
            break;
    }
    const int rows = (count + columns - 1) / columns;
    const QSize tile = tileOf(columns, rows);
    for (int i = 0; i < static_cast<int>(m_grids.size()); ++i) {
        SmallGrid &grid = *m_grids[static_cast<std::size_t>(i)];
        grid.setVisible(i < count && cellOf(tile) > 0);
        grid.setGeometry(
            QRect(QPoint(i % columns * (tile.width() + kTileGap), i / columns * (tile.height() + kTileGap)), tile));
    }
}

} // namespace headscope
