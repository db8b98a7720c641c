#include "ui/pages/map/layerchart.h"

#include "ui/models/numbertext.h"

#include <QPainter>
#include <QStringList>

namespace headscope {

LayerChart::LayerChart(const QString &accessibleName, QWidget *parent) : QWidget(parent)
{
    setMinimumHeight(130);
    setAccessibleName(accessibleName);
}

void LayerChart::setSeries(LineSeries series)
{
    m_series = std::move(series);
    describe();
}

void LayerChart::setEmptyText(const QString &text)
{
    m_emptyText = text;
    describe();
}

void LayerChart::describe()
{
    QStringList parts;
    for (const LineSeries::Line &line : m_series.lines) {
        const auto &first = line.points.front();
        const auto &last = line.points.back();
        parts << tr("%1: %2 in layer %3, %4 in layer %5")
                     .arg(line.name, numberText(first.y, 3), numberText(first.x, 0), numberText(last.y, 3),
                          numberText(last.x, 0));
    }
    setAccessibleDescription(m_series.empty() ? m_emptyText : parts.join(QStringLiteral("; ")));
    update();
}

void LayerChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const ViewPalette colors = ViewPalette::matching(palette());
    (void)paintLines(painter, rect(), {.series = m_series, .palette = colors});
    if (m_series.empty()) {
        painter.setPen(colors.ink);
        painter.drawText(rect().adjusted(12, 8, -12, -8), Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
    }
}

} // namespace headscope
