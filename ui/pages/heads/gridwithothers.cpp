#include "ui/pages/heads/gridwithothers.h"

#include "ui/views/foldingside.h"
#include "ui/views/foldrail.h"

#include <QPaintEvent>
#include <QPainter>

#include <algorithm>

namespace headscope {

namespace {
constexpr int kGap = 14; ///< which the strip has at its left
constexpr int kMargin = 10;
constexpr double kStripShare = 0.26; ///< of the width or height, where that is enough
constexpr double kMostShare = 0.3;   ///< of it, with the gap
} // namespace

GridWithOthers::GridWithOthers(StudyState &state, HeadGridView *grid, QWidget *parent)
    : QWidget(parent), m_grid(grid), m_strip(new FoldingSide(tr("Small grids"), QStringLiteral("headsOthers"),
                                                             QStringLiteral("panel"), FoldingSide::Edge::Right, this)),
      m_others(new SmallGrids(state, m_strip))
{
    m_grid->setParent(this);
    m_strip->setRoomWanted(FoldingSide::kRoomForViews);
    m_strip->setContent(m_others);
    connect(m_strip, &FoldingSide::foldedChanged, this, &GridWithOthers::arrange);
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
    m_strip->setVisible(shown);
    if (!shown)
        return m_grid->setGeometry(rect());
    if (m_strip->isFolded()) {
        const int rail = FoldRail::kPageWidth;
        m_grid->setGeometry(0, 0, width() - rail, height());
        return m_strip->setGeometry(width() - rail, 0, rail, height());
    }
    const int heading = fontMetrics().height() + 10;
    // What the grid leaves, within limits: at least a strip that can be read, never more than its share.
    const QSize needed = m_grid->neededOf(size());
    const auto strip = [](int all, int needed, int least) {
        return std::max(std::min(all - needed - kGap, static_cast<int>(all * kStripShare)), least + kMargin);
    };
    const int wide = strip(width(), needed.width(), SmallGrids::kLeastWidth);
    const int high = strip(height(), needed.height(), SmallGrids::kLeastHeight + heading);
    // Where even the least strip would take too much, the grid has all.
    const bool besideFits = wide + kGap <= width() * kMostShare;
    const bool belowFits = high + kGap <= height() * kMostShare;
    const double besideCell = besideFits ? m_grid->cellIn({width() - wide - kGap, height()}) : -1;
    const double belowCell = belowFits ? m_grid->cellIn({width(), height() - high - kGap}) : -1;
    if (!besideFits && !belowFits) {
        m_strip->hide();
        return m_grid->setGeometry(rect());
    }
    if (belowCell > besideCell) {
        m_grid->setGeometry(0, 0, width(), height() - high - kGap);
        m_strip->setGeometry(kMargin, height() - high, width() - 2 * kMargin, high - kMargin);
    } else {
        m_grid->setGeometry(0, 0, width() - wide - kGap, height());
        m_strip->setGeometry(width() - wide - kGap, kMargin, wide + kGap - kMargin, height() - 2 * kMargin);
    }
}

} // namespace headscope
