#include "ui/views/linechart.h"

#include "ui/heatmap/focusframe.h"

#include <QKeyEvent>
#include <QLineF>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>
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
    const bool same = series.axes.xLow == m_series.axes.xLow && series.axes.xHigh == m_series.axes.xHigh;
    series.axes.zoom = same ? m_series.axes.zoom : PlotZoom();
    m_series = std::move(series);
    m_pointed.reset();
    setMouseTracking(!namedPoints().empty());
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
    if (m_pointed)
        lines << m_series.lines[m_pointed->line].points[m_pointed->point].name;
    if (m_cursor)
        lines << (m_cursorName.isEmpty() ? QLocale().toString(*m_cursor, 'f', 0) : m_cursorName);
    for (const LineSeries::Line &line : m_series.lines) {
        if (line.look == LineSeries::Look::Thin)
            continue;
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
    const QRectF &seen = axes.zoom.seen;
    const double across = ((x - axes.xLow) / (axes.xHigh - axes.xLow) - seen.left()) / seen.width();
    const double up = ((y - axes.yLow) / (axes.yHigh - axes.yLow) - seen.top()) / seen.height();
    return {m_plot.left() + across * m_plot.width(), m_plot.bottom() - up * m_plot.height()};
}

void LineChart::zoomBy(double factor, const QPointF &place)
{
    if (m_plot.isEmpty())
        return;
    m_series.axes.zoom.zoomBy(factor, {std::clamp((place.x() - m_plot.left()) / m_plot.width(), 0.0, 1.0),
                                       std::clamp((m_plot.bottom() - place.y()) / m_plot.height(), 0.0, 1.0)});
    update();
    Q_EMIT plotMoved();
}

void LineChart::fitZoom()
{
    m_series.axes.zoom = {};
    update();
    Q_EMIT plotMoved();
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
    const QRectF plot
        = paintLines(painter, QRectF(rect()).adjusted(8, 4, -8, -4), {m_series, palette, m_cursor, m_pointed});
    if (std::exchange(m_plot, plot) != plot)
        Q_EMIT plotMoved();
    if (hasFocus())
        paintFocusFrame(painter, rect(), palette);
}

void LineChart::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || m_series.empty()
        || !m_plot.adjusted(-8, 0, 8, 0).contains(event->position()))
        return QWidget::mousePressEvent(event);
    if (m_pointed)
        Q_EMIT pointChosen(m_pointed->line, m_pointed->point);
    const PlotAxes &axes = m_series.axes;
    const double share
        = axes.zoom.seen.left() + (event->position().x() - m_plot.left()) / m_plot.width() * axes.zoom.seen.width();
    const double asked = axes.xLow + share * (axes.xHigh - axes.xLow);
    std::optional<double> nearest;
    for (const LineSeries::Point &point : m_series.lines.front().points) {
        if (!nearest || std::abs(point.x - asked) < std::abs(*nearest - asked))
            nearest = point.x;
    }
    if (nearest)
        Q_EMIT chosen(*nearest);
}

/// From left to right.
std::vector<LinePoint> LineChart::namedPoints() const
{
    std::vector<LinePoint> named;
    for (std::size_t line = 0; line < m_series.lines.size(); ++line) {
        for (std::size_t point = 0; point < m_series.lines[line].points.size(); ++point) {
            if (!m_series.lines[line].points[point].name.isEmpty())
                named.push_back({line, point});
        }
    }
    std::ranges::stable_sort(named, {},
                             [this](const LinePoint &one) { return m_series.lines[one.line].points[one.point].x; });
    return named;
}

std::optional<LinePoint> LineChart::namedAt(const QPointF &position) const
{
    constexpr double kReach = 12; // pixels
    std::optional<LinePoint> nearest;
    double least = kReach;
    for (const LinePoint &one : namedPoints()) {
        const LineSeries::Point &point = m_series.lines[one.line].points[one.point];
        const double distance = QLineF(at(point.x, point.y), position).length();
        if (distance < least) {
            least = distance;
            nearest = one;
        }
    }
    return nearest;
}

void LineChart::setPointed(std::optional<LinePoint> pointed)
{
    if (m_pointed == pointed)
        return;
    m_pointed = pointed;
    describe();
    update();
}

void LineChart::mouseMoveEvent(QMouseEvent *event)
{
    setPointed(namedAt(event->position()));
    QWidget::mouseMoveEvent(event);
}

void LineChart::leaveEvent(QEvent *event)
{
    setPointed(std::nullopt);
    QWidget::leaveEvent(event);
}

/// This many points on from the one that is looked at.
void LineChart::step(int points)
{
    if (const std::vector<LinePoint> named = namedPoints(); !named.empty()) {
        const auto now = m_pointed ? std::ranges::find(named, *m_pointed) - named.begin() + points : std::ptrdiff_t{0};
        return setPointed(named[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(now, 0, std::ssize(named) - 1))]);
    }
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
    if (m_pointed && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)) {
        Q_EMIT pointChosen(m_pointed->line, m_pointed->point);
        return;
    }
    QWidget::keyPressEvent(event);
}

} // namespace headscope
