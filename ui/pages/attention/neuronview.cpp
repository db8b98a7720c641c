#include "ui/pages/attention/neuronview.h"

#include "ui/heatmap/focusframe.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace headscope {

NeuronView::NeuronView(QWidget *parent) : QAbstractScrollArea(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    setAccessibleName(tr("Neurons"));
    setMinimumSize(220, 200);
}

void NeuronView::setPicture(NeuronPicture picture)
{
    picture.palette = ViewPalette::matching(palette());
    if (picture.queries == m_picture.queries && picture.keys == m_picture.keys) {
        picture.query = m_picture.query;
        picture.key = m_picture.key;
    } else {
        // The first token with distinct attention: the token that starts a text often attends uniformly.
        const auto found = std::ranges::find(picture.queries, false, &AxisLabel::special);
        picture.query = found == picture.queries.end() ? 0 : static_cast<int>(found - picture.queries.begin());
    }
    m_picture = std::move(picture);
    measure();
    describe();
    viewport()->update();
}

void NeuronView::setEmptyText(const QString &text)
{
    m_emptyText = text;
    describe();
    viewport()->update();
}

QString NeuronView::readout() const
{
    return m_picture.empty() || !m_picture.key ? QString() : neuronReadout(m_picture, *m_picture.key);
}

void NeuronView::describe()
{
    setAccessibleDescription(m_picture.empty() ? m_emptyText
                             : m_picture.key
                                 ? readout()
                                 : tr("Query %1. Up and down choose another query, left and right move between "
                                      "keys.")
                                       .arg(m_picture.queries[static_cast<std::size_t>(m_picture.query)].text));
}

NeuronGeometry NeuronView::geometry() const
{
    return {m_picture, m_widths, QRectF(viewport()->rect()), static_cast<double>(verticalScrollBar()->value()),
            QFontMetricsF(font(), this)};
}

void NeuronView::measure()
{
    m_widths = SideWidths(m_picture.queries, m_picture.keys, QFontMetricsF(font(), this));
    updateScrollBar();
}

void NeuronView::updateScrollBar()
{
    const NeuronGeometry layout = geometry();
    const double beyond = m_picture.empty() ? 0 : layout.height - layout.window.height();
    verticalScrollBar()->setRange(0, static_cast<int>(std::ceil(std::max(beyond, 0.0))));
    verticalScrollBar()->setPageStep(std::max(1, static_cast<int>(layout.window.height())));
    verticalScrollBar()->setSingleStep(std::max(1, static_cast<int>(layout.rowHeight)));
}

void NeuronView::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_picture.palette.paper);
    painter.setFont(font());
    if (m_picture.empty()) {
        painter.setPen(m_picture.palette.muted);
        painter.drawText(viewport()->rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap,
                         m_emptyText);
        return;
    }
    paintNeurons(painter, m_picture, geometry());
    if (m_picture.key) {
        // The exact numbers, where they cover least.
        const QFontMetricsF metrics(font(), this);
        const QRectF strip(0, viewport()->height() - metrics.height() - 6, viewport()->width(), metrics.height() + 6);
        painter.fillRect(strip, m_picture.palette.paper);
        painter.setPen(m_picture.palette.accent);
        painter.drawText(strip.adjusted(8, 0, -8, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(readout(), Qt::ElideRight, strip.width() - 16));
    }
    if (hasFocus())
        paintFocusFrame(painter, viewport()->rect(), m_picture.palette);
}

void NeuronView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    updateScrollBar();
}

bool NeuronView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::Leave)
        setKey({});
    return QAbstractScrollArea::viewportEvent(event);
}

void NeuronView::mousePressEvent(QMouseEvent *event)
{
    const NeuronGeometry layout = geometry();
    const auto row = layout.rowAt(event->position());
    if (event->button() == Qt::LeftButton && row && event->position().x() < layout.keys.left())
        setQuery(*row);
}

void NeuronView::mouseMoveEvent(QMouseEvent *event)
{
    const NeuronGeometry layout = geometry();
    const auto row = layout.rowAt(event->position());
    const bool isKey
        = row && event->position().x() >= layout.keys.left() && *row < static_cast<int>(m_picture.keys.size());
    setKey(isKey ? row : std::nullopt);
}

void NeuronView::setQuery(int query)
{
    if (query < 0 || query >= static_cast<int>(m_picture.queries.size()) || query == m_picture.query)
        return;
    m_picture.query = query;
    bringIntoView(query);
    describe();
    viewport()->update();
}

void NeuronView::setKey(std::optional<int> key)
{
    if (m_picture.key == key)
        return;
    m_picture.key = key;
    describe();
    viewport()->update();
}

void NeuronView::moveKey(int by)
{
    if (m_picture.empty())
        return;
    const int last = static_cast<int>(m_picture.keys.size()) - 1;
    const int key = m_picture.key ? std::clamp(*m_picture.key + by, 0, last) : 0;
    bringIntoView(key);
    setKey(key);
}

/// Scrolls as far as needed.
void NeuronView::bringIntoView(int row)
{
    const NeuronGeometry layout = geometry();
    const double top = row * layout.rowHeight;
    const auto shown = static_cast<double>(verticalScrollBar()->value());
    if (top < shown)
        verticalScrollBar()->setValue(static_cast<int>(top));
    else if (top + layout.rowHeight > shown + layout.window.height())
        verticalScrollBar()->setValue(static_cast<int>(std::ceil(top + layout.rowHeight - layout.window.height())));
}

void NeuronView::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Up:
        return setQuery(m_picture.query - 1);
    case Qt::Key_Down:
        return setQuery(m_picture.query + 1);
    case Qt::Key_Left:
        return moveKey(-1);
    case Qt::Key_Right:
        return moveKey(1);
    case Qt::Key_Escape:
        if (m_picture.key)
            return setKey({});
        break;
    default:
        break;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

void NeuronView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_picture.palette = ViewPalette::matching(palette());
        measure();
        viewport()->update();
    }
}

} // namespace headscope
