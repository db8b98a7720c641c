#include "ui/heatmap/colorscale.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

constexpr double kBarHeight = 10;
constexpr double kTick = 4;
constexpr double kTickGap = 3;
/// Enough that no step is seen; few enough that an SVG stays small.
constexpr int kSlices = 96;

void paintBar(QPainter &painter, const QRectF &bar, const ColorScale &scale, const ViewPalette &palette)
{
    painter.save();
    painter.setPen(Qt::NoPen);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const double width = bar.width() / kSlices;
    const double range = scale.maximum() - scale.minimum();
    for (int i = 0; i < kSlices; ++i) {
        const double value = scale.minimum() + range * i / (kSlices - 1);
        const double right = std::min(bar.left() + (i + 1) * width + 0.6, bar.right());
        const double left = bar.left() + i * width;
        painter.setBrush(scale.color(value, palette.appearance));
        painter.drawRect(QRectF(left, bar.top(), right - left, bar.height()));
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(palette.line, 1));
    painter.drawRect(bar);
    painter.restore();
}

void paintTicks(QPainter &painter, const QRectF &bar, const ColorScale &scale, const ViewPalette &palette,
                double factor)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    const int room = static_cast<int>(bar.width() / (metrics.horizontalAdvance(u"−0.00"_s) * 1.8)) + 1;
    std::vector<double> ticks = scale.ticks(std::clamp(room, 2, 7));
    if (ticks.size() < 2) // too little room for round steps: the ends are round too
        ticks = {scale.minimum(), scale.kind() == ScaleKind::Diverging ? 0 : scale.minimum(), scale.maximum()};
    const double step = std::abs(ticks.back() - ticks[ticks.size() - 2]);
    const QLocale locale;
    painter.setLayoutDirection(Qt::LeftToRight); // signs stand before their numbers in every language
    for (double tick : ticks) {
        const double x = bar.left() + scale.position(tick) * bar.width();
        painter.setPen(QPen(palette.line, 1));
        painter.drawLine(QPointF(x, bar.bottom()), QPointF(x, bar.bottom() + kTick));
        painter.setPen(palette.muted);
        QString text = locale.toString(tick * factor, 'f', decimalsOf(step * factor));
        if (scale.kind() == ScaleKind::Diverging && tick > 0)
            text.prepend(u'+');
        text.replace(u'-', u'−');
        const QRectF box(x - 60, bar.bottom() + kTick + 1, 120, metrics.height());
        painter.drawText(box, Qt::AlignHCenter | Qt::AlignTop, text);
    }
}

/// Half of what is written below an end of the bar.
double insetOf(const QFontMetricsF &metrics)
{
    return metrics.horizontalAdvance(u"−0.00"_s) / 2;
}

} // namespace

void paintFlatLegend(QPainter &painter, const QRectF &rect, const ColorScale &scale, const QString &label,
                     const ViewPalette &palette)
{
    constexpr double kLeastBar = 60;
    constexpr double kBetween = 6;
    painter.save();
    const QFontMetricsF metrics(painter.font(), painter.device());
    constexpr int kMostDecimals = 3;
    const int decimals = std::min(decimalsOf(scale.maximum() - scale.minimum()), kMostDecimals);
    const QString least = QLocale().toString(scale.minimum(), 'f', decimals);
    const QString most = QLocale().toString(scale.maximum(), 'f', decimals);
    const double ends = metrics.horizontalAdvance(least) + metrics.horizontalAdvance(most) + 3 * kBetween;
    double x = rect.left();
    const auto write = [&](const QString &text, const QColor &ink) {
        painter.setPen(ink);
        const double width = metrics.horizontalAdvance(text) + 1;
        painter.drawText(QRectF(x, rect.top(), width, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter, text);
        x += width + kBetween;
    };
    write(metrics.elidedText(label, Qt::ElideRight, std::max(rect.width() - ends - kLeastBar, 0.0)), palette.ink);
    write(least, palette.muted);
    const double end = rect.right() - metrics.horizontalAdvance(most) - kBetween - 1;
    paintBar(painter, QRectF(x, rect.center().y() - kBarHeight / 2, std::max(end - x, 1.0), kBarHeight), scale,
             palette);
    x = end + kBetween;
    write(most, palette.muted);
    painter.restore();
}

double legendHeight(const QFontMetricsF &metrics)
{
    return 2 * metrics.height() + kBarHeight + kTick + kTickGap + 2;
}

double legendWidth(const QFontMetricsF &metrics, const QString &label)
{
    return insetOf(metrics) + metrics.horizontalAdvance(label) + 2;
}

void paintLegend(QPainter &painter, const QRectF &rect, const ColorScale &scale, const QString &label,
                 const ViewPalette &palette, double factor, bool withMissing)
{
    painter.save();
    const QFontMetricsF metrics(painter.font(), painter.device());
    const QString missing = QCoreApplication::translate("headscope::Legend", "not computed");
    const double side = kBarHeight;
    const double missingWidth = withMissing ? metrics.horizontalAdvance(missing) + side + 24 : 0;
    const double inset = insetOf(metrics);
    painter.setPen(palette.ink);
    painter.drawText(QRectF(rect.left() + inset, rect.top(), rect.width() - inset, metrics.height()),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(label, Qt::ElideRight, rect.width() - inset + 1));
    const QRectF bar(rect.left() + inset, rect.top() + metrics.height() + kTickGap,
                     std::max(rect.width() - 2 * inset - missingWidth, 20.0), kBarHeight);
    paintBar(painter, bar, scale, palette);
    paintTicks(painter, bar, scale, palette, factor);
    if (withMissing) {
        const QRectF swatch(bar.right() + inset + 8, bar.top(), side, side);
        painter.setPen(QPen(palette.line, 1));
        painter.setBrush(palette.missing);
        painter.drawRect(swatch);
        painter.drawLine(swatch.bottomLeft(), swatch.topRight());
        painter.setPen(palette.muted);
        painter.drawText(
            QRectF(swatch.right() + 5, bar.center().y() - metrics.height() / 2, missingWidth, metrics.height()),
            Qt::AlignLeft | Qt::AlignVCenter, missing);
    }
    painter.restore();
}

} // namespace headscope
