#include "ui/pages/roles/sharechart.h"

#include "ui/heatmap/rolestyle.h"
#include "ui/models/plaintip.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStringList>
#include <QToolTip>

namespace headscope {

ShareChart::ShareChart(const QString &accessibleName, QWidget *parent) : QWidget(parent)
{
    setAccessibleName(accessibleName);
}

void ShareChart::setSeries(ShareSeries series, Role role)
{
    m_series = std::move(series);
    m_role = role;
    m_places.clear();
    QStringList texts;
    for (const ShareSeries::Bar &bar : m_series.bars)
        texts << shareBarText(m_series, bar);
    setAccessibleDescription(m_series.empty() ? m_emptyText : texts.join(QStringLiteral("\n")));
    updateGeometry();
    update();
}

void ShareChart::setEmptyText(const QString &text)
{
    m_emptyText = text;
    update();
}

QSize ShareChart::sizeHint() const
{
    if (m_series.empty())
        return {220, 3 * fontMetrics().height()};
    return {260, m_series.upright ? 190 : static_cast<int>(sharesHeight(m_series, fontMetrics().height())) + 8};
}

QSize ShareChart::minimumSizeHint() const
{
    return {200, m_series.empty() ? 3 * fontMetrics().height() : m_series.upright ? 150 : sizeHint().height()};
}

void ShareChart::zoomBy(double factor, const QPointF &place)
{
    if (m_series.empty())
        return;
    m_zoom.zoomBy(factor, place, rect());
    update();
}

void ShareChart::fitZoom()
{
    m_zoom = {};
    update();
}

bool ShareChart::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        for (std::size_t i = 0; i < m_places.size(); ++i) {
            if (!m_places[i].contains(help->pos()))
                continue;
            QToolTip::showText(help->globalPos(), plainTip(shareBarText(m_series, m_series.bars[i])), this);
            return true;
        }
        QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

void ShareChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const ViewPalette &colors = ViewPalette::matching(palette());
    painter.fillRect(rect(), colors.paper);
    if (m_series.empty()) {
        painter.setPen(colors.muted);
        painter.drawText(QRectF(rect()).adjusted(8, 4, -8, -4), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap,
                         m_emptyText);
        return;
    }
    m_places = paintShares(painter, m_zoom.canvas(QRectF(rect()).adjusted(6, 4, -6, -4)),
                           {m_series, roleColor(m_role, colors), colors});
}

} // namespace headscope
