#include "ui/pages/pruning/rolestrippainter.h"

#include "ui/charts/chartstyle.h"
#include "ui/heatmap/rolestyle.h"
#include "ui/language/corewords.h"
#include "ui/models/numbertext.h"
#include "ui/models/roletext.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace headscope {

namespace {

constexpr double kBarsHeight = 52;

struct RoleStripWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::RoleStrip)
};

void paintKey(QPainter &painter, const QRectF &rect, const RoleStripPicture &picture)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    double x = rect.left();
    const auto words = [&](const QString &text, const QColor &color) {
        const double room = rect.right() - x;
        if (room < 20)
            return;
        painter.setPen(color);
        painter.drawText(QRectF(x, rect.top(), room, rect.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(text, Qt::ElideRight, room));
        x += metrics.horizontalAdvance(text) + 12;
    };
    double names = 0;
    for (const Role role : picture.series.roles)
        names += 30 + metrics.horizontalAdvance(roleTitle(role));
    const QString order = orderName(picture.series.order);
    const QString whole = RoleStripWords::tr("Remaining heads with a role, %1:").arg(order);
    const bool fits = metrics.horizontalAdvance(whole) + 12 + names <= rect.width();
    words(fits ? whole : RoleStripWords::tr("%1:").arg(order), picture.palette.ink);
    for (const Role role : picture.series.roles) {
        if (rect.right() - x < 20)
            return;
        paintRoleTag(painter, QRectF(x, rect.center().y() - 6.5, 13, 13), role, QString(QLatin1Char(roleLetter(role))),
                     picture.palette);
        x += 18;
        words(roleTitle(role), picture.palette.muted);
    }
}

/// From point to point, so that columns do not touch.
double columnWidth(const RoleStripSeries &series, double perHead)
{
    double least = series.candidates;
    for (std::size_t i = 1; i < series.columns.size(); ++i)
        least = std::min(least, series.columns[i].removed - series.columns[i - 1].removed);
    return std::clamp(least * perHead * 0.72, 3.0, 46.0);
}

/// At the left of the columns, which begin at `right`: no head, and as many as any column has.
void paintCounts(QPainter &painter, const QRectF &rect, double right, const RoleStripPicture &picture)
{
    painter.setPen(picture.palette.muted);
    const double line = QFontMetricsF(painter.font(), painter.device()).height();
    const double bottom = rect.bottom() - 3;
    const double wide = right - rect.left() - 8;
    painter.drawText(QRectF(rect.left(), bottom - kBarsHeight - line / 2 + 4, wide, line),
                     Qt::AlignRight | Qt::AlignVCenter, countText(picture.series.most));
    painter.drawText(QRectF(rect.left(), bottom - line + 4, wide, line), Qt::AlignRight | Qt::AlignVCenter,
                     countText(0));
}

/// Its roles above each other, from the lower left corner `at`.
void paintColumn(QPainter &painter, const QPointF &at, double wide, const RoleStripSeries::Column &column,
                 const RoleStripPicture &picture)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    const double unit = kBarsHeight / static_cast<double>(picture.series.most);
    double y = at.y();
    for (std::size_t i = 0; i < picture.series.roles.size(); ++i) {
        if (column.left[i] == 0)
            continue;
        const double high = unit * static_cast<double>(column.left[i]);
        const QRectF part(at.x(), y - high, wide, high);
        const Role role = picture.series.roles[i];
        const QColor color = roleColor(role, picture.palette);
        painter.setPen(QPen(picture.palette.paper, 1));
        painter.setBrush(color);
        painter.drawRect(part);
        const QString letter(QLatin1Char(roleLetter(role)));
        const QString whole = letter + u' ' + countText(column.left[i]);
        const bool roomy = metrics.horizontalAdvance(whole) + 2 < wide;
        if (high >= metrics.ascent() && metrics.horizontalAdvance(letter) < wide) {
            painter.setPen(readableOn(color));
            painter.drawText(part, Qt::AlignCenter, roomy ? whole : letter);
        }
        y -= high;
    }
}

} // namespace

double roleStripHeight(const QFontMetricsF &metrics)
{
    return kBarsHeight + metrics.height() + 8;
}

void paintRoleStrip(QPainter &painter, const QRectF &rect, double left, double right, const RoleStripPicture &picture)
{
    painter.fillRect(rect, picture.palette.paper);
    const RoleStripSeries &series = picture.series;
    if (series.empty() || series.candidates <= 0)
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QFontMetricsF metrics(painter.font(), painter.device());
    const double perHead = (right - left) / series.candidates;
    const double wide = columnWidth(series, perHead);
    paintKey(painter, QRectF(left, rect.top() + 1, rect.right() - left, metrics.height() + 2), picture);
    const double bottom = rect.bottom() - 3;
    paintCounts(painter, rect, left - wide / 2, picture);
    painter.setPen(QPen(picture.palette.line, 1));
    painter.drawLine(QPointF(left, bottom), QPointF(right, bottom));
    QFont small = painter.font();
    small.setPixelSize(std::max(8, static_cast<int>(metrics.height() * 0.62)));
    small.setBold(true);
    painter.setFont(small);
    for (const RoleStripSeries::Column &column : series.columns)
        paintColumn(painter, QPointF(left + column.removed * perHead - wide / 2, bottom), wide, column, picture);
    if (picture.slider) {
        const double x = left + *picture.slider * perHead;
        painter.setPen(QPen(picture.palette.accent, 1.5));
        painter.drawLine(QPointF(x, bottom - kBarsHeight), QPointF(x, bottom));
    }
    painter.restore();
}

QString roleStripText(const RoleStripSeries &series, double removed)
{
    if (series.empty())
        return {};
    const auto nearest = std::ranges::min_element(
        series.columns, {}, [&](const auto &column) { return std::abs(column.removed - removed); });
    QStringList parts;
    for (std::size_t i = 0; i < series.roles.size(); ++i)
        parts << RoleStripWords::tr("%1 %2").arg(fromCore(roleName(series.roles[i])), countText(nearest->left[i]));
    parts << RoleStripWords::tr("no role %1").arg(countText(nearest->withoutRole));
    return RoleStripWords::tr("%1 heads removed; left: %2")
        .arg(countText(static_cast<std::int64_t>(nearest->removed)), parts.join(QStringLiteral(", ")));
}

} // namespace headscope
