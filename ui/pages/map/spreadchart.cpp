#include "ui/pages/map/spreadchart.h"

#include "ui/models/numbertext.h"

#include <QPainter>
#include <QStringList>

namespace headscope {

SpreadChart::SpreadChart(QWidget *parent) : QWidget(parent)
{
    setMinimumHeight(130);
    setAccessibleName(tr("Spread of the heads of a layer, over the layers"));
}

void SpreadChart::setSeries(LineSeries series)
{
    m_series = std::move(series);
    QStringList parts;
    for (const LineSeries::Line &line : m_series.lines) {
        const auto &first = line.points.front();
        const auto &last = line.points.back();
        parts << tr("%1: %2 in layer %3, %4 in layer %5")
                     .arg(line.name, numberText(first.y, 3), numberText(first.x, 0), numberText(last.y, 3),
                          numberText(last.x, 0));
    }
    setAccessibleDescription(parts.join(QStringLiteral("; ")));
    update();
}

void SpreadChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    (void)paintLines(painter, rect(), {.series = m_series, .palette = ViewPalette::matching(palette())});
}

} // namespace headscope
