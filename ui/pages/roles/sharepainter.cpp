#include "ui/pages/roles/sharepainter.h"

#include "ui/charts/plotframe.h"
#include "ui/models/roletext.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope {

namespace {

struct SharePainterWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::Shares)
};

QColor barColor(const ShareSeries::Bar &bar, const SharePicture &picture)
{
    QColor color = bar.strong ? picture.strong : picture.palette.muted;
    color.setAlphaF(bar.strong ? 1.0F : bar.enough ? 0.6F : 0.25F);
    return color;
}

/// Title, and what the marks are. Returns its height.
double paintHead(QPainter &painter, const QRectF &rect, const SharePicture &picture)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    const double line = metrics.height() + 2;
    QFont bold = painter.font();
    const QFont plain = bold;
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(picture.palette.ink);
    const double title
        = std::min(QFontMetricsF(bold, painter.device()).horizontalAdvance(picture.series.title), rect.width());
    painter.drawText(QRectF(rect.left(), rect.top(), title + 2, line), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(bold).elidedText(picture.series.title, Qt::ElideRight, title + 1));
    painter.setFont(plain);
    const double words = metrics.horizontalAdvance(picture.series.expectedName) + 22;
    const bool beside = title + 24 + words < rect.width();
    const double x = beside ? rect.left() + title + 24 : rect.left();
    const double y = beside ? rect.top() : rect.top() + line;
    painter.setPen(QPen(picture.palette.ink, 2));
    painter.drawLine(QPointF(x, y + line / 2), QPointF(x + 12, y + line / 2));
    painter.setPen(picture.palette.muted);
    painter.drawText(QRectF(x + 18, y, words, line), Qt::AlignLeft | Qt::AlignVCenter, picture.series.expectedName);
    return beside ? line : 2 * line;
}

std::vector<QRectF> paintUpright(QPainter &painter, const QRectF &rect, const SharePicture &picture)
{
    const auto &bars = picture.series.bars;
    PlotAxes axes;
    axes.xLow = -0.6;
    axes.xHigh = static_cast<double>(bars.size()) - 0.4;
    for (const double tick : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        if (tick * 2 == std::round(tick * 2) || rect.height() > 160)
            axes.yTicks.emplace_back(tick, shareText(tick));
    }
    axes.yTitle = SharePainterWords::tr("queries");
    const QFontMetricsF metrics(painter.font(), painter.device());
    double widest = 0;
    for (const ShareSeries::Bar &bar : bars)
        widest = std::max(widest, metrics.horizontalAdvance(bar.label) + 4);
    const int every
        = static_cast<int>(std::ceil(widest * static_cast<double>(bars.size()) / std::max(rect.width() - 90, 1.0)));
    for (std::size_t i = 0; i < bars.size(); ++i) {
        // Counted from the middle, so that 0 keeps its label; the last, "far", always has one.
        const auto fromMiddle = static_cast<int>(i) - static_cast<int>(bars.size() / 2) + 1;
        if (every <= 1 || fromMiddle % every == 0)
            axes.xTicks.emplace_back(static_cast<double>(i), bars[i].label);
    }
    // No title below: one line of the frame's margin is not needed.
    const PlotFrame frame(painter, rect.adjusted(0, 0, 12, metrics.height()), axes, 0);
    frame.paint(painter, picture.palette);
    std::vector<QRectF> places;
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const auto x = static_cast<double>(i);
        const QRectF bar(frame.at(x - 0.38, bars[i].share), frame.at(x + 0.38, 0));
        painter.fillRect(bar, barColor(bars[i], picture));
        if (bars[i].expected && bars[i].instances > 0) {
            painter.setPen(QPen(picture.palette.ink, 2));
            painter.drawLine(frame.at(x - 0.44, *bars[i].expected), frame.at(x + 0.44, *bars[i].expected));
        }
        places.emplace_back(frame.at(x - 0.5, 1), frame.at(x + 0.5, 0));
    }
    return places;
}

std::vector<QRectF> paintLying(QPainter &painter, const QRectF &rect, const SharePicture &picture)
{
    const auto &bars = picture.series.bars;
    const QFontMetricsF metrics(painter.font(), painter.device());
    double names = 0;
    for (const ShareSeries::Bar &bar : bars)
        names = std::max(names, metrics.horizontalAdvance(bar.label));
    names = std::min(names + 8, rect.width() * 0.5);
    const double numbers = metrics.horizontalAdvance(QStringLiteral("100 %")) + 8;
    const double left = rect.left() + names;
    const double room = std::max(rect.width() - names - numbers, 10.0);
    const double row = std::min(metrics.height() + 5, rect.height() / static_cast<double>(bars.size()));
    std::vector<QRectF> places;
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const QRectF place(rect.left(), rect.top() + static_cast<double>(i) * row, rect.width(), row);
        places.push_back(place);
        painter.setPen(bars[i].enough ? picture.palette.ink : picture.palette.muted);
        painter.drawText(QRectF(place.left(), place.top(), names - 8, row), Qt::AlignRight | Qt::AlignVCenter,
                         metrics.elidedText(bars[i].label, Qt::ElideRight, names - 8));
        painter.fillRect(QRectF(left, place.top() + 2, room, row - 4), picture.palette.gridLine);
        painter.fillRect(QRectF(left, place.top() + 2, room * bars[i].share, row - 4), barColor(bars[i], picture));
        if (bars[i].expected) {
            const double x = left + room * *bars[i].expected;
            painter.setPen(QPen(picture.palette.ink, 2));
            painter.drawLine(QPointF(x, place.top() + 1), QPointF(x, place.bottom() - 1));
        }
        painter.setPen(bars[i].enough ? picture.palette.ink : picture.palette.muted);
        painter.drawText(QRectF(left + room + 4, place.top(), numbers, row), Qt::AlignLeft | Qt::AlignVCenter,
                         shareText(bars[i].share));
    }
    return places;
}

} // namespace

double sharesHeight(const ShareSeries &series, double lineHeight)
{
    return 2 * (lineHeight + 2) + static_cast<double>(series.bars.size()) * (lineHeight + 5);
}

std::vector<QRectF> paintShares(QPainter &painter, const QRectF &rect, const SharePicture &picture)
{
    painter.fillRect(rect, picture.palette.paper);
    if (picture.series.empty())
        return {};
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const double head = paintHead(painter, rect, picture);
    const QRectF rest = rect.adjusted(0, head, 0, 0);
    auto places = picture.series.upright ? paintUpright(painter, rest, picture) : paintLying(painter, rest, picture);
    painter.restore();
    return places;
}

} // namespace headscope
