#include "ui/charts/scatterchart.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace headscope {

ScatterChart::ScatterChart(QWidget *parent) : HeadMarkChart(m_picture, parent)
{
    setMinimumSize(240, 190);
    setAccessibleName(tr("Scatter of the heads, in-domain against out-of-domain"));
    m_picture.palette = ViewPalette::matching(palette());
}

void ScatterChart::setSeries(ScatterSeries series)
{
    m_picture.series = std::move(series);
    headsChanged();
}

void ScatterChart::setTexts(std::function<QString(const HeadRef &)> texts)
{
    m_texts = std::move(texts);
}

std::vector<HeadRef> ScatterChart::heads() const
{
    std::vector<HeadRef> heads;
    std::ranges::transform(m_picture.series.points, std::back_inserter(heads), &ScatterSeries::Point::head);
    return heads;
}

QString ScatterChart::textOf(const HeadRef &head) const
{
    const auto found = std::ranges::find(m_picture.series.points, head, &ScatterSeries::Point::head);
    if (found == m_picture.series.points.end())
        return {};
    if (m_texts)
        return m_texts(head);
    return scatterPointText(m_picture.series, *found) + QStringLiteral("; ") + correlationText(m_picture.series);
}

PaintedMarks ScatterChart::paintMarks(QPainter &painter, const QRectF &rect)
{
    return paintScatterChart(painter, rect, m_picture);
}

} // namespace headscope
