#include "ui/pages/patching/pairchart.h"

#include "ui/heatmap/focusframe.h"
#include "ui/models/numbertext.h"
#include "ui/models/plaintip.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QSizePolicy>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope {

namespace {
constexpr double kMargin = 6;

QStringList titlesOf(const PairPicture &picture)
{
    return {PairChart::tr("clean"), PairChart::tr("corrupt"), picture.effectsTitle};
}

QString effectText(const PairPicture &picture, int position)
{
    const auto at = static_cast<std::size_t>(position);
    if (at >= picture.effects.size() || !picture.effects[at] || std::isnan(*picture.effects[at]))
        return {};
    return signedText(*picture.effects[at], 2);
}
} // namespace

PairGeometry::PairGeometry(const PairPicture &picture, double width, const QFontMetricsF &metrics)
    : m_row(std::ceil(metrics.height()) + 6)
{
    for (const QString &title : titlesOf(picture))
        m_titles = std::max(m_titles, metrics.horizontalAdvance(title));
    m_titles += 2 * kMargin;
    double x = m_titles;
    double y = kMargin;
    for (int i = 0; i < picture.clean.size(); ++i) {
        double wide = metrics.horizontalAdvance(effectText(picture, i));
        for (const QStringList *text : {&picture.clean, &picture.corrupt})
            wide = std::max(wide, metrics.horizontalAdvance(text->value(i)));
        wide += 2 * kMargin;
        if (x + wide > width && x > m_titles) {
            x = m_titles;
            y += 3 * m_row + 2 * kMargin;
        }
        m_columns.emplace_back(x, y, wide, 3 * m_row);
        x += wide + 2;
    }
    m_height = y + 3 * m_row + kMargin;
}

std::optional<int> PairGeometry::positionAt(const QPointF &point) const
{
    const auto found = std::ranges::find_if(m_columns, [&](const QRectF &column) { return column.contains(point); });
    return found == m_columns.end() ? std::nullopt : std::optional(static_cast<int>(found - m_columns.begin()));
}

namespace {
/// The clean token above the corrupt one, bold where these differ.
void paintTokenPair(QPainter &painter, const QRectF &column, double row, const PairPicture &picture, int position)
{
    const QString clean = picture.clean.value(position);
    const QString corrupt = picture.corrupt.value(position);
    painter.save();
    QFont font = painter.font();
    font.setBold(clean != corrupt);
    painter.setFont(font);
    painter.setPen(clean != corrupt ? picture.palette.ink : picture.palette.muted);
    painter.drawText(QRectF(column.left(), column.top(), column.width(), row), Qt::AlignCenter, clean);
    painter.drawText(QRectF(column.left(), column.top() + row, column.width(), row), Qt::AlignCenter, corrupt);
    painter.restore();
}
} // namespace

void paintPair(QPainter &painter, const QRectF &rect, const PairPicture &picture)
{
    const ViewPalette &colors = picture.palette;
    painter.save();
    painter.fillRect(rect, colors.paper);
    painter.translate(rect.topLeft());
    const QFontMetricsF metrics(painter.font(), painter.device());
    const PairGeometry geometry(picture, rect.width(), metrics);
    const double row = geometry.rowHeight();
    double lastTop = -1;
    for (int i = 0; i < picture.clean.size(); ++i) {
        const QRectF column = geometry.column(i);
        if (column.top() != lastTop) { // every line of tokens says what its rows are
            lastTop = column.top();
            const QStringList titles = titlesOf(picture);
            painter.setPen(colors.muted);
            for (int line = 0; line < titles.size(); ++line)
                painter.drawText(QRectF(kMargin, column.top() + line * row, geometry.titles() - 2 * kMargin, row),
                                 Qt::AlignLeft | Qt::AlignVCenter, titles[line]);
        }
        paintTokenPair(painter, column, row, picture, i);
        const QRectF cell(column.left(), column.top() + 2 * row, column.width(), row);
        const auto at = static_cast<std::size_t>(i);
        const bool isKnown = at < picture.effects.size() && picture.effects[at];
        const QColor color = isKnown ? picture.scale.color(*picture.effects[at], colors.appearance)
                                     : ColorScale::missingColor(colors.appearance);
        painter.fillRect(cell.adjusted(0, 1, 0, -1), color);
        painter.setPen(readableOn(color));
        painter.drawText(cell, Qt::AlignCenter, effectText(picture, i));
        if (picture.chosen == i) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(colors.accent, 2));
            painter.drawRect(column.adjusted(0, 0, 0, 1));
        }
    }
    painter.restore();
}

PairChart::PairChart(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(tr("Clean and corrupt text"));
}

void PairChart::setPicture(PairPicture picture, QStringList tips, const QString &empty)
{
    m_picture = std::move(picture);
    m_tips = std::move(tips);
    m_empty = empty;
    const QString about
        = m_picture.clean.isEmpty()
            ? m_empty
            : tr("Clean: %1. Corrupt: %2.").arg(m_picture.clean.join(u' '), m_picture.corrupt.join(u' '));
    setAccessibleDescription(m_picture.chosen ? about + u' ' + m_tips.value(*m_picture.chosen) : about);
    updateGeometry();
    update();
}

PairGeometry PairChart::geometryOf() const
{
    return {m_picture, static_cast<double>(width()), QFontMetricsF(font(), this)};
}

int PairChart::heightForWidth(int width) const
{
    return static_cast<int>(std::ceil(PairGeometry(m_picture, width, QFontMetricsF(font(), this)).height()));
}

QSize PairChart::sizeHint() const
{
    return {480, heightForWidth(480)};
}

void PairChart::choose(int position)
{
    if (!m_picture.clean.isEmpty())
        Q_EMIT positionChosen(position);
}

bool PairChart::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        auto *help = static_cast<QHelpEvent *>(event);
        const auto position = geometryOf().positionAt(help->pos());
        const QString tip = position ? m_tips.value(*position) : QString();
        if (tip.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), plainTip(tip), this);
        return true;
    }
    if (event->type() == QEvent::PaletteChange)
        update();
    return QWidget::event(event);
}

void PairChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    m_picture.palette = ViewPalette::matching(palette());
    if (m_picture.clean.isEmpty()) {
        painter.fillRect(rect(), m_picture.palette.paper);
        painter.setPen(m_picture.palette.muted);
        painter.drawText(rect().adjusted(12, 8, -12, -8), Qt::AlignCenter | Qt::TextWordWrap, m_empty);
    } else {
        paintPair(painter, rect(), m_picture);
    }
    if (hasFocus())
        paintFocusFrame(painter, rect(), m_picture.palette);
}

void PairChart::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return QWidget::mousePressEvent(event);
    const auto position = geometryOf().positionAt(event->position());
    choose(position && position != m_picture.chosen ? *position : -1);
}

void PairChart::keyPressEvent(QKeyEvent *event)
{
    const int last = static_cast<int>(m_picture.clean.size()) - 1;
    const int now = m_picture.chosen.value_or(-1);
    switch (event->key()) {
    case Qt::Key_Right:
        return choose(std::min(last, now + 1));
    case Qt::Key_Left:
        return choose(now < 0 ? last : std::max(0, now - 1));
    case Qt::Key_Escape:
        if (now >= 0)
            return choose(-1);
        break;
    default:
        break;
    }
    QWidget::keyPressEvent(event);
}

} // namespace headscope
