#include "ui/pages/attention/headlinesview.h"

#include "ui/heatmap/focusframe.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope {

HeadLinesView::HeadLinesView(QWidget *parent) : QAbstractScrollArea(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    setAccessibleName(tr("Attention as lines"));
    setMinimumSize(220, 200);
}

void HeadLinesView::setPicture(LinesPicture picture)
{
    picture.palette = ViewPalette::matching(palette());
    if (picture.lines.queries == m_picture.lines.queries && picture.lines.keys == m_picture.lines.keys) {
        picture.hover = m_picture.hover;
        picture.chosen = m_picture.chosen;
    }
    m_picture = std::move(picture);
    describe();
    measure();
    viewport()->update();
}

void HeadLinesView::setEmptyText(const QString &text)
{
    m_emptyText = text;
    describe();
    viewport()->update();
}

QString HeadLinesView::readout() const
{
    return headLinesReadout(m_picture.lines, m_picture.marked());
}

void HeadLinesView::describe()
{
    setAccessibleDescription(m_picture.lines.empty() ? m_emptyText
                             : m_picture.marked().empty()
                                 ? tr("Arrow keys move between tokens, Space adds one to the choice.")
                                 : readout());
}

LinesGeometry HeadLinesView::geometry() const
{
    return {m_picture, m_widths, QRectF(viewport()->rect()), static_cast<double>(verticalScrollBar()->value()),
            QFontMetricsF(font(), this)};
}

void HeadLinesView::measure()
{
    m_widths = SideWidths(m_picture.lines.queries, m_picture.lines.keys, QFontMetricsF(font(), this));
    updateScrollBar();
}

void HeadLinesView::updateScrollBar()
{
    const LinesGeometry layout = geometry();
    const double beyond = m_picture.lines.empty() ? 0 : layout.height - layout.window.height();
    verticalScrollBar()->setRange(0, static_cast<int>(std::ceil(std::max(beyond, 0.0))));
    verticalScrollBar()->setPageStep(static_cast<int>(layout.window.height()));
    verticalScrollBar()->setSingleStep(static_cast<int>(layout.rowHeight));
}

void HeadLinesView::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_picture.palette.paper);
    painter.setFont(font());
    if (m_picture.lines.empty()) {
        painter.setPen(m_picture.palette.muted);
        painter.drawText(viewport()->rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap,
                         m_emptyText);
        return;
    }
    const LinesGeometry layout = geometry();
    paintHeadLines(painter, m_picture, layout);
    if (!m_picture.marked().empty()) {
        // The exact weights, where they cover least.
        const QFontMetricsF metrics(font(), this);
        const QRectF strip(0, viewport()->height() - metrics.height() - 6, viewport()->width(), metrics.height() + 6);
        painter.fillRect(strip, m_picture.palette.paper);
        painter.setPen(m_picture.palette.accent);
        const QString text = metrics.elidedText(readout(), Qt::ElideRight, strip.width() - 16);
        painter.drawText(strip.adjusted(8, 0, -8, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
    }
    if (hasFocus())
        paintFocusFrame(painter, viewport()->rect(), m_picture.palette);
}

void HeadLinesView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    updateScrollBar();
}

bool HeadLinesView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::Leave)
        setHover({});
    return QAbstractScrollArea::viewportEvent(event);
}

void HeadLinesView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const auto token = geometry().tokenAt(m_picture.lines, event->position());
    if (token)
        choose(*token, event->modifiers().testFlag(Qt::ControlModifier));
    else
        setChosen({});
}

/// What is chosen already is so no more.
void HeadLinesView::choose(const LineToken &token, bool oneMore)
{
    std::set<LineToken> chosen = m_picture.chosen;
    const bool wasChosen = chosen.erase(token) > 0;
    if (!oneMore)
        chosen.clear();
    if (!wasChosen)
        chosen.insert(token);
    setChosen(std::move(chosen));
}

void HeadLinesView::setChosen(std::set<LineToken> tokens)
{
    if (m_picture.chosen == tokens)
        return;
    m_picture.chosen = std::move(tokens);
    describe();
    viewport()->update();
}

void HeadLinesView::mouseMoveEvent(QMouseEvent *event)
{
    setHover(geometry().tokenAt(m_picture.lines, event->position()));
}

void HeadLinesView::setHover(std::optional<LineToken> token)
{
    if (m_picture.hover == token)
        return;
    m_picture.hover = token;
    describe();
    viewport()->update();
}

void HeadLinesView::moveHover(int places, bool otherSide)
{
    if (m_picture.lines.empty())
        return;
    LineToken token = m_picture.hover.value_or(LineToken{});
    if (m_picture.hover) {
        token.place += places;
        token.isKey = token.isKey != otherSide;
    }
    const auto count = token.isKey ? m_picture.lines.keys.size() : m_picture.lines.queries.size();
    token.place = std::clamp(token.place, 0, static_cast<int>(count) - 1);
    const LinesGeometry layout = geometry();
    const double top = token.place * layout.rowHeight;
    const auto shown = static_cast<double>(verticalScrollBar()->value());
    if (top < shown)
        verticalScrollBar()->setValue(static_cast<int>(top));
    else if (top + layout.rowHeight > shown + layout.window.height())
        verticalScrollBar()->setValue(static_cast<int>(std::ceil(top + layout.rowHeight - layout.window.height())));
    setHover(token);
}

void HeadLinesView::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Up:
        return moveHover(-1, false);
    case Qt::Key_Down:
        return moveHover(1, false);
    case Qt::Key_Left:
        return moveHover(0, m_picture.hover && m_picture.hover->isKey);
    case Qt::Key_Right:
        return moveHover(0, m_picture.hover && !m_picture.hover->isKey);
    case Qt::Key_Space:
        if (m_picture.hover)
            return choose(*m_picture.hover, true);
        break;
    case Qt::Key_Escape:
        if (m_picture.hover)
            return setHover({});
        if (!m_picture.chosen.empty())
            return setChosen({});
        break;
    default:
        break;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

void HeadLinesView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_picture.palette = ViewPalette::matching(palette());
        measure();
        viewport()->update();
    }
}

} // namespace headscope
