#include "ui/views/linechart.h"

#include "ui/heatmap/focusframe.h"

#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <vector>

namespace headscope {

LineChart::LineChart(const QString &name, QWidget *parent) : QWidget(parent)
{
    setMinimumSize(220, 130);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(name);
    describe();
}

void LineChart::setSeries(LineSeries series)
{
    m_series = std::move(series);
    describe();
    update();
}

void LineChart::setCursor(std::optional<double> x, const QString &name)
{
    m_cursor = x;
    m_cursorName = name;
    describe();
    update();
}

void LineChart::setEmptyText(const QString &text)
{
    m_emptyText = text;
    describe();
    update();
}

void LineChart::describe()
{
    QStringList lines;
    if (m_cursor)
        lines << (m_cursorName.isEmpty() ? QLocale().toString(*m_cursor, 'f', 0) : m_cursorName);
    for (const LineSeries::Line &line : m_series.lines) {
        const auto at = std::ranges::find(line.points, m_cursor, &LineSeries::Point::x);
        lines << (at == line.points.end() ? tr("%1, points: %2").arg(line.name).arg(line.points.size())
                                          : tr("%1: %2").arg(line.name, QLocale().toString(at->y, 'g', 4)));
    }
    if (!m_series.empty())
        setAccessibleDescription(lines.join(QStringLiteral("; ")));
    else
        setAccessibleDescription(m_emptyText.isEmpty() ? tr("Nothing to show yet.") : m_emptyText);
}

QPointF LineChart::at(double x, double y) const
{
    const PlotAxes &axes = m_series.axes;
    return {m_plot.left() + (x - axes.xLow) / (axes.xHigh - axes.xLow) * m_plot.width(),
            m_plot.bottom() - (y - axes.yLow) / (axes.yHigh - axes.yLow) * m_plot.height()};
}

void LineChart::paintEvent(QPaintEvent *)
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
    if (hasFocus())
        paintFocusFrame(painter, rect(), palette);
}

void LineChart::mousePressEvent(QMouseEvent *event)
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

/// This many points on from the one that is looked at.
void LineChart::step(int points)
{
    if (m_series.empty() || m_series.lines.front().points.empty())
        return;
    std::vector<double> all;
    for (const LineSeries::Point &point : m_series.lines.front().points)
        all.push_back(point.x);
    std::ranges::sort(all);
    const auto now = std::ranges::lower_bound(all, m_cursor.value_or(all.front()));
    const auto next = std::clamp<std::ptrdiff_t>(now - all.begin() + points, 0, std::ssize(all) - 1);
    Q_EMIT chosen(all[static_cast<std::size_t>(next)]);
}

void LineChart::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Right || event->key() == Qt::Key_Up)
        return step(1);
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Down)
        return step(-1);
    QWidget::keyPressEvent(event);
}

} // namespace headscope
