#include "ui/views/foldrail.h"

#include "ui/heatmap/focusframe.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>

namespace headscope {

namespace {
constexpr int kRailIcon = 20;
constexpr int kRailMargin = 10;
} // namespace

FoldRail::FoldRail(int width, QWidget *parent) : QAbstractButton(parent)
{
    setFixedWidth(width);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
}

void FoldRail::setBadge(const QString &text, bool warning)
{
    if (m_badge == text && m_warning == warning)
        return;
    m_badge = text;
    m_warning = warning;
    update();
}

bool FoldRail::event(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        update();
    return QAbstractButton::event(event);
}

void FoldRail::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const ViewPalette &colors = ViewPalette::matching(palette());
    if (isDown() || underMouse()) {
        QColor shade = palette().color(QPalette::WindowText);
        shade.setAlphaF(isDown() ? 0.16F : 0.08F);
        painter.fillRect(rect(), shade);
    }
    icon().paint(&painter, (width() - kRailIcon) / 2, kRailMargin, kRailIcon, kRailIcon);
    int y = kRailMargin + kRailIcon + 6;
    if (!m_badge.isEmpty()) {
        QFont small = font();
        small.setBold(true);
        painter.setFont(small);
        const QFontMetrics metrics(small);
        const int high = metrics.height() + 2;
        const int wide = std::min(width() - 4, std::max(high, metrics.horizontalAdvance(m_badge) + 8));
        const QRect pill((width() - wide) / 2, y, wide, high);
        const QColor fill = m_warning ? colors.warning : colors.accent;
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawRoundedRect(pill, high / 2.0, high / 2.0);
        painter.setPen(readableOn(fill));
        painter.drawText(pill, Qt::AlignCenter, metrics.elidedText(m_badge, Qt::ElideRight, wide - 4));
        y += high + 6;
    }
    painter.setFont(font());
    painter.setPen(palette().color(QPalette::WindowText));
    painter.save();
    painter.translate(0, y + 4);
    painter.rotate(90);
    const int room = height() - y - 4 - kRailMargin;
    painter.drawText(QRect(0, -width(), std::max(room, 0), width()), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(text(), Qt::ElideRight, std::max(room, 0)));
    painter.restore();
    if (hasFocus())
        paintFocusFrame(painter, rect().adjusted(2, 2, -2, -2), colors);
}

} // namespace headscope
