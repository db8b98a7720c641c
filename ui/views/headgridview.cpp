#include "ui/views/headgridview.h"

#include "ui/models/plaintip.h"
#include "ui/models/roletext.h"
#include "ui/views/gridexport.h"
#include "ui/views/headgridaccessible.h"
#include "ui/views/pageparts.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace headscope {

HeadGridView::HeadGridView(StudyState &state, HeadGridModel &model, QWidget *parent)
    : QAbstractScrollArea(parent), m_state(state), m_model(model)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    setObjectName(QStringLiteral("headGrid"));
    installHeadGridAccessibility();
    m_model.setPins(m_state.pins());
    connectState();
    relayout();
    updateAccessibleName();
}

void HeadGridView::connectState()
{
    const auto repaint = [this] { viewport()->update(); };
    connect(&m_model, &HeadGridModel::contentChanged, this, [this] {
        relayout();
        updateAccessibleName();
    });
    connect(&m_model, &QAbstractItemModel::modelReset, this, [this] {
        if (!QAccessible::isActive())
            return;
        QAccessibleTableModelChangeEvent reset(this, QAccessibleTableModelChangeEvent::ModelReset);
        QAccessible::updateAccessibility(&reset);
    });
    connect(&m_model, &QAbstractItemModel::dataChanged, this, repaint);
    connect(&UsualRows::instance(), &UsualRows::changed, this, &HeadGridView::relayout);
    connect(&m_state, &StudyState::hoverChanged, this, repaint);
    connect(&m_state, &StudyState::selectionChanged, this, [this] {
        viewport()->update();
        updateAccessibleName();
        announceFocus();
    });
    connect(&m_state, &StudyState::maskChanged, this, &HeadGridView::updateAccessibleName);
    connect(&m_state, &StudyState::pinsChanged, this, [this] {
        m_model.setPins(m_state.pins());
        updateAccessibleName();
    });
}

void HeadGridView::setScale(const std::optional<ColorScale> &scale)
{
    m_scale = scale;
    viewport()->update();
}

void HeadGridView::setLegendShown(bool shown)
{
    m_hasLegend = shown;
    relayout();
}

double HeadGridView::footerHeight() const
{
    return m_hasLegend ? gridFooterHeight(QFontMetricsF(font(), this)) : 0;
}

void HeadGridView::setSorting(const GridSorting &sorting)
{
    m_sorting = sorting;
    relayout();
}

ColorScale HeadGridView::scale() const
{
    return m_scale.value_or(scaleFor(m_model.content()));
}

GridPicture HeadGridView::picture() const
{
    GridPicture picture;
    picture.content = m_model.content();
    picture.mask = m_model.mask();
    picture.scale = scale();
    picture.selection = m_state.selection();
    picture.current = m_state.currentHead();
    picture.hovered = m_state.hoveredHead();
    picture.focused = hasFocus();
    picture.palette = ViewPalette::matching(palette());
    picture.pins = m_model.pins();
    picture.order = m_geometry.order();
    return picture;
}

ExportItem HeadGridView::exportItem() const
{
    ExportItem item = gridExportItem(m_state, m_model, scale(), m_geometry.order());
    item.size = sizeOnPage(*this, item.size);
    return item;
}

QRect HeadGridView::cellRect(const HeadRef &head) const
{
    return m_geometry.cellRect(head).translated(-scrollOffset()).toRect();
}

std::optional<HeadRef> HeadGridView::headAt(const QPoint &point) const
{
    return m_geometry.headAt(toContent(point));
}

HeadGridGeometry HeadGridView::geometryIn(const QSize &available) const
{
    const QFontMetricsF metrics(font(), this);
    return HeadGridGeometry(m_model.content(), available, metrics, footerHeight());
}

void HeadGridView::zoomBy(double factor, const QPointF &place)
{
    constexpr double kMost = 8;
    const double before = m_zoom;
    m_zoom = std::clamp(m_zoom * factor, 1.0, kMost);
    if (m_zoom == before)
        return;
    Q_EMIT zoomChanged();
    const QSizeF old = m_geometry.size();
    const QPointF at = toContent(place);
    relayout();
    const QSizeF now = m_geometry.size();
    horizontalScrollBar()->setValue(static_cast<int>(at.x() * now.width() / old.width() - place.x()));
    verticalScrollBar()->setValue(static_cast<int>(at.y() * now.height() / old.height() - place.y()));
}

void HeadGridView::fitZoom()
{
    m_zoom = 1;
    relayout();
    Q_EMIT zoomChanged();
}

