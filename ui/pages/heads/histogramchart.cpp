#include "ui/pages/heads/histogramchart.h"

#include <QPainter>

namespace headscope {

HistogramChart::HistogramChart(QWidget *parent) : QWidget(parent)
{
    setMinimumSize(280, 200);
    setAccessibleName(tr("Histogram of scores without one head"));
}

void HistogramChart::setSeries(HistogramSeries series)
{
    m_series = std::move(series);
    setAccessibleDescription(tr("%n heads", nullptr, static_cast<int>(m_series.heads)));
    update();
}

void HistogramChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const ViewPalette &palette = ViewPalette::matching(this->palette());
    painter.fillRect(rect(), palette.paper);
    if (!m_series.empty())
        paintHistogram(painter, QRectF(rect()).adjusted(8, 8, -12, -8), {m_series, palette});
}

} // namespace headscope
