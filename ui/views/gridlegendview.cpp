#include "ui/views/gridlegendview.h"

#include "ui/delegates/gridlegend.h"
#include "ui/views/headgridview.h"

#include <QFontMetricsF>
#include <QPaintEvent>
#include <QPainter>

#include <cmath>
#include <utility>

namespace headscope {

namespace {
constexpr int kMargin = 6;
} // namespace

GridLegendView::GridLegendView(QWidget *parent) : QWidget(parent)
{
    setAccessibleName(tr("Legend of the grids"));
    setAccessibleDescription(tr("Colours, roles and symbols of the grids above"));
}

void GridLegendView::setGrids(std::vector<const HeadGridView *> grids)
{
    m_grids = std::move(grids);
    update();
}

QSize GridLegendView::sizeHint() const
{
    const double height = gridLegendHeight(QFontMetricsF(font(), this), GridLegendForm::Beside);
    return {700, static_cast<int>(std::ceil(height)) + 2 * kMargin};
}

QSize GridLegendView::minimumSizeHint() const
{
    return {120, sizeHint().height()};
}

void GridLegendView::paintEvent(QPaintEvent *event)
{
    QPainter painter(this);
    painter.fillRect(event->rect(), ViewPalette::matching(palette()).paper);
    std::vector<GridPicture> pictures;
    for (const HeadGridView *grid : m_grids)
        pictures.push_back(grid->picture());
    std::vector<const GridPicture *> shown;
    for (const GridPicture &picture : pictures)
        shown.push_back(&picture);
    paintGridLegend(painter, QRectF(rect()).adjusted(kMargin, kMargin, -kMargin, -kMargin), shown,
                    GridLegendForm::Beside);
}

} // namespace headscope
