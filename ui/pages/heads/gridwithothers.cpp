#include "ui/pages/heads/gridwithothers.h"

#include "ui/views/foldingside.h"
#include "ui/views/foldrail.h"

#include <QPaintEvent>
#include <QPainter>

#include <functional>
#include <initializer_list>

namespace headscope {

namespace {
constexpr int kGap = 14; ///< which the strip has at its left
constexpr int kMargin = 10;
constexpr double kStripShare = 0.26; ///< of the width or height, where that makes no cell smaller
constexpr double kMostShare = 0.3;   ///< of it, with the gap
constexpr int kStep = 8;

double areaOf(const QSizeF &cell)
{
    return cell.width() * cell.height();
}

/// The largest of the widths or heights from `least` to `most` beside which cells are as high as beside the least.
int widestFor(int least, int most, const std::function<double(int)> &cellBeside)
{
    int best = least;
    for (int tried = least + kStep; tried <= most && cellBeside(tried) >= cellBeside(least); tried += kStep)
        best = tried;
    return best;
}
} // namespace

GridWithOthers::GridWithOthers(StudyState &state, HeadGridView *grid, QWidget *parent)
    : QWidget(parent), m_grid(grid), m_strip(new FoldingSide(tr("Small grids"), QStringLiteral("headsOthers"),
                                                             QStringLiteral("panel"), FoldingSide::Edge::Right, this)),
      m_others(new SmallGrids(state, m_strip))
{
    m_grid->setParent(this);
    m_strip->setRoomWanted(FoldingSide::kRoomForViews);
    m_strip->setContent(m_others);
    m_strip->raise();
    connect(m_strip, &FoldingSide::foldedChanged, this, &GridWithOthers::arrange);
    connect(m_grid, &HeadGridView::zoomChanged, this, &GridWithOthers::arrange);
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
    const Places found = places();
    m_strip->setVisible(!found.strip.isNull());
    m_grid->setGeometry(found.grid);
    if (!found.strip.isNull())
        m_strip->setGeometry(found.strip);
}

QSizeF GridWithOthers::cellIn(const QSize &size) const
{
    return m_grid->geometryIn(size).cellSize();
}

/// The places with which cells are largest.
GridWithOthers::Places GridWithOthers::places() const
{
    std::optional<Places> best;
    for (const std::optional<Places> &tried : {inCorner(), beside(), below()}) {
        if (tried && (!best || areaOf(cellIn(tried->grid.size())) > areaOf(cellIn(best->grid.size()))))
            best = tried;
    }
    return best.value_or(Places{rect(), {}}); // where even the least strip would take too much, the grid has all
}

std::optional<GridWithOthers::Places> GridWithOthers::inCorner() const
{
    const QSize least(SmallGrids::kLeastWidth + kGap, SmallGrids::kLeastHeight + fontMetrics().height() + 10);
    const QRect corner = m_grid->geometryIn(size()).vacancy().toAlignedRect();
    if (m_grid->isZoomed() || corner.width() < least.width() || corner.height() < least.height())
        return std::nullopt;
    return Places{rect(), corner};
}

std::optional<GridWithOthers::Places> GridWithOthers::beside() const
{
    const auto roomFor = [this](int wide) { return QSize(width() - wide - kGap, height()); };
    const int wide = widestFor(SmallGrids::kLeastWidth + kMargin, static_cast<int>(width() * kStripShare),
                               [&](int tried) { return cellIn(roomFor(tried)).height(); });
    if (wide + kGap > width() * kMostShare)
        return std::nullopt;
    return Places{QRect(QPoint(), roomFor(wide)),
                  QRect(width() - wide - kGap, kMargin, wide + kGap - kMargin, height() - 2 * kMargin)};
}

std::optional<GridWithOthers::Places> GridWithOthers::below() const
{
    const auto roomFor = [this](int high) { return QSize(width(), height() - high - kGap); };
    const int high = widestFor(SmallGrids::kLeastHeight + kMargin + fontMetrics().height() + 10,
                               static_cast<int>(height() * kStripShare),
                               [&](int tried) { return cellIn(roomFor(tried)).height(); });
    if (high + kGap > height() * kMostShare)
        return std::nullopt;
    return Places{QRect(QPoint(), roomFor(high)),
                  QRect(kMargin, height() - high, width() - 2 * kMargin, high - kMargin)};
}

} // namespace headscope
