#include "ui/pages/map/mapchart.h"

#include <algorithm>
#include <iterator>

namespace headscope {

MapChart::MapChart(QWidget *parent) : HeadMarkChart(m_picture, parent)
{
    setAccessibleName(tr("Map of heads"));
    m_picture.palette = ViewPalette::matching(palette());
}

void MapChart::setSeries(MapSeries series)
{
    m_picture.series = std::move(series);
    headsChanged();
}

std::vector<HeadRef> MapChart::heads() const
{
    std::vector<HeadRef> heads;
    std::ranges::transform(m_picture.series.points, std::back_inserter(heads), &MapSeries::Point::head);
    return heads;
}

QString MapChart::textOf(const HeadRef &head) const
{
    const auto found = std::ranges::find(m_picture.series.points, head, &MapSeries::Point::head);
    return found == m_picture.series.points.end() ? QString() : found->text;
}

PaintedMarks MapChart::paintMarks(QPainter &painter, const QRectF &rect)
{
    return paintMap(painter, rect, m_picture);
}

} // namespace headscope
