#include "ui/pages/heads/histogramchart.h"

#include "ui/models/numbertext.h"
#include "ui/models/plaintip.h"
#include "ui/state/studystate.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

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
        m_plot = paintHistogram(painter, m_zoom.canvas(room()), {m_series, palette});
}

QString HistogramChart::textAt(const QPointF &position) const
{
    if (m_series.empty() || !m_plot.contains(position))
        return {};
    const double low = m_series.bins.front().low;
    const double high = m_series.bins.back().high;
    const double score = low + (position.x() - m_plot.left()) / m_plot.width() * (high - low);
    for (const HistogramSeries::Bin &bin : m_series.bins) {
        if (score < bin.low || score >= bin.high)
            continue;
        const int decimals = metricFormat(m_series.metric).decimals;
        return tr("%1 to %2: %3, %4 of them significant")
            .arg(numberText(bin.low, decimals), numberText(bin.high, decimals), headsText(bin.heads),
                 countText(bin.significant));
    }
    return {};
}

bool HistogramChart::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        if (const QString text = textAt(help->pos()); !text.isEmpty())
            QToolTip::showText(help->globalPos(), plainTip(text), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

void HistogramChart::zoomBy(double factor, const QPointF &place)
{
    m_zoom.zoomBy(factor, place, room());
    update();
}

void HistogramChart::fitZoom()
{
    m_zoom = {};
    update();
}

} // namespace headscope
