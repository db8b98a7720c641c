#include "ui/charts/headmarkchart.h"

#include "ui/heatmap/focusframe.h"
#include "ui/models/plaintip.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace headscope {
namespace {

constexpr double kReach = 10; ///< pixels around a mark that count as on it
constexpr double kBrushStart = 5;

QColor faint(QColor color, float alpha)
{
    color.setAlphaF(alpha);
    return color;
}

} // namespace

bool paintMarkRings(QPainter &painter, const HeadMark &mark, double size, const HeadMarkLooks &looks)
{
    painter.setBrush(Qt::NoBrush);
    if (looks.selection.contains(mark.head)) {
        painter.setPen(QPen(looks.palette.accent, 1.8));
        painter.drawEllipse(mark.centre, size / 2 + 3, size / 2 + 3);
    }
    const bool named = looks.current == mark.head || looks.hovered == mark.head;
    if (named) {
        painter.setPen(QPen(looks.palette.ink, 1.2));
        painter.drawEllipse(mark.centre, size / 2 + 5.5, size / 2 + 5.5);
    }
    return named;
}

void paintMarkName(QPainter &painter, const HeadMark &mark, double right, const ViewPalette &palette)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    const QString name = QString::fromStdString(toText(mark.head));
    const QSizeF size(metrics.horizontalAdvance(name) + 8, metrics.height());
    const bool left = mark.centre.x() + size.width() + 13 > right;
    const QRectF box(
        QPointF(left ? mark.centre.x() - 13 - size.width() : mark.centre.x() + 13, mark.centre.y() - size.height() / 2),
        size);
    painter.setPen(Qt::NoPen);
    painter.setBrush(faint(palette.paper, 0.85F));
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(palette.ink);
    painter.drawText(box, Qt::AlignCenter, name);
}

void paintBrush(QPainter &painter, const HeadMarkLooks &looks)
{
    if (looks.brush.isNull())
        return;
    painter.setPen(QPen(looks.palette.accent, 1));
    painter.setBrush(faint(looks.palette.accent, 0.12F));
    painter.drawRect(looks.brush.normalized());
}

HeadMarkChart::HeadMarkChart(HeadMarkLooks &looks, QWidget *parent) : QWidget(parent), m_looks(looks)
{
    setMinimumSize(320, 180);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
}

void HeadMarkChart::headsChanged()
{
    m_painted = {};
    describe();
    update();
}

void HeadMarkChart::setSelection(const std::set<HeadRef> &selection, const std::optional<HeadRef> &current)
{
    m_looks.selection = selection;
    m_looks.current = current;
    describe();
    update();
}

void HeadMarkChart::describe()
{
    const std::vector<HeadRef> all = heads();
    const auto &current = m_looks.current;
    const bool shown = current && std::ranges::find(all, *current) != all.end();
    setAccessibleDescription(
        all.empty() ? m_emptyText
        : shown     ? textOf(*current)
                    : tr("%n heads; arrow keys move from one to the next", nullptr, static_cast<int>(all.size())));
}

void HeadMarkChart::setHovered(const std::optional<HeadRef> &head)
{
    if (m_looks.hovered == head)
        return;
    m_looks.hovered = head;
    update();
}

void HeadMarkChart::setMasked(const HeadMask &mask)
{
    m_looks.masked = mask.heads();
    update();
}

void HeadMarkChart::setEmptyText(const QString &text)
{
    m_emptyText = text;
    describe();
    update();
}

std::optional<QPoint> HeadMarkChart::markPosition(const HeadRef &head) const
{
    const auto found = std::ranges::find(m_painted.marks, head, &HeadMark::head);
    return found == m_painted.marks.end() ? std::nullopt : std::optional(found->centre.toPoint());
}

