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

FoldRail::FoldRail(int thickness, QWidget *parent, Qt::Orientation direction)
    : QAbstractButton(parent), m_direction(direction)
{
    if (direction == Qt::Vertical) {
        setFixedWidth(thickness);
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    } else {
        setFixedHeight(thickness);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
}

QSize FoldRail::along(int length) const
{
    return m_direction == Qt::Vertical ? QSize(width(), length) : QSize(length, height());
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
    const bool upright = m_direction == Qt::Vertical;
    const int across = upright ? width() : height();
    const int length = upright ? height() : width();
    const auto place = [&](int at, int long_, int wide) { // in the middle of the strip
        const int aside = (across - wide) / 2;
        return upright ? QRect(aside, at, wide, long_) : QRect(at, aside, long_, wide);
    };
    painter.save();
    painter.translate(QRectF(place(kRailMargin, kRailIcon, kRailIcon)).center());
    if (!upright)
        painter.rotate(90); // what lies at the right in the icon lies below
    icon().paint(&painter, -kRailIcon / 2, -kRailIcon / 2, kRailIcon, kRailIcon);
    painter.restore();
    int at = kRailMargin + kRailIcon + 6;
    if (!m_badge.isEmpty()) {
        QFont small = font();
        small.setBold(true);
        painter.setFont(small);
        const QFontMetrics metrics(small);
        const int high = metrics.height() + 2;
        const int wide
            = std::min((upright ? across : length) - 4, std::max(high, metrics.horizontalAdvance(m_badge) + 8));
        const QRect pill = upright ? place(at, high, wide) : place(at, wide, high);
        const QColor fill = m_warning ? colors.warning : colors.accent;
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawRoundedRect(pill, high / 2.0, high / 2.0);
        painter.setPen(readableOn(fill));
        painter.drawText(pill, Qt::AlignCenter, metrics.elidedText(m_badge, Qt::ElideRight, wide - 4));
        at += (upright ? high : wide) + 6;
    }
    painter.setFont(font());
    painter.setPen(palette().color(QPalette::WindowText));
    painter.save();
    if (upright) {
        painter.translate(across, 0);
        painter.rotate(90);
    }
    const int room = std::max(length - at - 4 - kRailMargin, 0);
    painter.drawText(QRect(at + 4, 0, room, across), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(text(), Qt::ElideRight, room));
    painter.restore();
    if (hasFocus())
        paintFocusFrame(painter, rect().adjusted(2, 2, -2, -2), colors);
}

} // namespace headscope
