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

QFont FoldRail::badgeFont() const
{
    QFont small = font();
    small.setBold(true);
    return small;
}

/// At most `longest` wide.
QSize FoldRail::badgeSize(int longest) const
{
    const QFontMetrics metrics(badgeFont());
    const int high = metrics.height() + 2;
    return {std::min(longest, std::max(high, metrics.horizontalAdvance(m_badge) + 8)), high};
}

void FoldRail::paintBadge(QPainter &painter, const QRect &pill) const
{
    const ViewPalette &colors = ViewPalette::matching(palette());
    const QColor fill = m_warning ? colors.warning : colors.accent;
    const double radius = badgeSize(pill.width()).height() / 2.0;
    painter.setFont(badgeFont());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(pill, radius, radius);
    painter.setPen(readableOn(fill));
    painter.drawText(pill, Qt::AlignCenter,
                     QFontMetrics(badgeFont()).elidedText(m_badge, Qt::ElideRight, pill.width() - 4));
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
        const int longest = (upright ? across : length) - 4;
        const QSize size = badgeSize(longest);
        paintBadge(painter, place(at, upright ? size.height() : size.width(), upright ? size.width() : size.height()));
        at += (upright ? size.height() : size.width()) + 6;
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
