#include "ui/pages/roles/rolescatterpainter.h"

#include "ui/charts/chartstyle.h"
#include "ui/heatmap/rolestyle.h"
#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"
#include "ui/models/roletext.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace headscope {

namespace {

constexpr double kLargestRoleMark = 15;
constexpr double kSmallestRoleMark = 5;
constexpr double kLetterMark = 11;      ///< smaller marks have no room for their letter
constexpr double kTriangleWider = 1.45; ///< so that the letter fits
constexpr std::size_t kManyHeads = 400; ///< heads: more marks of that size would cover each other

struct RoleScatterPainterWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::RoleScatter)
};

QColor faint(QColor color, float alpha)
{
    color.setAlphaF(alpha);
    return color;
}

class Painter
{
public:
    Painter(QPainter &painter, const QRectF &rect, const RoleScatterPicture &picture)
        : m_painter(painter), m_rect(rect), m_picture(picture), m_metrics(painter.font(), painter.device())
    {
    }

    std::vector<HeadMark> paint()
    {
        const double top = paintLegend();
        const int columns = std::max(m_picture.series.columns, 1);
        const int rows = static_cast<int>((std::ssize(m_picture.series.panels) + columns - 1) / columns);
        const double wide = m_rect.width() / columns;
        const double high = (m_rect.bottom() - top) / std::max(rows, 1);
        for (std::size_t i = 0; i < m_picture.series.panels.size(); ++i) {
            const auto row = static_cast<int>(i) / columns;
            const auto column = static_cast<int>(i) % columns;
            paintPanel(m_picture.series.panels[i], QRectF(m_rect.left() + column * wide, top + row * high, wide, high),
                       row == 0, row == rows - 1);
        }
        paintNames();
        return m_marks;
    }

private:
    struct LegendEntry
    {
        QString text;
        std::function<void(const QRectF &)> paintSwatch{}; ///< none: words alone
    };

    /// The roles that there are, and what else marks show.
    std::vector<LegendEntry> legendEntries()
    {
        std::vector<LegendEntry> entries;
        const auto &heads = m_picture.series.heads;
        const auto countedText = [](const QString &name, std::int64_t count) {
            return RoleScatterPainterWords::tr("%1 (%2)").arg(name, countText(count));
        };
        for (const Role role : kAllRoles) {
            const auto count = std::ranges::count_if(
                heads, [&](const auto &head) { return !head.roles.empty() && head.roles.front().role == role; });
            if (count > 0)
                entries.push_back({countedText(roleTitle(role), count), [this, role](const QRectF &tag) {
                                       paintRoleTag(m_painter, tag, role, QString(QLatin1Char(roleLetter(role))),
                                                    m_picture.palette);
                                   }});
        }
        const auto without = std::ranges::count_if(heads, [](const auto &head) { return head.roles.empty(); });
        if (!entries.empty() && without > 0)
            entries.push_back({countedText(RoleScatterPainterWords::tr("no role"), without), [this](const QRectF &tag) {
                                   drawMarker(m_painter, tag.center(), 7,
                                              {m_picture.palette.muted, MarkerShape::Circle}, true, m_picture.palette);
                               }});
        if (std::ranges::any_of(heads, [](const auto &head) { return isAmbiguous(head.roles); }))
            entries.push_back({RoleScatterPainterWords::tr("?: other roles too")});
        return entries;
    }

    /// Returns where the panels begin.
    double paintLegend()
    {
        const double line = m_metrics.height() + 3;
        double x = m_rect.left();
        double y = m_rect.top();
        for (const LegendEntry &entry : legendEntries()) {
            const double words = m_metrics.horizontalAdvance(entry.text);
            if (x + (entry.paintSwatch ? 20 : 0) + words > m_rect.right() && x > m_rect.left()) {
                x = m_rect.left();
                y += line;
            }
            if (entry.paintSwatch) {
                entry.paintSwatch(QRectF(x, y + (line - 13) / 2, 13, 13));
                x += 18;
            }
            m_painter.setPen(m_picture.palette.ink);
            m_painter.drawText(QRectF(x, y, 2000, line), Qt::AlignLeft | Qt::AlignVCenter, entry.text);
            x += words + 16;
        }
        return x > m_rect.left() ? y + line : y;
    }

    double markSize(const RoleScatterSeries::Panel &panel, const PlotFrame &frame) const
    {
        if (panel.slot == 0)
            return std::clamp(std::sqrt(frame.plot().width() * frame.plot().height() / 60 / 4), kLetterMark,
                              kLargestRoleMark);
        const double room = frame.plot().width() / (panel.axes.xHigh - panel.axes.xLow) * panel.slot;
        return std::clamp(room * 1.3, kSmallestRoleMark, kLargestRoleMark);
    }