QPointF HeadGridView::scrollOffset() const
{
    return QPointF(horizontalScrollBar()->value(), verticalScrollBar()->value());
}

QPointF HeadGridView::toContent(const QPointF &viewportPoint) const
{
    return viewportPoint + scrollOffset();
}

void HeadGridView::relayout()
{
    const QFontMetricsF metrics(font(), this);
    const QSizeF room = maximumViewportSize();
    m_geometry = HeadGridGeometry(m_model.content(), room * m_zoom, metrics, footerHeight(), GridLabels::Shown,
                                  GridOrder(m_model.content(), m_sorting));
    // Measured against the room without scroll bars: they appear only when cells would be too small.
    const QSizeF beyond = m_geometry.size() - room;
    const int barWidth = verticalScrollBar()->sizeHint().width();
    const bool scrolls = beyond.width() > 0 || beyond.height() > 0;
    const int extra = scrolls ? barWidth : 0;
    horizontalScrollBar()->setPageStep(static_cast<int>(room.width()));
    verticalScrollBar()->setPageStep(static_cast<int>(room.height()));
    horizontalScrollBar()->setRange(0, beyond.width() > 0 ? static_cast<int>(std::ceil(beyond.width())) + extra : 0);
    verticalScrollBar()->setRange(0, beyond.height() > 0 ? static_cast<int>(std::ceil(beyond.height())) + extra : 0);
    viewport()->update();
}

void HeadGridView::paintEvent(QPaintEvent *event)
{
    QPainter painter(viewport());
    const GridPicture shown = picture();
    painter.fillRect(event->rect(), shown.palette.paper);
    painter.translate(-scrollOffset());
    paintHeadGrid(painter, shown, m_geometry, QRectF(event->rect()).translated(scrollOffset()));
    if (m_band) {
        QColor fill = shown.palette.accent;
        fill.setAlphaF(0.15f);
        painter.setPen(QPen(shown.palette.accent, 1));
        painter.setBrush(fill);
        painter.drawRect(*m_band);
    }
}

void HeadGridView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    relayout();
}

void HeadGridView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange)
        relayout();
}

bool HeadGridView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const auto head = m_geometry.headAt(toContent(help->pos()));
        if (head)
            QToolTip::showText(help->globalPos(), plainTip(m_model.sentence(*head)), viewport(), cellRect(*head));
        else
            QToolTip::hideText();
        return true;
    }
    if (event->type() == QEvent::Leave)
        m_state.setHoveredHead(std::nullopt);
    return QAbstractScrollArea::viewportEvent(event);
}

void HeadGridView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_press = toContent(event->position());
    if (const auto head = m_geometry.headAt(*m_press))
        click(*head, event->modifiers());
    else if (!(event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier)))
        m_state.setSelection({}, std::nullopt);
}

void HeadGridView::mouseMoveEvent(QMouseEvent *event)
{
    const QPointF point = toContent(event->position());
    m_state.setHoveredHead(m_geometry.headAt(point));
    if (!m_press || !(event->buttons() & Qt::LeftButton))
        return;
    if (!m_band && (point - *m_press).manhattanLength() < QApplication::startDragDistance())
        return;
    m_band = QRectF(*m_press, point).normalized();
    const auto heads = m_geometry.headsIn(*m_band);
    std::set<HeadRef> selection = m_model.content().whole(heads);
    if (event->modifiers() & Qt::ControlModifier)
        selection.insert(m_state.selection().begin(), m_state.selection().end());
    auto current = m_state.currentHead();
    if (!current && !heads.empty())
        current = heads.front();
    m_state.setSelection(std::move(selection), current);
    viewport()->update();
}

void HeadGridView::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_press.reset();
    m_band.reset();
    viewport()->update();
}

void HeadGridView::mouseDoubleClickEvent(QMouseEvent *event)
{
    const auto head = m_geometry.headAt(toContent(event->position()));
    if (head && event->button() == Qt::LeftButton)
        m_state.toggleMasks(m_model.content().whole(*head));
}

void HeadGridView::selectCell(const HeadRef &head)
{
    m_state.setSelection(m_model.content().whole(head), head);
}

