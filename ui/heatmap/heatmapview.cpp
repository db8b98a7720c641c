#include "ui/heatmap/heatmapview.h"

#include "ui/heatmap/focusframe.h"
#include "ui/models/plaintip.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace headscope {

HeatMapView::HeatMapView(QWidget *parent) : QAbstractScrollArea(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    viewport()->setMouseTracking(true);
    setAccessibleName(tr("Attention heat map"));
    setMinimumSize(220, 200);
    m_labelTimer.setInterval(0);
    connect(&m_labelTimer, &QTimer::timeout, this, [this] {
        constexpr int kAtOnce = 12; // a few milliseconds
        if (!m_labels.prepare(kAtOnce))
            m_labelTimer.stop();
    });
}

void HeatMapView::setPicture(HeatMapPicture picture)
{
    picture.palette = ViewPalette::matching(palette());
    if (!(picture.table == m_picture.table))
        m_hover.reset();
    m_picture = std::move(picture);
    setAccessibleName(m_picture.table.empty() ? tr("Attention heat map, empty")
                                              : tr("Attention heat map of %1").arg(m_picture.title));
    describe();
    rebuild();
}

void HeatMapView::describe()
{
    setAccessibleDescription(m_hover                   ? readout()
                             : m_picture.table.empty() ? m_emptyText
                                                       : tr("Arrow keys move between weights."));
}

/// What is kept between paintings.
void HeatMapView::rebuild()
{
    m_cells = {};
    m_margins = HeatMapMargins(m_picture, QFontMetricsF(font(), this));
    makeLabels();
    updateScrollBars();
    viewport()->update();
}

void HeatMapView::makeLabels()
{
    m_labels = SlantedLabels(m_picture.table.columns, font(), m_picture.palette, devicePixelRatioF(),
                             geometry().labelLength());
    m_labelTimer.start();
}

void HeatMapView::setEmptyText(const QString &text)
{
    m_emptyText = text;
    describe();
    viewport()->update();
}

QString HeatMapView::readout() const
{
    return m_hover ? heatMapReadout(m_picture.table, *m_hover) : QString();
}

HeatMapGeometry HeatMapView::geometry() const
{
    return {m_picture,
            m_margins.within(viewport()->size()),
            viewport()->size(),
            QFontMetricsF(font(), this),
            QPointF(horizontalScrollBar()->value(), verticalScrollBar()->value()),
            m_zoom};
}

void HeatMapView::zoomBy(double factor, const QPointF &place)
{
    constexpr double kMost = 32;
    const HeatMapGeometry before = geometry();
    m_zoom = std::clamp(m_zoom * factor, 1.0, kMost);
    updateScrollBars();
    const HeatMapGeometry after = geometry();
    if (before.cellSize().isEmpty() || before.cellSize() == after.cellSize()) {
        viewport()->update();
        return;
    }
    // In cells, from the first one.
    const QPointF first = before.cellRect(0, 0).topLeft();
    const QPointF cells((place.x() - first.x()) / before.cellSize().width(),
                        (place.y() - first.y()) / before.cellSize().height());
    const QPointF now = after.cellRect(0, 0).topLeft();
    horizontalScrollBar()->setValue(horizontalScrollBar()->value()
                                    + static_cast<int>(now.x() + cells.x() * after.cellSize().width() - place.x()));
    verticalScrollBar()->setValue(verticalScrollBar()->value()
                                  + static_cast<int>(now.y() + cells.y() * after.cellSize().height() - place.y()));
    viewport()->update();
}

void HeatMapView::fitZoom()
{
    m_zoom = 1;
    updateScrollBars();
    viewport()->update();
}

void HeatMapView::updateScrollBars()
{
    const HeatMapGeometry layout = geometry();
    const QSizeF beyond = m_picture.table.empty() ? QSizeF(0, 0) : layout.contentSize() - layout.window().size();
    const auto setUp = [&](QScrollBar *bar, double range, double page) {
        bar->setRange(0, static_cast<int>(std::ceil(std::max(range, 0.0))));
        bar->setPageStep(static_cast<int>(page));
        bar->setSingleStep(static_cast<int>(std::max(layout.cell(), 1.0)));
    };
    setUp(horizontalScrollBar(), beyond.width(), layout.window().width());
    setUp(verticalScrollBar(), beyond.height(), layout.window().height());
}

