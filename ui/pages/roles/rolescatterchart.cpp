#include "ui/pages/roles/rolescatterchart.h"

#include "ui/heatmap/focusframe.h"
#include "ui/models/plaintip.h"

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
} // namespace

RoleScatterChart::RoleScatterChart(QWidget *parent) : QWidget(parent)
{
    setMinimumSize(320, 180);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Relevance, confidence and role of the heads"));
    m_picture.palette = ViewPalette::matching(palette());
}

void RoleScatterChart::setSeries(RoleScatterSeries series)
{
    m_picture.series = std::move(series);
    m_marks.clear();
    describe();
    update();
}

void RoleScatterChart::setSelection(const std::set<HeadRef> &selection, const std::optional<HeadRef> &current)
{
    m_picture.selection = selection;
    m_picture.current = current;
    describe();
    update();
}

void RoleScatterChart::describe()
{
    const auto &heads = m_picture.series.heads;
    const auto found = m_picture.current ? std::ranges::find(heads, *m_picture.current, &RoleScatterSeries::Head::head)
                                         : heads.end();
    setAccessibleDescription(heads.empty()           ? m_emptyText
                             : found == heads.end() ? tr("%n heads; arrow keys go from one to the next", nullptr,
                                                         static_cast<int>(heads.size()))
                                                    : roleScatterText(*found));
}

void RoleScatterChart::setHovered(const std::optional<HeadRef> &head)
{
    if (m_picture.hovered == head)
        return;
    m_picture.hovered = head;
    update();
}

void RoleScatterChart::setMasked(const HeadMask &mask)
{
    m_picture.masked = mask.heads();
    update();
}

void RoleScatterChart::setOnlyRole(std::optional<Role> role)
{
    m_picture.onlyRole = role;
    update();
}

void RoleScatterChart::setEmptyText(const QString &text)
{
    m_emptyText = text;
    update();
}

std::optional<QPoint> RoleScatterChart::markPosition(const HeadRef &head) const
{
    const auto found = std::ranges::find(m_marks, head, &RoleScatterMark::head);
    return found == m_marks.end() ? std::nullopt : std::optional(found->centre.toPoint());
}

std::optional<HeadRef> RoleScatterChart::headAt(const QPointF &position) const
{
    std::optional<HeadRef> nearest;
    double best = kReach * kReach;
    for (const RoleScatterMark &mark : m_marks) {
        const QPointF gap = mark.centre - position;
        const double distance = QPointF::dotProduct(gap, gap);
        if (distance <= best) {
            best = distance;
            nearest = mark.head;
        }
    }
    return nearest;
}

void RoleScatterChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_picture.palette.paper);
    if (m_picture.series.empty()) {
        painter.setPen(m_picture.palette.muted);
        painter.drawText(QRectF(rect()).adjusted(24, 16, -24, -16), Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
        return;
    }
    m_marks = paintRoleScatter(painter, QRectF(rect()).adjusted(6, 4, -4, -2), m_picture);
    if (hasFocus())
        paintFocusFrame(painter, rect(), m_picture.palette);
}

bool RoleScatterChart::event(QEvent *event)
{
    if (event->type() == QEvent::Leave)
        Q_EMIT hovered({});
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const auto head = headAt(help->pos());
        const auto &heads = m_picture.series.heads;
        const auto found = head ? std::ranges::find(heads, *head, &RoleScatterSeries::Head::head) : heads.end();
        if (found != heads.end())
            QToolTip::showText(help->globalPos(), plainTip(roleScatterText(*found)), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

void RoleScatterChart::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_picture.palette = ViewPalette::matching(palette());
        update();
    }
}

void RoleScatterChart::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton && !m_picture.series.empty())
        m_pressed = event->position();
}

void RoleScatterChart::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_pressed) {
        Q_EMIT hovered(headAt(event->position()));
        return;
    }
    const QRectF brush(*m_pressed, event->position());
    if (!m_picture.brush.isNull() || brush.normalized().width() + brush.normalized().height() > kBrushStart) {
        m_picture.brush = brush;
        update();
    }
}

void RoleScatterChart::mouseReleaseEvent(QMouseEvent *event)
{
    if (!m_pressed)
        return;
    m_pressed.reset();
    const bool add = event->modifiers() & Qt::ControlModifier;
    std::set<HeadRef> heads = add ? m_picture.selection : std::set<HeadRef>();
    std::optional<HeadRef> current = add ? m_picture.current : std::nullopt;
    if (m_picture.brush.isNull()) {
        if (const auto head = headAt(event->position())) {
            heads.insert(*head);
            current = head;
        }
    } else {
        const QRectF area = m_picture.brush.normalized();
        m_picture.brush = {};
        for (const RoleScatterMark &mark : m_marks) {
            if (area.contains(mark.centre))
                heads.insert(mark.head);
        }
        if (!current && !heads.empty())
            current = *heads.begin();
    }
    update();
    Q_EMIT selectionMade(heads, current);
}

void RoleScatterChart::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (const auto head = headAt(event->position()))
        Q_EMIT headActivated(*head);
}

void RoleScatterChart::stepSelection(int step)
{
    const auto &heads = m_picture.series.heads;
    if (heads.empty())
        return;
    const auto found = m_picture.current
        ? std::ranges::find(heads, *m_picture.current, &RoleScatterSeries::Head::head)
        : heads.end();
    const auto count = std::ssize(heads);
    const auto index = found == heads.end() ? 0 : (found - heads.begin() + step + count) % count;
    const HeadRef head = heads[static_cast<std::size_t>(index)].head;
    Q_EMIT selectionMade({head}, head);
}

void RoleScatterChart::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Right || event->key() == Qt::Key_Down)
        return stepSelection(1);
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Up)
        return stepSelection(-1);
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && m_picture.current) {
        Q_EMIT headActivated(*m_picture.current);
        return;
    }
    QWidget::keyPressEvent(event);
}

} // namespace headscope
