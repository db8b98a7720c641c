#include "ui/delegates/gridlegend.h"

#include "ui/delegates/cellmarks.h"
#include "ui/models/numbertext.h"
#include "ui/models/roletext.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace headscope {
namespace {

constexpr double kSwatch = 12;
constexpr double kSwatchGap = 5;
constexpr double kEntryGap = 16;
constexpr double kScaleWidth = 340;
constexpr double kScaleGap = 18;

struct GridPainterWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::HeadGrid)
};

class GridLegendPainter
{
public:
    GridLegendPainter(QPainter &painter, const std::vector<const GridPicture *> &pictures)
        : m_painter(painter), m_pictures(pictures), m_palette(pictures.front()->palette),
          m_metrics(painter.font(), painter.device())
    {
    }

    void paint(const QRectF &rect, GridLegendForm form)
    {
        const double height = legendHeight(m_metrics);
        const GridContent &content = m_pictures.front()->content;
        const bool alone = form == GridLegendForm::Stacked && !(content.showsRoles && content.hasRoles());
        const double right = paintScales(QRectF(rect.left(), rect.top(), rect.width(), height), alone);
        flowIn(
            QRectF(right, rect.top(), rect.right() - right, form == GridLegendForm::Stacked ? height : rect.height()));
        if (form == GridLegendForm::Beside)
            paintKey();
        paintRoleKey();
        if (form == GridLegendForm::Beside)
            return;
        flowIn(QRectF(rect.left() + 8, rect.top() + height + 4, rect.width() - 8, m_metrics.height()));
        paintKey();
    }

private:
    template<typename Predicate>
    bool anyCell(Predicate holds) const
    {
        return std::ranges::any_of(m_pictures, [&](const GridPicture *picture) {
            return std::ranges::any_of(picture->content.cells,
                                       [&](const HeadCell &cell) { return holds(*picture, cell); });
        });
    }

    /// Returns where the room beside them begins.
    double paintScales(const QRectF &rect, bool aloneInRow)
    {
        std::vector<const GridPicture *> shown;
        for (const GridPicture *picture : m_pictures) {
            const bool known
                = std::ranges::any_of(shown, [&](const GridPicture *other) { return other->scale == picture->scale; });
            if (picture->content.valueCount() > 0 && !known)
                shown.push_back(picture);
        }
        double left = rect.left();
        constexpr double kShare = 0.58; // of the width, for all of them
        for (const GridPicture *picture : shown) {
            const QString label = scaleLabel(picture->content);
            double width = std::min(rect.width() * kShare / static_cast<double>(shown.size()), kScaleWidth);
            if (aloneInRow && shown.size() == 1) // as wide as its title, if that is possible
                width = std::clamp(legendWidth(m_metrics, label), width, std::max(width, rect.width()));
            paintLegend(m_painter, QRectF(left, rect.top(), width, rect.height()), picture->scale, label, m_palette,
                        picture->content.format.factor);
            left += width + kScaleGap;
        }
        return shown.empty() ? rect.left() + 8 : left;
    }

    static QString scaleLabel(const GridContent &content)
    {
        const QString unit = unitText(content.format.unit, content.better);
        return unit.isEmpty() ? content.symbol : QString(content.symbol + QStringLiteral(" (") + unit + u')');
    }

    void flowIn(const QRectF &room)
    {
        m_room = room;
        m_x = room.left();
        m_y = room.top();
    }

    /// Whether there is room for an entry of that width, at m_x and m_y.
    bool place(double width)
    {
        if (m_x + width > m_room.right() && m_x > m_room.left()) {
            m_x = m_room.left();
            m_y += m_metrics.height() + 2;
        }
        return m_y + m_metrics.height() <= m_room.bottom() + 1 && m_x + width <= m_room.right() + 1;
    }

    void paintText(const QString &text, double left, double width)
    {
        m_painter.setPen(m_palette.muted);
        m_painter.drawText(QRectF(left, m_y, width + 2, m_metrics.height()), Qt::AlignVCenter, text);
    }

    void word(const QString &text)
    {
        const double width = m_metrics.horizontalAdvance(text);
        if (!place(width))
            return;
        paintText(text, m_x, width);
        m_x += width + kEntryGap;
    }

    template<typename Swatch>
    void entry(const QString &text, Swatch paintSwatch)
    {
        const double width = m_metrics.horizontalAdvance(text);
        if (!place(kSwatch + kSwatchGap + width))
            return;
        const QRectF swatch(m_x, m_y + (m_metrics.height() - kSwatch) / 2, kSwatch, kSwatch);
        paintSwatch(swatch);
        paintText(text, swatch.right() + kSwatchGap, width);
        m_x += kSwatch + kSwatchGap + width + kEntryGap;
    }

    /// `shortText`: where `text` has no room.
    template<typename Mark>
    void symbol(const QString &text, Mark paintMark, const QString &shortText = {})
    {
        const bool fits = kSwatch + kSwatchGap + m_metrics.horizontalAdvance(text) <= m_room.width();
        entry(fits || shortText.isEmpty() ? text : shortText, [&](const QRectF &swatch) {
            m_painter.fillRect(swatch, m_palette.paper);
            paintMark(swatch);
            m_painter.setBrush(Qt::NoBrush);
            m_painter.setPen(QPen(m_palette.line, 1));
            m_painter.drawRect(swatch);
        });
    }

