#include "ui/pages/heads/smallgrid.h"

#include "ui/heatmap/focusframe.h"
#include "ui/models/plaintip.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace headscope {

SmallGrid::SmallGrid(StudyState &state, Measure measure, DomainView view, QWidget *parent)
    : QWidget(parent), m_state(state), m_measure(measure), m_view(view)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    connect(&UsualRows::instance(), &UsualRows::changed, this, qOverload<>(&QWidget::update));
    for (const auto signal :
         {&StudyState::hoverChanged, &StudyState::selectionChanged, &StudyState::maskChanged, &StudyState::pinsChanged})
        connect(&state, signal, this, qOverload<>(&QWidget::update));
    connect(&state, &StudyState::selectionChanged, this, [this] {
        const auto &current = m_state.currentHead();
        setAccessibleDescription(current ? sentence(*current) : tr("Arrow keys move, Enter enlarges the grid."));
    });
}

void SmallGrid::setContent(GridContent content)
{
    m_content = std::move(content);
    m_content.showsRoles = false;
    m_scale = scaleFor(m_content);
    setAccessibleName(title());
    update();
}

void SmallGrid::setOrder(const GridOrder &order)
{
    // Ranks of other cells than these say nothing of them.
    m_order = order.isOf(m_content.layout) ? order : GridOrder(m_content, order.sorting());
    update();
}

QString SmallGrid::title() const
{
    return measureName(m_measure, m_state.metricName()) + QStringLiteral(", ") + domainViewName(m_view);
}

QString SmallGrid::sentence(const HeadRef &head) const
{
    const HeadCell *cell = m_content.cell(head);
    if (!cell)
        return {};
    const QString text = tr("%1: %2 %3")
                             .arg(GridContent::nameOf(*cell), m_content.symbol,
                                  cell->value ? m_content.valueText(*cell->value) : tr("not computed yet"));
    return cell->value ? tr("%1, %2").arg(text, m_content.examplesText(*cell)) : text;
}

int SmallGrid::titleHeight(const QFontMetrics &metrics)
{
    return 2 * metrics.height() + 4;
}

HeadGridGeometry SmallGrid::cellsGeometry() const
{
    return HeadGridGeometry(m_content, QSizeF(width(), height() - titleHeight(fontMetrics())),
                            QFontMetricsF(font(), this), 0, GridLabels::None, m_order);
}

QRect SmallGrid::cellRect(const HeadRef &head) const
{
    return cellsGeometry().cellRect(head).translated(0, titleHeight(fontMetrics())).toRect();
}

std::optional<HeadRef> SmallGrid::headAt(const QPointF &point) const
{
    return cellsGeometry().headAt(point - QPointF(0, titleHeight(fontMetrics())));
}

void SmallGrid::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const ViewPalette &palette = ViewPalette::matching(this->palette());
    painter.fillRect(rect(), palette.paper);
    const int line = fontMetrics().height();
    const auto write = [&](int y, const QString &text, Qt::Alignment side, const QColor &color) {
        painter.setPen(color);
        painter.drawText(QRect(0, y, width(), line), side | Qt::AlignVCenter,
                         fontMetrics().elidedText(text, Qt::ElideRight, width()));
    };
    const auto [least, most] = std::ranges::minmax(m_content.values());
    const QString range = QStringLiteral("%1 … %2").arg(m_content.valueText(least), m_content.valueText(most));
    const QString domain = domainViewName(m_view);
    write(0, measureName(m_measure, m_state.metricName()), Qt::AlignLeft, palette.ink);
    write(line, domain, Qt::AlignLeft, palette.muted);
    if (fontMetrics().horizontalAdvance(domain + QStringLiteral("   ") + range) <= width())
        write(line, range, Qt::AlignRight, palette.muted);
    GridPicture picture{
        m_content, m_state.mask(), m_scale, m_state.selection(), m_state.currentHead(), m_state.hoveredHead(), false,
        palette,   m_state.pins(), m_order};
    painter.translate(0, titleHeight(fontMetrics()));
    paintHeadGrid(painter, picture, cellsGeometry(), QRectF(rect()));
    painter.translate(0, -titleHeight(fontMetrics()));
    if (hasFocus())
        paintFocusFrame(painter, rect(), palette);
}

bool SmallGrid::event(QEvent *event)
{
    if (event->type() == QEvent::Leave)
        m_state.setHoveredHead(std::nullopt);
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const auto head = headAt(help->pos());
    QToolTip::showText(help->globalPos(), plainTip(head ? sentence(*head) : tr("%1. Click to enlarge.").arg(title())),
                       this);
    return true;
}

void SmallGrid::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    if (event->position().y() < titleHeight(fontMetrics()))
        showLarge();
    else if (const auto head = headAt(event->position()))
        m_state.setSelection(m_content.whole(*head), head);
}

void SmallGrid::mouseMoveEvent(QMouseEvent *event)
{
    setCursor(event->position().y() < titleHeight(fontMetrics()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
    m_state.setHoveredHead(headAt(event->position()));
}

void SmallGrid::mouseDoubleClickEvent(QMouseEvent *)
{
    showLarge();
}

void SmallGrid::moveCurrent(int columns, int rows)
{
    const auto &heads = m_content.layout.heads();
    const auto &current = m_state.currentHead();
    if (const auto next = current ? cellsGeometry().neighbour(*current, columns, rows) : heads.front())
        m_state.setSelection(m_content.whole(*next), next);
}

void SmallGrid::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Left:
        return moveCurrent(-1, 0);
    case Qt::Key_Right:
        return moveCurrent(1, 0);
    case Qt::Key_Up:
        return moveCurrent(0, 1);
    case Qt::Key_Down:
        return moveCurrent(0, -1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return showLarge();
    default:
        QWidget::keyPressEvent(event);
    }
}

/// This changes the study state, which recreates this widget: no member may be used afterwards.
void SmallGrid::showLarge()
{
    const Measure measure = m_measure;
    const DomainView view = m_view;
    StudyState &state = m_state;
    QMetaObject::invokeMethod(
        &state,
        [&state, measure, view] {
            state.setMeasure(measure);
            state.setDomainView(view);
        },
        Qt::QueuedConnection);
}

} // namespace headscope
