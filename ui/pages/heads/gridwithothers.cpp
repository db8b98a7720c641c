#include "ui/pages/heads/gridwithothers.h"

#include <QPaintEvent>
#include <QPainter>

#include <algorithm>

namespace headscope {

namespace {
constexpr int kGap = 24;
constexpr int kMargin = 10;
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
    const QSize needed = m_grid->neededOf(size());
    const QSize left = size() - needed - QSize(kGap + kMargin, kGap + kMargin);
    const bool beside = left.width() >= SmallGrids::kLeastWidth && left.width() * height() >= left.height() * width();
    const bool below = !beside && left.height() >= SmallGrids::kLeastHeight;
    // The grid has its place before there is anything beside or below it.
    m_others->setVisible(!m_others->grids().empty() && (beside || below));
    if (!beside && !below) {
        m_grid->setGeometry(rect());
    } else if (beside) {
        m_grid->setGeometry(0, 0, needed.width(), height());
        m_others->setGeometry(needed.width() + kGap, kMargin, left.width(), height() - 2 * kMargin);
    } else {
        m_grid->setGeometry(0, 0, width(), needed.height());
        m_others->setGeometry(kMargin, needed.height() + kGap, width() - 2 * kMargin, left.height());
    }
}

} // namespace headscope
