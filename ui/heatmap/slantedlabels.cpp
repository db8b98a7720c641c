#include "ui/heatmap/slantedlabels.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QTransform>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace headscope {

namespace {
constexpr double kSlant = -60; ///< degrees
} // namespace

void useLabelStyle(QPainter &painter, const ViewPalette &palette, const AxisLabel &label, bool strong)
{
    QFont font = painter.font();
    if (font.italic() != label.special || font.bold() != strong) {
        font.setItalic(label.special);
        font.setBold(strong);
        painter.setFont(font);
    }
    painter.setPen(strong ? palette.accent : label.special ? palette.muted : palette.ink);
}

void paintTag(QPainter &painter, const ViewPalette &palette, const QPointF &at, const AxisLabel &label)
{
    if (label.tag.isEmpty())
        return;
    QFont font = painter.font();
    font.setBold(false);
    font.setItalic(false);
    painter.setFont(font);
    painter.setPen(palette.muted);
    painter.drawText(at, label.tag);
}

void paintSlantedLabel(QPainter &painter, const ViewPalette &palette, const QPointF &foot, const AxisLabel &label,
                       bool strong, double longest)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    painter.save();
    useLabelStyle(painter, palette, label, strong);
    painter.translate(foot);
    painter.rotate(kSlant);
    const QString text = metrics.elidedText(label.text, Qt::ElideMiddle, longest);
    painter.drawText(QPointF(0, metrics.ascent() / 3), text);
    if (metrics.horizontalAdvance(label.text + u' ' + label.tag) <= longest + 1) // the word comes before its tag
        paintTag(painter, palette, {metrics.horizontalAdvance(text + u' '), metrics.ascent() / 3}, label);
    painter.restore();
}

SlantedLabels::SlantedLabels(const std::vector<AxisLabel> &labels, const QFont &font, const ViewPalette &palette,
                             double pixelRatio, double longest)
    : m_labels(labels), m_images(labels.size()), m_font(font), m_palette(palette), m_pixelRatio(pixelRatio),
      m_longest(longest)
{
}

bool SlantedLabels::prepare(int atMost)
{
    const auto count = static_cast<int>(std::ssize(m_images));
    for (const int end = std::min(m_next + atMost, count); m_next < end; ++m_next)
        image(m_next);
    return m_next < count;
}

const SlantedLabels::Image &SlantedLabels::image(int column)
{
    Image &image = m_images[static_cast<std::size_t>(column)];
    if (!image.pixels.isNull())
        return image;
    const AxisLabel &label = m_labels[static_cast<std::size_t>(column)];
    const QFontMetricsF metrics(m_font);
    const double width = metrics.horizontalAdvance(label.text)
                       + (label.tag.isEmpty() ? 0 : metrics.horizontalAdvance(u"  " + label.tag)) + 4;
    const QRectF flat(-2, -metrics.height(), std::min(width, m_longest + metrics.height()) + 4, 2 * metrics.height());
    const QRect box = QTransform().rotate(kSlant).mapRect(flat).toAlignedRect();
    image.corner = box.topLeft();
    image.pixels = QImage((QSizeF(box.size()) * m_pixelRatio).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.pixels.setDevicePixelRatio(m_pixelRatio);
    image.pixels.fill(Qt::transparent);
    QPainter painter(&image.pixels);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.setFont(m_font);
    paintSlantedLabel(painter, m_palette, -image.corner, label, false, m_longest);
    return image;
}

void SlantedLabels::paint(QPainter &painter, const QPointF &foot, int column)
{
    const Image &label = image(column);
    const QPointF corner = foot + label.corner;
    painter.drawImage(QPointF(std::round(corner.x()), std::round(corner.y())),
                      label.pixels); // between pixels it would blur
}

} // namespace headscope
