#include "ui/pages/attention/headstrip.h"

#include "ui/heatmap/focusframe.h"
#include "ui/heatmap/viewpalette.h"
#include "ui/pages/attention/headlines.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStringList>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

constexpr int kPieceGap = 3;
constexpr int kSmallest = 9;

} // namespace

HeadStrip::HeadStrip(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Heads whose lines are shown"));
    setToolTip(tr("Click: show a head's lines or not. Double click: only this head, or all of the layer"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void HeadStrip::setHeads(std::vector<HeadRef> heads, std::set<HeadRef> chosen)
{
    if (heads != m_heads)
        m_at = 0;
    m_heads = std::move(heads);
    m_chosen = std::move(chosen);
    describe();
    update();
}

void HeadStrip::describe()
{
    QStringList names;
    for (const HeadRef &head : m_chosen)
        names << QString::fromStdString(toText(head));
    const QString at = m_at < m_heads.size() ? QString::fromStdString(toText(m_heads[m_at])) : QString();
    setAccessibleDescription(
        tr("%1. Shown: %2. Arrow keys move between heads, Space shows or hides a head, Enter shows only this "
           "one.")
            .arg(at, names.join(u", "_s)));
}

QSize HeadStrip::sizeHint() const
{
    return {200, fontMetrics().height() + 8 + 2 * kPieceGap};
}

QSize HeadStrip::minimumSizeHint() const
{
    return {60, sizeHint().height()};
}

QRect HeadStrip::squareOf(std::size_t place) const
{
    const int count = std::max(1, static_cast<int>(m_heads.size()));
    const int side = std::clamp((width() - kPieceGap) / count - kPieceGap, kSmallest, height() - 2 * kPieceGap);
    return {kPieceGap + static_cast<int>(place) * (side + kPieceGap), kPieceGap, side, height() - 2 * kPieceGap};
}

std::optional<std::size_t> HeadStrip::placeAt(const QPoint &point) const
{
    for (std::size_t place = 0; place < m_heads.size(); ++place) {
        if (squareOf(place).contains(point))
            return place;
    }
    return {};
}

void HeadStrip::paintEvent(QPaintEvent *)
{
    const ViewPalette &colors = ViewPalette::matching(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QFont font = this->font();
    font.setPixelSize(std::max(7, std::min(fontMetrics().height() - 2, squareOf(0).width() * 6 / 10)));
    painter.setFont(font);
    for (std::size_t place = 0; place < m_heads.size(); ++place) {
        const QColor color = lineColor(m_heads[place].head, colors);
        const bool on = m_chosen.contains(m_heads[place]);
        const QRectF square = QRectF(squareOf(place)).adjusted(0.5, 0.5, -0.5, -0.5);
        painter.setPen(QPen(color, 1.5));
        painter.setBrush(on ? QBrush(color) : QBrush(Qt::NoBrush));
        painter.drawRect(square);
        painter.setPen(on ? readableOn(color) : colors.ink);
        painter.drawText(square, Qt::AlignCenter, QString::number(m_heads[place].head));
        if (hasFocus() && place == m_at) {
            painter.setPen(QPen(colors.ink, 1, Qt::DotLine));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(square.adjusted(-2, -2, 2, 2));
        }
    }
    if (hasFocus())
        paintFocusFrame(painter, rect(), colors);
}

void HeadStrip::toggle(std::size_t place)
{
    const HeadRef head = m_heads[place];
    std::set<HeadRef> chosen = m_chosen;
    if (!chosen.erase(head))
        chosen.insert(head);
    if (!chosen.empty())
        Q_EMIT chosenByUser(chosen, chosen.contains(head) ? head : *chosen.begin());
}

void HeadStrip::isolate(std::size_t place)
{
    const HeadRef head = m_heads[place];
    const bool alone = m_chosen.size() == 1 && m_chosen.contains(head);
    Q_EMIT chosenByUser(alone ? std::set<HeadRef>(m_heads.begin(), m_heads.end()) : std::set<HeadRef>{head}, head);
}

void HeadStrip::mousePressEvent(QMouseEvent *event)
{
    const auto place = placeAt(event->pos());
    if (event->button() != Qt::LeftButton || !place)
        return;
    m_at = *place;
    toggle(*place);
}

void HeadStrip::mouseDoubleClickEvent(QMouseEvent *event)
{
    const auto place = placeAt(event->pos());
    if (!place)
        return;
    // The first of the two clicks has switched it: as it was before.
    const HeadRef head = m_heads[*place];
    const bool others = std::ranges::any_of(m_chosen, [&](const HeadRef &other) { return other != head; });
    if (others)
        Q_EMIT chosenByUser({head}, head);
    else
        Q_EMIT chosenByUser(std::set<HeadRef>(m_heads.begin(), m_heads.end()), head);
}

void HeadStrip::keyPressEvent(QKeyEvent *event)
{
    if (m_heads.empty())
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Left:
        m_at = m_at == 0 ? m_heads.size() - 1 : m_at - 1;
        break;
    case Qt::Key_Right:
        m_at = (m_at + 1) % m_heads.size();
        break;
    case Qt::Key_Space:
        return toggle(m_at);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return isolate(m_at);
    default:
        return QWidget::keyPressEvent(event);
    }
    describe();
    update();
}

} // namespace headscope
