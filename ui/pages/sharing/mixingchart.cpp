#include "ui/pages/sharing/mixingchart.h"

#include "ui/exporting/csvtext.h"
#include "ui/heatmap/heatmapimage.h"
#include "ui/models/kindtext.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace headscope {
namespace {

/// |mixing|, every row by its largest [heads, width], columns sorted by the head that uses them most.
std::vector<double> shownMixing(const SharedLayer &layer)
{
    const std::size_t heads = layer.heads.size();
    const std::size_t width = layer.mixing.size() / heads;
    std::vector<double> shares(layer.mixing.size());
    for (std::size_t head = 0; head < heads; ++head) {
        double largest = 0;
        for (std::size_t column = 0; column < width; ++column)
            largest = std::max(largest, std::abs(layer.mixing[head * width + column]));
        for (std::size_t column = 0; column < width && largest > 0; ++column)
            shares[head * width + column] = std::abs(layer.mixing[head * width + column]) / largest;
    }
    const auto userOf = [&](std::size_t column) {
        std::size_t most = 0;
        for (std::size_t head = 1; head < heads; ++head) {
            if (shares[head * width + column] > shares[most * width + column])
                most = head;
        }
        return std::pair(most, -shares[most * width + column]);
    };
    std::vector<std::size_t> order(width);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, userOf);
    std::vector<double> shown(shares.size());
    for (std::size_t head = 0; head < heads; ++head) {
        for (std::size_t column = 0; column < width; ++column)
            shown[head * width + column] = shares[head * width + order[column]];
    }
    return shown;
}

} // namespace

void paintMixing(QPainter &painter, const QRectF &rect, const SharedLayer &layer, const ViewPalette &palette)
{
    painter.save();
    painter.fillRect(rect, palette.paper);
    const QFontMetricsF metrics(painter.font(), painter.device());
    const double line = std::ceil(metrics.height());
    const double left = metrics.horizontalAdvance(QStringLiteral("000")) + 8;
    const QRectF cells = rect.adjusted(left, line + 6, -8, -line - 6);
    const auto heads = static_cast<int>(layer.heads.size());
    const int width = static_cast<int>(layer.mixing.size()) / std::max(1, heads);
    painter.setPen(palette.ink);
    painter.drawText(QRectF(cells.left(), rect.top(), cells.width(), line), Qt::AlignLeft | Qt::AlignVCenter,
                     MixingChart::tr("Use of shared columns by heads: %1, layer %2")
                         .arg(headKindLongName(layer.kind))
                         .arg(layer.layer));
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.drawImage(cells,
                      heatMapImage(shownMixing(layer), heads, width, ColorScale::sequential(0, 1), palette.appearance));
    const double high = cells.height() / heads;
    painter.setPen(palette.muted);
    const int every = std::max(1, static_cast<int>(std::ceil(line / high)));
    for (int head = 0; head < heads; head += every)
        painter.drawText(QRectF(rect.left(), cells.top() + head * high + (high - line) / 2, left - 6, line),
                         Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(layer.heads[static_cast<std::size_t>(head)].head));
    painter.drawText(
        QRectF(cells.left(), cells.bottom() + 4, cells.width(), line), Qt::AlignLeft | Qt::AlignVCenter,
        MixingChart::tr("%n column(s), ordered by the head that uses them most; dark: used most", nullptr, width));
    painter.restore();
}

std::string mixingCsv(const SharedLayer &layer)
{
    CsvText csv("kind,layer,head,column,weight");
    const std::size_t width = layer.mixing.size() / std::max<std::size_t>(layer.heads.size(), 1);
    for (std::size_t i = 0; i < width * layer.heads.size(); ++i) {
        csv << headKindName(layer.kind) << layer.layer << toText(layer.heads[i / width])
            << static_cast<std::int64_t>(i % width) << layer.mixing[i];
        csv.endLine();
    }
    return csv.text();
}

MixingChart::MixingChart(QWidget *parent) : QWidget(parent)
{
    setMinimumHeight(120);
    setAccessibleName(tr("Mixing matrix"));
}

void MixingChart::setLayer(std::optional<SharedLayer> layer, const QString &why)
{
    m_layer = layer && !layer->mixing.empty() && !layer->heads.empty() ? std::move(layer) : std::nullopt;
    m_why = why;
    setAccessibleDescription(m_layer ? tr("%1, layer %2").arg(headKindLongName(m_layer->kind)).arg(m_layer->layer)
                                     : why);
    update();
}

void MixingChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const ViewPalette &colors = ViewPalette::matching(palette());
    if (m_layer)
        return paintMixing(painter, rect(), *m_layer, colors);
    painter.fillRect(rect(), colors.paper);
    painter.setPen(colors.muted); // as charts of lines say that they are empty
    painter.drawText(rect().adjusted(12, 8, -12, -8), Qt::AlignCenter | Qt::TextWordWrap, m_why);
}

} // namespace headscope
