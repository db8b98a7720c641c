#include "ui/pages/domains/scatterchart.h"

#include "ui/heatmap/focusframe.h"

#include <QChart>
#include <QFocusEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <memory>

namespace headscope {
namespace {
constexpr double kReach = 9; ///< pixels around a point that count as on it
constexpr double kBrushStart = 5;
} // namespace

ScatterChart::ScatterChart(QWidget *parent) : QChartView(new QChart, parent)
{
    setRenderHint(QPainter::Antialiasing);
    setFrameShape(QFrame::NoFrame);
    setMinimumSize(240, 220);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Scatter of the heads, in-domain against out-of-domain"));
    m_picture.palette = ViewPalette::matching(palette());
    rebuild();
}

void ScatterChart::setSeries(ScatterSeries series)
{
    m_picture.series = std::move(series);
    describe();
    rebuild();
}

/// The current head, and what all of them say together.
void ScatterChart::describe()
{
    if (m_picture.series.empty())
        return setAccessibleDescription(m_emptyText);
    const ScatterSeries::Point *current = m_picture.current ? pointOf(*m_picture.current) : nullptr;
    const QString all = correlationText(m_picture.series);
    setAccessibleDescription(current ? scatterPointText(m_picture.series, *current) + QStringLiteral("; ") + all : all);
}

void ScatterChart::setSelection(const std::set<HeadRef> &selection, const std::optional<HeadRef> &current)
{
    m_picture.selection = selection;
    m_picture.current = current;
    describe();
    viewport()->update();
}

void ScatterChart::setHovered(const std::optional<HeadRef> &head)
{
    if (m_picture.hovered == head)
        return;
    m_picture.hovered = head;
    viewport()->update();
}

void ScatterChart::setMasked(const HeadMask &mask)
{
    m_picture.masked = mask.heads();
    viewport()->update();
}

void ScatterChart::setEmptyText(const QString &text)
{
    m_emptyText = text;
    viewport()->update();
}

void ScatterChart::rebuild()
{
    setBackgroundBrush(m_picture.palette.paper);
    // A new chart each time: the old axes would stay visible until the next turn of the event loop.
    const std::unique_ptr<QChart> old(chart());
    auto *fresh = new QChart;
    fresh->setMinimumSize(0, 0); // or the view would never be smaller than the chart once wanted to be
    fresh->resize(viewport()->size());
    setChart(fresh);
    buildScatterChart(*fresh, m_picture, font());
    viewport()->update();
}

const ScatterSeries::Point *ScatterChart::pointOf(const HeadRef &head) const
{
    const auto &points = m_picture.series.points;
    const auto found
        = std::find_if(points.begin(), points.end(), [&](const auto &point) { return point.head == head; });
    return found == points.end() ? nullptr : &*found;
}

std::optional<QPoint> ScatterChart::pointPosition(const HeadRef &head) const
{
    const ScatterSeries::Point *point = pointOf(head);
    if (!point)
        return {};
    return mapFromScene(scatterPosition(m_picture.series, chart()->plotArea(), {point->x, point->y}));
}

const ScatterSeries::Point *ScatterChart::pointAt(const QPoint &position) const
{
    const QPointF mouse = mapToScene(position);
    const ScatterSeries::Point *nearest = nullptr;
    double best = kReach * kReach;
    for (const ScatterSeries::Point &point : m_picture.series.points) {
        const QPointF gap = scatterPosition(m_picture.series, chart()->plotArea(), {point.x, point.y}) - mouse;
        const double distance = QPointF::dotProduct(gap, gap);
        if (distance <= best) {
            best = distance;
            nearest = &point;
        }
    }
    return nearest;
}

void ScatterChart::drawForeground(QPainter *painter, const QRectF &)
{
    painter->setFont(font());
    if (m_picture.series.empty()) {
        painter->fillRect(sceneRect(), m_picture.palette.paper);
        painter->setPen(m_picture.palette.muted);
        painter->drawText(QRectF(viewport()->rect()).adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap,
                          m_emptyText);
        return;
    }
    paintScatterOverlay(*painter, *chart(), m_picture);
    if (hasFocus())
        paintFocusFrame(*painter, viewport()->rect(), m_picture.palette);
}

bool ScatterChart::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::Leave)
        Q_EMIT hovered({});
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        if (const ScatterSeries::Point *point = pointAt(help->pos()))
            QToolTip::showText(help->globalPos(), scatterPointText(m_picture.series, *point), viewport());
        else
            QToolTip::hideText();
        return true;
    }
    return QChartView::viewportEvent(event);
}

void ScatterChart::resizeEvent(QResizeEvent *event)
{
    QChartView::resizeEvent(event);
    rebuild();
}

void ScatterChart::changeEvent(QEvent *event)
{
    QChartView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_picture.palette = ViewPalette::matching(palette());
        rebuild();
    }
}

void ScatterChart::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton && !m_picture.series.empty())
        m_pressed = mapToScene(event->pos());
}

void ScatterChart::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_pressed) {
        const ScatterSeries::Point *point = pointAt(event->pos());
        Q_EMIT hovered(point ? std::optional(point->head) : std::nullopt);
        return;
    }
    const QRectF brush(*m_pressed, mapToScene(event->pos()));
    if (!m_picture.brush.isNull() || brush.normalized().width() + brush.normalized().height() > kBrushStart) {
        m_picture.brush = brush;
        viewport()->update();
    }
}

void ScatterChart::mouseReleaseEvent(QMouseEvent *event)
{
    if (!m_pressed)
        return;
    m_pressed.reset();
    const bool add = event->modifiers() & Qt::ControlModifier;
    if (!m_picture.brush.isNull())
        return finishBrush(add);
    std::set<HeadRef> heads = add ? m_picture.selection : std::set<HeadRef>();
    const ScatterSeries::Point *point = pointAt(event->pos());
    if (point)
        heads.insert(point->head);
    Q_EMIT selectionMade(heads, point ? std::optional(point->head) : m_picture.current);
}

void ScatterChart::finishBrush(bool add)
{
    const QRectF plot = chart()->plotArea();
    const QRectF brush = m_picture.brush.normalized();
    m_picture.brush = {};
    const QRectF area(scatterValue(m_picture.series, plot, brush.bottomLeft()),
                      scatterValue(m_picture.series, plot, brush.topRight()));
    std::set<HeadRef> heads = add ? m_picture.selection : std::set<HeadRef>();
    for (const HeadRef &head : headsWithin(m_picture.series, area))
        heads.insert(head);
    viewport()->update();
    Q_EMIT selectionMade(heads, heads.empty() ? std::nullopt : std::optional(*heads.begin()));
}

void ScatterChart::stepSelection(int step)
{
    const auto &points = m_picture.series.points;
    if (points.empty())
        return;
    const ScatterSeries::Point *current = m_picture.current ? pointOf(*m_picture.current) : nullptr;
    const auto count = static_cast<std::ptrdiff_t>(points.size());
    const std::ptrdiff_t index = current ? (current - points.data() + step + count) % count : 0;
    const HeadRef head = points[static_cast<std::size_t>(index)].head;
    Q_EMIT selectionMade({head}, head);
}

void ScatterChart::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Right || event->key() == Qt::Key_Down)
        return stepSelection(1);
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Up)
        return stepSelection(-1);
    QChartView::keyPressEvent(event);
}

void ScatterChart::focusInEvent(QFocusEvent *event)
{
    QChartView::focusInEvent(event);
    viewport()->update(); // its frame
}

void ScatterChart::focusOutEvent(QFocusEvent *event)
{
    QChartView::focusOutEvent(event);
    viewport()->update();
}

} // namespace headscope
