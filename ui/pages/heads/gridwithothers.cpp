#include "ui/pages/heads/gridwithothers.h"

#include <QPaintEvent>
#include <QPainter>

#include <algorithm>

namespace headscope {

namespace {
constexpr int kGap = 14;
constexpr int kMargin = 10;
constexpr double kStripShare = 0.26; ///< of the width or height, where that is enough
constexpr double kMostShare = 0.3;   ///< of it, with the gap
} // namespace

GridWithOthers::GridWithOthers(StudyState &state, HeadGridView *grid, QWidget *parent)
    : QWidget(parent), m_grid(grid), m_others(new SmallGrids(state, this))
{
    m_grid->setParent(this);
}

void GridWithOthers::refresh()
{
    m_others->refresh();
    arrange();
}

void GridWithOthers::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void GridWithOthers::paintEvent(QPaintEvent *event)
{
    QPainter(this).fillRect(event->rect(), ViewPalette::matching(palette()).paper);
}

void GridWithOthers::arrange()
{
    const bool shown = m_others->slotCount() > 0;
    m_others->setVisible(shown);
    if (!shown)
        return m_grid->setGeometry(rect());
    // What the grid leaves, within limits: at least a strip that can be read, never more than its share.
    const QSize needed = m_grid->neededOf(size());
    const auto strip = [](int all, int needed, int least) {
        return std::max(std::min(all - needed - kGap, static_cast<int>(all * kStripShare)), least + kMargin);
    };
    const int wide = strip(width(), needed.width(), SmallGrids::kLeastWidth);
    const int high = strip(height(), needed.height(), SmallGrids::kLeastHeight);
    // Where even the least strip would take too much, the grid has all.
    const bool besideFits = wide + kGap <= width() * kMostShare;
    const bool belowFits = high + kGap <= height() * kMostShare;
    const double besideCell = besideFits ? m_grid->cellIn({width() - wide - kGap, height()}) : -1;
    const double belowCell = belowFits ? m_grid->cellIn({width(), height() - high - kGap}) : -1;
    if (!besideFits && !belowFits) {
        m_others->hide();
        return m_grid->setGeometry(rect());
    }
    if (belowCell > besideCell) {
        m_grid->setGeometry(0, 0, width(), height() - high - kGap);
        m_others->setGeometry(kMargin, height() - high, width() - 2 * kMargin, high - kMargin);
    } else {
        m_grid->setGeometry(0, 0, width() - wide - kGap, height());
        m_others->setGeometry(width() - wide, kMargin, wide - kMargin, height() - 2 * kMargin);
    }
}

} // namespace headscope