void HeatMapView::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_picture.palette.paper);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(font());
    if (m_picture.table.empty()) {
        painter.setPen(m_picture.palette.muted);
        painter.drawText(viewport()->rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap,
                         m_emptyText);
        return;
    }
    const HeatMapGeometry layout = geometry();
    if (m_cells.isNull())
        m_cells = heatMapCells(m_picture);
    paintHeatMap(painter, m_picture, layout, m_hover, m_cells, &m_labels);
    if (m_hover) {
        // The exact weight is shown beside the legend, where it covers nothing.
        painter.setPen(m_picture.palette.accent);
        QFont bold = font();
        bold.setBold(true);
        painter.setFont(bold);
        const double left = layout.legend().right() + 16;
        painter.drawText(QRectF(left, layout.legend().top(), viewport()->width() - left - 8, layout.legend().height()),
                         Qt::AlignLeft | Qt::AlignVCenter, readout());
    }
    if (hasFocus())
        paintFocusFrame(painter, viewport()->rect(), m_picture.palette);
}

void HeatMapView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    if (geometry().labelLength() != m_labels.longest())
        makeLabels();
    updateScrollBars();
}

bool HeatMapView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::Leave)
        setHover({});
    if (event->type() == QEvent::ToolTip) {
        if (const QString text = readout(); !text.isEmpty())
            QToolTip::showText(static_cast<QHelpEvent *>(event)->globalPos(), plainTip(text), viewport());
        else
            QToolTip::hideText();
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void HeatMapView::mouseMoveEvent(QMouseEvent *event)
{
    setHover(geometry().cellAt(event->position()));
}

void HeatMapView::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Left:
        return moveHover(-1, 0);
    case Qt::Key_Right:
        return moveHover(1, 0);
    case Qt::Key_Up:
        return moveHover(0, -1);
    case Qt::Key_Down:
        return moveHover(0, 1);
    case Qt::Key_Escape:
        if (m_hover)
            return setHover({});
        break;
    default:
        break;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

void HeatMapView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_picture.palette = ViewPalette::matching(palette());
        rebuild();
    }
}

void HeatMapView::setHover(std::optional<QPoint> cell)
{
    if (cell == m_hover)
        return;
    m_hover = cell;
    describe();
    viewport()->update();
    Q_EMIT hoverChanged();
}

void HeatMapView::moveHover(int columns, int rows)
{
    if (m_picture.table.empty())
        return;
    const int lastColumn = static_cast<int>(m_picture.table.columns.size()) - (m_picture.table.hidesKeys ? 0 : 1);
    const int lastRow = static_cast<int>(m_picture.table.rows.size()) - 1;
    const QPoint next = m_hover ? *m_hover + QPoint(columns, rows) : QPoint(0, 0);
    const QPoint cell(std::clamp(next.x(), 0, lastColumn), std::clamp(next.y(), 0, lastRow));
    bringIntoView(cell);
    setHover(cell);
}

void HeatMapView::bringIntoView(const QPoint &cell)
{
    const HeatMapGeometry layout = geometry();
    const bool hidden = cell.x() >= static_cast<int>(m_picture.table.columns.size());
    const QRectF rect = hidden ? layout.hiddenRect(cell.y()) : layout.cellRect(cell.y(), cell.x());
    const QRectF &window = layout.window();
    const auto shift = [](double low, double high, double from, double to) {
        return low < from ? low - from : high > to ? high - to : 0.0;
    };
    horizontalScrollBar()->setValue(
        horizontalScrollBar()->value()
        + static_cast<int>(shift(rect.left(), rect.right(), window.left(), window.right())));
    verticalScrollBar()->setValue(verticalScrollBar()->value()
                                  + static_cast<int>(shift(rect.top(), rect.bottom(), window.top(), window.bottom())));
}

} // namespace headscope
