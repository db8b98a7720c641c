#include "ui/pages/pruning/rolestripchart.h"

#include "ui/models/plaintip.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace headscope {

RoleStripChart::RoleStripChart(QWidget *parent) : QWidget(parent)
{
    setAccessibleName(tr("Roles of the heads that are left"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void RoleStripChart::setSeries(RoleStripSeries series)
{
    m_picture.series = std::move(series);
    setAccessibleDescription(roleStripText(m_picture.series, m_picture.slider.value_or(0)));
    update();
}

void RoleStripChart::setSlider(std::optional<double> removed)
{
    m_picture.slider = removed;
    setAccessibleDescription(roleStripText(m_picture.series, removed.value_or(0)));
    update();
}

void RoleStripChart::setAxisEnds(double left, double right)
{
    m_left = left;
    m_right = right;
    update();
}

QSize RoleStripChart::sizeHint() const
{
    return {400, static_cast<int>(std::ceil(roleStripHeight(QFontMetricsF(font(), this))))};
}

bool RoleStripChart::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip && m_right > m_left) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const double removed = (help->pos().x() - m_left) / (m_right - m_left) * m_picture.series.candidates;
        const QString text = roleStripText(m_picture.series, removed);
        if (!text.isEmpty())
            QToolTip::showText(help->globalPos(), plainTip(text), this);
        return true;
    }
    return QWidget::event(event);
}

void RoleStripChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    RoleStripPicture shown = m_picture;
    shown.palette = ViewPalette::matching(palette());
    paintRoleStrip(painter, rect(), m_left, m_right, shown);
    if (!shown.series.empty())
        return;
    painter.setPen(shown.palette.muted);
    painter.drawText(rect(), Qt::AlignCenter, tr("Roles of the remaining heads: not known yet"));
}

} // namespace headscope
