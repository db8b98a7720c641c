#include "ui/pages/search/searchchart.h"

#include <QMouseEvent>
#include <QPainter>

#include <cmath>

namespace headscope {

SearchChart::SearchChart(QWidget *parent) : QWidget(parent)
{
    setMinimumSize(280, 130);
    setAccessibleName(tr("Scores of the masks that were found"));
}

void SearchChart::setSeries(LineSeries series)
{
    m_series = std::move(series);
    describe();
    update();
}

void SearchChart::setCursor(std::optional<double> removed)
{
    m_cursor = removed;
    update();
}

void SearchChart::setEmptyText(const QString &text)
{
    m_emptyText = text;
    describe();
    update();
}

void SearchChart::describe()
{
    QStringList lines;
    for (const LineSeries::Line &line : m_series.lines)
        lines << tr("%1, budgets: %2").arg(line.name).arg(line.points.size());
    setAccessibleDescription(m_series.empty() ? m_emptyText : lines.join(QStringLiteral("; ")));
}

QPointF SearchChart::at(double removed, double score) const
{
    const PlotAxes &axes = m_series.axes;
    return {m_plot.left() + (removed - axes.xLow) / (axes.xHigh - axes.xLow) * m_plot.width(),
            m_plot.bottom() - (score - axes.yLow) / (axes.yHigh - axes.yLow) * m_plot.height()};
}

void SearchChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const ViewPalette &palette = ViewPalette::matching(this->palette());
    painter.fillRect(rect(), palette.paper);
    if (m_series.empty()) {
        painter.setPen(palette.muted);
        painter.drawText(QRectF(rect()).adjusted(40, 40, -40, -40), Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
        return;
    }
    m_plot = paintLines(painter, QRectF(rect()).adjusted(8, 4, -8, -4), {m_series, palette, m_cursor});
}

void SearchChart::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || m_series.empty() || !m_plot.adjusted(-8, 0, 8, 0).contains(event->position()))
        return QWidget::mousePressEvent(event);
    const PlotAxes &axes = m_series.axes;
    const double asked
        = axes.xLow + (event->position().x() - m_plot.left()) / m_plot.width() * (axes.xHigh - axes.xLow);
    std::optional<double> nearest;
    for (const LineSeries::Point &point : m_series.lines.front().points) {
        if (!nearest || std::abs(point.x - asked) < std::abs(*nearest - asked))
            nearest = point.x;
    }
    if (nearest)
        Q_EMIT chosen(*nearest);
}

} // namespace headscope
