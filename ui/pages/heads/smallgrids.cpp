#include "ui/pages/heads/smallgrids.h"

#include "ui/views/gridfeed.h"

#include <algorithm>
#include <utility>

namespace headscope {
namespace {

constexpr int kTileGap = 14;
constexpr double kGoodCell = 7; ///< fewer grids are shown before cells get smaller

/// In the order in which they are shown.
std::vector<std::pair<Measure, DomainView>> slotsOf(const StudyState &state)
{
    std::vector<std::pair<Measure, DomainView>> all;
    const bool in = state.data(Domain::In).has_value();
    const bool out = state.data(Domain::Out).has_value();
    for (const MeasureInfo &info : measures()) {
        for (const DomainView view : {DomainView::In, DomainView::Out, DomainView::Difference}) {
            const bool same = info.measure == state.measure();
            const bool isAlone = !in && !out && view == DomainView::In; // the model, which fills the room
            const bool exists = info.isOfModel
                                  ? isAlone && info.manifest(state.results(Domain::In), HeadUnit::Head) != nullptr
                                  : (view == DomainView::In    ? in
                                     : view == DomainView::Out ? out
                                                               : in && out);
            const bool shown
                = same ? view == state.domainView() : view == DomainView::Difference && state.domainView() != view;
            const bool few = same || !info.isSurface; // else there are many
            if (exists && !shown && few)
                all.emplace_back(info.measure, view);
        }
    }
    const auto distance = [&](const std::pair<Measure, DomainView> &one) {
        return one.first == state.measure() ? 0 : one.second == state.domainView() ? 1 : 2;
    };
    std::ranges::stable_sort(all, {}, distance);
    return all;
}

} // namespace

SmallGrids::SmallGrids(StudyState &state, QWidget *parent) : QWidget(parent), m_state(state) { }

void SmallGrids::refresh()
{
    m_slots = slotsOf(m_state);
    std::vector<std::pair<Measure, DomainView>> filled;
    std::vector<GridContent> contents;
    for (const auto &[measure, view] : m_slots) {
        GridContent content = shownContent(m_state, measure, view);
        if (content.valueCount() == 0)
            continue;
        filled.emplace_back(measure, view);
        contents.push_back(std::move(content));
    }
    const bool same = std::ranges::equal(filled, m_grids, [](const auto &one, const SmallGrid *grid) {
        return one.first == grid->measure() && one.second == grid->view();
    });
    if (!same) {
        for (SmallGrid *grid : std::exchange(m_grids, {}))
            delete grid;
        for (const auto &[measure, view] : filled)
            m_grids.push_back(new SmallGrid(m_state, measure, view, this));
    }
    for (std::size_t i = 0; i < contents.size(); ++i) {
        m_grids[i]->setContent(std::move(contents[i]));
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

/// How large a cell is on a tile; 0: the grid has no room there.
double SmallGrids::cellOf(const QSize &tile) const
{
    const bool isWideEnough = tile.width() >= kLeastWidth && tile.height() >= kLeastHeight * 2 / 3;
    const QSizeF room(tile.width(), tile.height() - SmallGrid::titleHeight(fontMetrics()));
    const HeadGridGeometry geometry(m_state.layout(), room, QFontMetricsF(font(), this), 0, GridLabels::None);
    const bool fits
        = geometry.contentSize().width() <= room.width() && geometry.contentSize().height() <= room.height();
    return isWideEnough && fits ? geometry.cell() : 0.0;
}

void SmallGrids::arrange()
{
    if (m_slots.empty())
        return;
    const auto tileOf = [&](int columns, int rows) {
        return QSize((width() - (columns - 1) * kTileGap) / columns, (height() - (rows - 1) * kTileGap) / rows);
    };
    int count = slotCount(); // whether filled or not: nothing moves when results come
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
    for (SmallGrid *grid : m_grids) {
        const auto slot = std::ranges::find(m_slots, std::pair(grid->measure(), grid->view()));
        const auto i = static_cast<int>(slot - m_slots.begin());
        grid->setVisible(i < count && cellOf(tile) > 0);
        grid->setGeometry(
            QRect(QPoint(i % columns * (tile.width() + kTileGap), i / columns * (tile.height() + kTileGap)), tile));
    }
}

} // namespace headscope
