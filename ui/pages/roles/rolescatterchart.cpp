#include "ui/pages/roles/rolescatterchart.h"

#include <algorithm>
#include <iterator>

namespace headscope {

RoleScatterChart::RoleScatterChart(QWidget *parent) : HeadMarkChart(m_picture, parent)
{
    setAccessibleName(tr("Relevance, confidence and role of the heads"));
    m_picture.palette = ViewPalette::matching(palette());
}

void RoleScatterChart::setSeries(RoleScatterSeries series)
{
    m_picture.series = std::move(series);
    headsChanged();
}

void RoleScatterChart::setOnlyRole(std::optional<Role> role)
{
    m_picture.onlyRole = role;
    update();
}

std::vector<HeadRef> RoleScatterChart::heads() const
{
    std::vector<HeadRef> heads;
    if (!m_picture.series.empty())
        std::ranges::transform(m_picture.series.heads, std::back_inserter(heads), &RoleScatterSeries::Head::head);
    return heads;
}

QString RoleScatterChart::textOf(const HeadRef &head) const
{
    const auto found = std::ranges::find(m_picture.series.heads, head, &RoleScatterSeries::Head::head);
    return found == m_picture.series.heads.end() ? QString() : roleScatterText(*found);
}

PaintedMarks RoleScatterChart::paintMarks(QPainter &painter, const QRectF &rect)
{
    return {.marks = paintRoleScatter(painter, m_picture.zoom.canvas(rect), m_picture), .plot = rect};
}

} // namespace headscope