void HeadMarkChart::zoomBy(double factor, const QPointF &place)
{
    const QRectF &plot = m_painted.plot;
    if (plot.isEmpty())
        return;
    m_looks.zoom.zoomBy(factor, {std::clamp((place.x() - plot.left()) / plot.width(), 0.0, 1.0),
                                 std::clamp((plot.bottom() - place.y()) / plot.height(), 0.0, 1.0)});
    update();
}

void HeadMarkChart::fitZoom()
{
    m_looks.zoom = {};
    update();
}

std::optional<HeadRef> HeadMarkChart::headAt(const QPointF &position) const
{
    std::optional<HeadRef> nearest;
    double best = kReach * kReach;
    for (const HeadMark &mark : m_painted.marks) {
        const QPointF gap = mark.centre - position;
        const double distance = QPointF::dotProduct(gap, gap);
        if (distance <= best) {
            best = distance;
            nearest = mark.head;
        }
    }
    return nearest;
}

void HeadMarkChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_looks.palette.paper);
    if (heads().empty()) {
        painter.setPen(m_looks.palette.muted);
        painter.drawText(QRectF(rect()).adjusted(24, 16, -24, -16), Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
        return;
    }
    m_painted = paintMarks(painter, QRectF(rect()).adjusted(6, 4, -4, -2));
    if (hasFocus())
        paintFocusFrame(painter, rect(), m_looks.palette);
}

bool HeadMarkChart::event(QEvent *event)
{
    if (event->type() == QEvent::Leave)
        Q_EMIT hovered({});
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        if (const auto head = headAt(help->pos()))
            QToolTip::showText(help->globalPos(), plainTip(textOf(*head)), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

void HeadMarkChart::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_looks.palette = ViewPalette::matching(palette());
        update();
    }
}

void HeadMarkChart::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton && !heads().empty())
        m_pressed = event->position();
}

void HeadMarkChart::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_pressed) {
        Q_EMIT hovered(headAt(event->position()));
        return;
    }
    const QRectF brush(*m_pressed, event->position());
    if (!m_looks.brush.isNull() || brush.normalized().width() + brush.normalized().height() > kBrushStart) {
        m_looks.brush = brush;
        update();
    }
}

void HeadMarkChart::mouseReleaseEvent(QMouseEvent *event)
{
    if (!m_pressed)
        return;
    m_pressed.reset();
    const bool add = event->modifiers() & Qt::ControlModifier;
    std::set<HeadRef> chosen = add ? m_looks.selection : std::set<HeadRef>();
    std::optional<HeadRef> current = add ? m_looks.current : std::nullopt;
    if (m_looks.brush.isNull()) {
        if (const auto head = headAt(event->position())) {
            chosen.insert(*head);
            current = head;
        }
    } else {
        const QRectF area = m_looks.brush.normalized();
        m_looks.brush = {};
        for (const HeadMark &mark : m_painted.marks) {
            if (area.contains(mark.centre))
                chosen.insert(mark.head);
        }
        if (!current && !chosen.empty())
            current = *chosen.begin();
    }
    update();
    Q_EMIT selectionMade(chosen, current);
}

void HeadMarkChart::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (const auto head = headAt(event->position()))
        Q_EMIT headActivated(*head);
}

void HeadMarkChart::stepSelection(int step)
{
    const std::vector<HeadRef> all = heads();
    if (all.empty())
        return;
    const auto found = m_looks.current ? std::ranges::find(all, *m_looks.current) : all.end();
    const auto count = std::ssize(all);
    const auto index = found == all.end() ? 0 : (found - all.begin() + step + count) % count;
    const HeadRef head = all[static_cast<std::size_t>(index)];
    Q_EMIT selectionMade({head}, head);
}

void HeadMarkChart::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Right || event->key() == Qt::Key_Down)
        return stepSelection(1);
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Up)
        return stepSelection(-1);
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && m_looks.current) {
        Q_EMIT headActivated(*m_looks.current);
        return;
    }
    QWidget::keyPressEvent(event);
}

} // namespace headscope