    /// As in the cells.
    void paintLetter(const QRectF &swatch, const QString &letter)
    {
        const QFont plain = m_painter.font();
        QFont bold = plain;
        bold.setBold(true);
        m_painter.setFont(bold);
        m_painter.setPen(m_palette.ink);
        m_painter.drawText(swatch.adjusted(-4, -4, 4, 4), Qt::AlignCenter, letter);
        m_painter.setFont(plain);
    }

    /// Letters of the roles that occur.
    void paintRoleKey()
    {
        if (!m_pictures.front()->content.showsRoles)
            return;
        const GridContent &content = m_pictures.front()->content;
        const bool one = m_pictures.size() == 1;
        if (one && content.hasRoles() && !content.rolesFrom.isEmpty())
            word(GridPainterWords::tr("roles %1:").arg(content.rolesFrom));
        bool ambiguous = false;
        for (const Role role : kAllRoles) {
            const auto has
                = [role](const HeadCell &cell) { return !cell.roles.empty() && cell.roles.front().role == role; };
            if (!anyCell([&](const GridPicture &, const HeadCell &cell) { return has(cell); }))
                continue;
            ambiguous |= anyCell(
                [&](const GridPicture &, const HeadCell &cell) { return has(cell) && isAmbiguous(cell.roles); });
            const QString text = one ? GridPainterWords::tr("%1 (%2)").arg(
                                     roleTitle(role), countText(std::ranges::count_if(content.cells, has)))
                                     : roleTitle(role);
            entry(text, [&](const QRectF &swatch) { paintLetter(swatch, QString(QLatin1Char(roleLetter(role)))); });
        }
        if (ambiguous)
            word(GridPainterWords::tr("?: others too"));
    }

    QString uncertainText() const
    {
        const bool judged
            = anyCell([](const GridPicture &, const HeadCell &cell) { return cell.significant.has_value(); });
        if (!judged)
            return GridPainterWords::tr("not tested yet");
        const auto tested = std::ranges::find_if(m_pictures, [](const GridPicture *picture) {
            return std::ranges::any_of(picture->content.cells, [](const HeadCell &cell) { return cell.p.has_value(); });
        });
        return tested != m_pictures.end()
                 ? GridPainterWords::tr("not significant (%1)").arg((*tested)->content.significance.textOfOthers())
                 : GridPainterWords::tr("not significant (interval holds 0)");
    }

    /// The symbols that occur, each with its meaning.
    void paintKey()
    {
        m_painter.setLayoutDirection(Qt::LeftToRight); // the grid is not mirrored, nor are the arrows along it
        word(m_pictures.front()->order.axesText());
        if (anyCell([](const GridPicture &picture, const HeadCell &cell) { return picture.content.isUncertain(cell); }))
            symbol(
                uncertainText(), [&](const QRectF &swatch) { paintHatch(m_painter, swatch, m_palette.muted); },
                GridPainterWords::tr("not significant"));
        if (!m_pictures.front()->mask.empty())
            symbol(GridPainterWords::tr("masked"),
                   [&](const QRectF &swatch) { paintCross(m_painter, swatch, m_palette.ink); });
        if (!m_pictures.front()->pins.empty())
            symbol(GridPainterWords::tr("pinned"),
                   [&](const QRectF &swatch) { paintPin(m_painter, swatch, m_palette); });
        paintLinkKey(false, m_pictures.front()->content.linkText.isEmpty()
                                ? GridPainterWords::tr("stand in for each other")
                                : m_pictures.front()->content.linkText);
        paintLinkKey(true, m_pictures.front()->content.apartText.isEmpty() ? GridPainterWords::tr("need each other")
                                                                           : m_pictures.front()->content.apartText);
        if (anyCell([](const GridPicture &, const HeadCell &cell) { return !cell.value; }))
            symbol(GridPainterWords::tr("not computed yet"),
                   [&](const QRectF &swatch) { paintMissing(m_painter, swatch, m_palette); });
    }

    void paintLinkKey(bool apart, const QString &text)
    {
        const auto isOfKind = [apart](const HeadLink &link) { return link.apart == apart; };
        if (!std::ranges::any_of(m_pictures.front()->content.links, isOfKind))
            return;
        entry(text, [&](const QRectF &swatch) {
            m_painter.setPen(QPen(m_palette.ink, 2, apart ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap));
            m_painter.drawLine(QPointF(swatch.left() - 2, swatch.center().y()),
                               QPointF(swatch.right() + 2, swatch.center().y()));
        });
    }

    QPainter &m_painter;
    const std::vector<const GridPicture *> &m_pictures;
    const ViewPalette &m_palette;
    QFontMetricsF m_metrics;
    QRectF m_room;
    double m_x = 0;
    double m_y = 0;
};

} // namespace

double gridLegendHeight(const QFontMetricsF &metrics, GridLegendForm form)
{
    return legendHeight(metrics) + (form == GridLegendForm::Stacked ? 4 + metrics.height() : 0);
}

void paintGridLegend(QPainter &painter, const QRectF &rect, const std::vector<const GridPicture *> &pictures,
                     GridLegendForm form)
{
    if (pictures.empty() || pictures.front()->content.cells.empty() || rect.isEmpty())
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    GridLegendPainter(painter, pictures).paint(rect, form);
    painter.restore();
}

} // namespace headscope
