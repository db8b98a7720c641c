#include "ui/views/matrixchart.h"

#include "ui/heatmap/focusframe.h"
#include "ui/models/numbertext.h"
#include "ui/models/plaintip.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope {

MatrixChart::MatrixChart(const QString &name, QWidget *parent) : QWidget(parent)
{
    setMinimumSize(220, 220);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(name);
    m_picture.palette = ViewPalette::matching(palette());
}

void MatrixChart::setSeries(MatrixSeries series)
{
    m_picture.series = std::move(series);
    m_picture.cell.reset();
    m_cells = {};
    describe();
    update();
}

void MatrixChart::setSelection(const std::set<HeadRef> &selection)
{
    m_picture.selection = selection;
    update();
}

void MatrixChart::setHovered(const std::optional<HeadRef> &head)
{
    if (m_picture.hovered == head)
        return;
    m_picture.hovered = head;
    update();
}

void MatrixChart::setEmptyText(const QString &text)
{
    m_emptyText = text;
    describe();
    update();
}

QString MatrixChart::readout() const
{
    if (!m_picture.cell)
        return {};
    const QPoint cell = *m_picture.cell;
    const double value
        = m_picture.series.values.at(static_cast<std::size_t>(cell.x()), static_cast<std::size_t>(cell.y()));
    const ValueFormat &format = m_picture.series.format;
    return tr("%1 and %2: %3")
        .arg(QString::fromStdString(toText(leaf(cell.y()))), QString::fromStdString(toText(leaf(cell.x()))),
             std::isnan(value)                                       ? tr("not measured")
             : m_picture.series.scale.kind() == ScaleKind::Diverging ? format.difference(value)
                                                                     : format.number(value));
}

void MatrixChart::describe()
{
    const int heads = static_cast<int>(m_picture.series.leaves.size());
    setAccessibleDescription(heads == 0       ? m_emptyText
                             : m_picture.cell ? readout()
                                              : tr("%n heads; arrow keys move between pairs", nullptr, heads));
}

void MatrixChart::setCell(std::optional<QPoint> cell)
{
    if (m_picture.cell == cell)
        return;
    m_picture.cell = cell;
    describe();
    update();
    Q_EMIT hovered(cell ? std::optional(leaf(cell->y())) : std::nullopt);
}

void MatrixChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    if (m_picture.series.empty()) {
        painter.fillRect(rect(), m_picture.palette.paper);
        painter.setPen(m_picture.palette.muted);
        painter.drawText(QRectF(rect()).adjusted(24, 16, -24, -16), Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
        return;
    }
    if (m_cells.isNull())
        m_cells = matrixCells(m_picture);
    m_geometry = paintMatrix(painter, m_zoom.canvas(rect()), m_picture, m_cells);
    if (hasFocus())
        paintFocusFrame(painter, rect(), m_picture.palette);
}

void MatrixChart::zoomBy(double factor, const QPointF &place)
{
    m_zoom.zoomBy(factor, place, rect());
    update();
}

void MatrixChart::fitZoom()
{
    m_zoom = {};
    update();
}

bool MatrixChart::event(QEvent *event)
{
    if (event->type() == QEvent::Leave)
        setCell({});
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        if (m_geometry.cellAt(help->pos()) && m_picture.cell)
            QToolTip::showText(help->globalPos(), plainTip(readout()), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

void MatrixChart::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_picture.palette = ViewPalette::matching(palette());
        m_cells = {};
        update();
    }
}

void MatrixChart::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_picture.series.empty())
        setCell(m_geometry.cellAt(event->position()));
}

void MatrixChart::select(std::set<HeadRef> heads, bool add)
{
    if (add)
        heads.insert(m_picture.selection.begin(), m_picture.selection.end());
    const HeadRef current = *heads.begin();
    Q_EMIT selectionMade(heads, current);
}

void MatrixChart::selectCell(bool add)
{
    if (m_picture.cell)
        select({leaf(m_picture.cell->x()), leaf(m_picture.cell->y())}, add);
}

void MatrixChart::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || m_picture.series.empty())
        return;
    const bool add = event->modifiers() & Qt::ControlModifier;
    if (m_geometry.cells.contains(event->position())) {
        setCell(m_geometry.cellAt(event->position()));
        selectCell(add);
    } else if (const auto join = m_geometry.joinNear(m_picture.series, event->position())) {
        const MatrixSeries::Join &branch = m_picture.series.joins[*join];
        const auto first = m_picture.series.leaves.begin();
        select(std::set<HeadRef>(first + static_cast<std::ptrdiff_t>(branch.firstLeaf),
                                 first + static_cast<std::ptrdiff_t>(branch.lastLeaf) + 1),
               add);
    }
}

void MatrixChart::keyPressEvent(QKeyEvent *event)
{
    const int last = static_cast<int>(m_picture.series.leaves.size()) - 1;
    const auto move = [&](int columns, int rows) {
        const QPoint from = m_picture.cell.value_or(QPoint(0, 0));
        setCell(QPoint(std::clamp(from.x() + columns, 0, last), std::clamp(from.y() + rows, 0, last)));
    };
    if (last < 0)
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Left:
        return move(-1, 0);
    case Qt::Key_Right:
        return move(1, 0);
    case Qt::Key_Up:
        return move(0, -1);
    case Qt::Key_Down:
        return move(0, 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return selectCell(event->modifiers() & Qt::ControlModifier);
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace headscope