void HeadGridView::click(const HeadRef &head, Qt::KeyboardModifiers modifiers)
{
    if (modifiers & Qt::ShiftModifier) {
        extendTo(head);
        return;
    }
    m_anchor = head;
    if (!(modifiers & Qt::ControlModifier)) {
        selectCell(head);
        return;
    }
    std::set<HeadRef> selection = m_state.selection();
    const std::set<HeadRef> cell = m_model.content().whole(head);
    if (std::ranges::includes(selection, cell))
        std::erase_if(selection, [&](const HeadRef &one) { return cell.contains(one); });
    else
        selection.insert(cell.begin(), cell.end());
    m_state.setSelection(std::move(selection), head);
}

void HeadGridView::extendTo(const HeadRef &head)
{
    if (!m_anchor || m_geometry.cellRect(*m_anchor).isNull())
        m_anchor = m_state.currentHead().value_or(head);
    // Middle to middle: neighbours that only touch the rectangle's edge stay out.
    const QRectF from(m_geometry.cellRect(*m_anchor).center(), QSizeF(0.5, 0.5));
    const QRectF to(m_geometry.cellRect(head).center(), QSizeF(0.5, 0.5));
    const auto heads = m_geometry.headsIn(from.united(to));
    m_state.setSelection(m_model.content().whole(heads), head);
}

void HeadGridView::moveCurrent(int columns, int rows, bool extend)
{
    const auto &heads = m_model.content().layout.heads();
    if (heads.empty())
        return;
    const auto &current = m_state.currentHead();
    const auto next = current ? m_geometry.neighbour(*current, columns, rows) : heads.front();
    if (!next)
        return;
    if (extend) {
        extendTo(*next);
    } else {
        m_anchor = *next;
        selectCell(*next);
    }
    const QRect cell = m_geometry.cellRect(*next).toRect();
    const QRect visible = viewport()->rect().translated(scrollOffset().toPoint());
    if (!visible.contains(cell)) {
        horizontalScrollBar()->setValue(cell.center().x() - visible.width() / 2);
        verticalScrollBar()->setValue(cell.center().y() - visible.height() / 2);
    }
}

bool HeadGridView::handleMovementKey(const QKeyEvent &event)
{
    const bool extend = event.modifiers() & Qt::ShiftModifier;
    switch (event.key()) {
    case Qt::Key_Left:
        moveCurrent(-1, 0, extend);
        return true;
    case Qt::Key_Right:
        moveCurrent(1, 0, extend);
        return true;
    case Qt::Key_Up:
        moveCurrent(0, 1, extend);
        return true;
    case Qt::Key_Down:
        moveCurrent(0, -1, extend);
        return true;
    default:
        return false;
    }
}

void HeadGridView::keyPressEvent(QKeyEvent *event)
{
    const auto &heads = m_model.content().layout.heads();
    if (handleMovementKey(*event))
        return;
    if (event->matches(QKeySequence::SelectAll)) {
        m_state.setSelection(m_model.content().whole(heads), m_state.currentHead());
    } else if (event->key() == Qt::Key_Space) {
        maskSelection();
    } else if (event->key() == Qt::Key_P && event->modifiers() == Qt::NoModifier) {
        pinSelection();
    } else if ((event->key() == Qt::Key_Home || event->key() == Qt::Key_End) && !heads.empty()) {
        selectCell(event->key() == Qt::Key_Home ? heads.front() : heads.back());
    } else if (event->key() == Qt::Key_Escape) {
        m_state.setSelection({}, std::nullopt);
    } else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && m_state.currentHead()) {
        Q_EMIT headActivated(*m_state.currentHead());
    } else {
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void HeadGridView::focusInEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
    announceFocus();
}

void HeadGridView::focusOutEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

void HeadGridView::maskSelection()
{
    if (!m_state.selection().empty())
        m_state.toggleMasks(m_state.selection());
    else if (m_state.currentHead())
        m_state.toggleMasks(m_model.content().whole(*m_state.currentHead()));
}

void HeadGridView::pinSelection()
{
    if (!m_state.selection().empty())
        m_state.togglePins(m_state.selection());
    else if (m_state.currentHead())
        m_state.togglePins(m_model.content().whole(*m_state.currentHead()));
}

void HeadGridView::keepOnly(const HeadRef &head)
{
    HeadMask mask = m_state.mask();
    const std::set<HeadRef> kept = m_model.content().whole(head);
    for (const HeadRef &other : m_state.layout().heads()) {
        if (other.kind == head.kind && other.layer == head.layer)
            mask.set(other, !kept.contains(other));
    }
    m_state.setMask(mask, tr("keep only %1 in its layer").arg(QString::fromStdString(toText(head))));
}