    /// The first row says the kinds of attention, the last one the layers: said once, as the rows share them.
    void paintPanel(const RoleScatterSeries::Panel &panel, const QRectF &rect, bool first, bool last)
    {
        PlotAxes axes = panel.axes;
        const double title = first ? m_metrics.height() + 2 : 0;
        QRectF room = rect;
        if (!last) {
            axes.xTitle.clear();
            for (auto &[value, text] : axes.xTicks)
                text.clear();
            room.setBottom(rect.bottom() + 2 * m_metrics.height() + 8); // the frame leaves it free for them
        }
        const PlotFrame frame(m_painter, room, axes, title);
        m_painter.save();
        m_painter.setClipRect(rect);
        frame.paint(m_painter, m_picture.palette);
        for (const double band : panel.bands) {
            const QRectF shade(frame.at(band, axes.yHigh), frame.at(band + 1, axes.yLow));
            m_painter.fillRect(shade, faint(m_picture.palette.muted, 0.07F));
        }
        if (first)
            paintTitle(panel.kind,
                       QRectF(frame.plot().left(), frame.plot().top() - title - 4, frame.plot().width(), title));
        if (axes.yLow < 0) {
            m_painter.setPen(QPen(m_picture.palette.line, 1));
            m_painter.drawLine(frame.at(axes.xLow, 0), frame.at(axes.xHigh, 0));
        }
        m_painter.restore();
        const double size = markSize(panel, frame);
        // Heads with a role over the others.
        for (const bool labelled : {false, true}) {
            for (const RoleScatterSeries::Point &point : panel.points) {
                if (m_picture.series.heads[point.head].roles.empty() != labelled)
                    paintPoint(panel, point, frame, size);
            }
        }
    }

    void paintTitle(HeadKind kind, const QRectF &rect)
    {
        const QFont plain = m_painter.font();
        QFont bold = plain;
        bold.setBold(true);
        m_painter.setFont(bold);
        m_painter.setPen(m_picture.palette.ink);
        const bool fits
            = QFontMetricsF(bold, m_painter.device()).horizontalAdvance(headKindTitle(kind)) <= rect.width();
        m_painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter,
                           fits ? headKindTitle(kind) : headKindShortTitle(kind));
        m_painter.setFont(plain);
    }

    void paintPoint(const RoleScatterSeries::Panel &panel, const RoleScatterSeries::Point &point,
                    const PlotFrame &frame, double size)
    {
        const RoleScatterSeries::Head &head = m_picture.series.heads[point.head];
        const QPointF centre = frame.at(point.x, point.y);
        m_marks.push_back({head.head, centre});
        const bool labelled = !head.roles.empty();
        const bool dimmed = m_picture.onlyRole && (!labelled || head.roles.front().role != *m_picture.onlyRole);
        m_painter.save();
        if (dimmed)
            m_painter.setOpacity(0.22);
        const QColor color = labelled ? roleColor(head.roles.front().role, m_picture.palette) : m_picture.palette.muted;
        if (point.high > point.low) {
            m_painter.setPen(QPen(color, 1));
            m_painter.drawLine(frame.at(point.x, point.low), frame.at(point.x, point.high));
        }
        OrderStyle style = kindStyle(static_cast<int>(panel.kind), m_picture.palette);
        style.color = color;
        const bool masked = m_picture.masked.contains(head.head);
        const bool many = m_picture.series.heads.size() > kManyHeads;
        double own = labelled ? std::max(size, many ? size : kLetterMark + 1) : std::min(size, 7.0);
        if (labelled && style.shape == MarkerShape::Triangle)
            own *= kTriangleWider;
        drawMarker(m_painter, centre, own, style, masked || !labelled, m_picture.palette);
        if (labelled && own >= kLetterMark)
            paintLetter(centre, style.shape == MarkerShape::Triangle ? own / kTriangleWider * 0.9 : own,
                        roleMark(head.roles), masked ? color : readableOn(color), style.shape);
        m_painter.restore();
        if (const HeadMark mark{head.head, centre}; paintMarkRings(m_painter, mark, own, m_picture))
            m_named.push_back({mark, frame.plot().right() + 12});
    }

    void paintLetter(const QPointF &centre, double size, const QString &mark, const QColor &color, MarkerShape shape)
    {
        const QFont plain = m_painter.font();
        QFont font = plain;
        font.setBold(true);
        font.setPixelSize(static_cast<int>(size * (mark.size() > 1 ? 0.58 : 0.68)));
        m_painter.setFont(font);
        m_painter.setPen(color);
        // The middle of a triangle is below that of the rectangle around it.
        const double down = shape == MarkerShape::Triangle ? size * 0.22 : 0;
        m_painter.drawText(QRectF(centre.x() - size, centre.y() - size + down, 2 * size, 2 * size), Qt::AlignCenter,
                           mark);
        m_painter.setFont(plain);
    }

    void paintNames()
    {
        for (const auto &[mark, right] : m_named)
            paintMarkName(m_painter, mark, right, m_picture.palette);
        paintBrush(m_painter, m_picture);
    }

    QPainter &m_painter;
    QRectF m_rect;
    const RoleScatterPicture &m_picture;
    QFontMetricsF m_metrics;
    std::vector<HeadMark> m_marks;
    std::vector<std::pair<HeadMark, double>> m_named; ///< painted last, over all marks; not beyond the number
};

} // namespace

std::vector<HeadMark> paintRoleScatter(QPainter &painter, const QRectF &rect, const RoleScatterPicture &picture)
{
    painter.fillRect(rect, picture.palette.paper);
    if (picture.series.empty())
        return {};
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    auto marks = Painter(painter, rect, picture).paint();
    painter.restore();
    return marks;
}

} // namespace headscope