void HeadGridView::contextMenuEvent(QContextMenuEvent *event)
{
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    const auto head = byKey ? m_state.currentHead() : m_geometry.headAt(toContent(event->pos()));
    if (!head)
        return event->ignore(); // a page may have one
    if (!m_state.selection().contains(*head))
        selectCell(*head);
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillContextMenu(*menu, *head);
    Q_EMIT menuRequested(menu);
    menu->popup(byKey ? viewport()->mapToGlobal(cellRect(*head).center()) : event->globalPos());
}

/// Groups of heads that have something in common with one; those of one head alone are left out.
void HeadGridView::fillAlikeMenu(QMenu &menu, const HeadCell &cell)
{
    const auto add = [&](const QString &text, const auto &isAlike) {
        std::set<HeadRef> alike;
        for (const HeadCell &other : m_model.content().cells) {
            if (isAlike(other))
                std::ranges::copy(GridContent::headsOf(other), std::inserter(alike, alike.end()));
        }
        if (alike.size() > 1)
            menu.addAction(tr("%1: %2").arg(text, headsText(std::ssize(alike))), this,
                           [this, alike] { m_state.setSelection(alike, m_state.currentHead()); });
    };
    if (!cell.roles.empty()) {
        const Role role = cell.roles.front().role;
        add(tr("Of the same role, %1").arg(roleTitle(role).toLower()),
            [role](const HeadCell &other) { return !other.roles.empty() && other.roles.front().role == role; });
    }
    if (cell.significant)
        add(*cell.significant ? tr("Significant like this one") : tr("Not significant like this one"),
            [&](const HeadCell &other) { return other.significant == cell.significant; });
    if (cell.value && m_model.content().diverging)
        add(*cell.value < 0 ? tr("With a value below zero") : tr("With a value of zero or above"),
            [&](const HeadCell &other) { return other.value && (*other.value < 0) == (*cell.value < 0); });
    add(tr("Of the same layer"), [&](const HeadCell &other) {
        return other.head.kind == cell.head.kind && other.head.layer == cell.head.layer;
    });
    add(tr("Of the same kind of attention"), [&](const HeadCell &other) { return other.head.kind == cell.head.kind; });
}

void HeadGridView::fillContextMenu(QMenu &menu, const HeadRef &head)
{
    const auto count = static_cast<int>(m_state.selection().size());
    const bool masked = count > 1 ? std::ranges::all_of(
                            m_state.selection(), [this](const HeadRef &one) { return m_state.mask().isMasked(one); })
                                  : m_state.mask().isMasked(head);
    const QString what = count > 1 ? headsText(count) : QString::fromStdString(toText(head));
    menu.addAction(masked ? tr("Un&mask %1").arg(what) : tr("&Mask %1").arg(what), this, &HeadGridView::maskSelection);
    menu.addAction(m_state.pins().contains(head) ? tr("Un&pin %1").arg(what) : tr("&Pin %1").arg(what), this,
                   &HeadGridView::pinSelection);
    menu.addAction(tr("&Keep only this head in its layer"), this, [this, head] { keepOnly(head); });
    if (const HeadCell *cell = m_model.content().cell(head))
        fillAlikeMenu(*menu.addMenu(tr("Select heads a&like")), *cell);
    menu.addSeparator();
    menu.addAction(tr("Show its &attention"), this, [this, head] { Q_EMIT headActivated(head); });
    menu.addAction(tr("&Copy value"), this,
                   [this, head] { QGuiApplication::clipboard()->setText(m_model.sentence(head)); });
}

void HeadGridView::updateAccessibleName()
{
    const auto &current = m_state.currentHead();
    const QString sentence = current ? m_model.sentence(*current) : QString();
    setAccessibleName(sentence.isEmpty() ? tr("Grid of heads, %1").arg(gridCaption(m_model.content())) : sentence);
    setAccessibleDescription(tr("Arrow keys move, Space masks, P pins, Shift with arrows extends the selection."));
    if (QAccessible::isActive()) {
        QAccessibleEvent changed(this, QAccessible::NameChanged);
        QAccessible::updateAccessibility(&changed);
    }
}

/// To screen readers: which cell the keys are at.
void HeadGridView::announceFocus()
{
    if (!QAccessible::isActive() || !hasFocus() || !m_state.currentHead())
        return;
    QAccessibleInterface *table = QAccessible::queryAccessibleInterface(this);
    QAccessibleInterface *cell = table ? table->focusChild() : nullptr;
    if (!cell)
        return;
    QAccessibleEvent focus(cell, QAccessible::Focus);
    QAccessible::updateAccessibility(&focus);
}

} // namespace headscope
