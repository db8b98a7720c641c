#include "ui/delegates/headgridpainter.h"

#include "ui/delegates/cellmarks.h"
#include "ui/delegates/gridlegend.h"
#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"
#include "ui/models/roletext.h"

#include <QPainter>
#include <QPainterPath>
#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace headscope {

namespace {
constexpr double kSmallestText = 9; ///< pixels; below that nobody reads it

/// How much of its colour is left to a value that may be chance.
constexpr double kFaded = 0.25;

QColor mixed(const QColor &ground, const QColor &color, double share)
{
    const auto between = [share](double a, double b) { return static_cast<float>(a + share * (b - a)); };
    return QColor::fromRgbF(between(ground.redF(), color.redF()), between(ground.greenF(), color.greenF()),
                            between(ground.blueF(), color.blueF()));
}

QColor faint(const QColor &color, double alpha)
{
    QColor result = color;
    result.setAlphaF(static_cast<float>(alpha));
    return result;
}

class GridPainter
{
public:
    GridPainter(QPainter &painter, const GridPicture &picture, const HeadGridGeometry &geometry)
        : m_painter(painter), m_picture(picture), m_geometry(geometry), m_font(painter.font()),
          m_metrics(m_font, painter.device())
    {
        m_small = m_font;
        // As large as it can be; values that do not fit at the smallest size are left out.
        const double most = std::max(kSmallestText, m_metrics.height() * 0.9);
        for (double pixels = std::floor(std::clamp(geometry.cell() * 0.3, kSmallestText, most));; --pixels) {
            m_small.setPixelSize(static_cast<int>(pixels));
            m_showValues = geometry.labels() == GridLabels::Shown && valuesFit();
            if (m_showValues || pixels <= kSmallestText)
                break;
        }
    }

    void paint(const QRectF &dirty)
    {
        m_painter.save();
        m_painter.setRenderHint(QPainter::Antialiasing, true);
        const auto forCells = [&](void (GridPainter::*paintPart)(const HeadCell &, const QRectF &)) {
            for (const HeadCell &cell : m_picture.content.cells) {
                const QRectF rect = m_geometry.cellRect(cell.head);
                if (rect.intersects(dirty))
                    (this->*paintPart)(cell, inner(rect));
            }
        };
        forCells(&GridPainter::paintGround);
        paintLinks(); // what is to be read lies over them
        for (const auto &block : m_geometry.blocks()) {
            if (m_geometry.labels() == GridLabels::Shown)
                paintBlockLabels(block);
        }
        forCells(&GridPainter::paintMarks);
        // Borders after all cells: they lie over the neighbours.
        for (const HeadRef &head : m_picture.selection)
            paintBorder(head, m_picture.palette.accent, 2);
        if (m_picture.hovered)
            paintBorder(*m_picture.hovered, m_picture.palette.ink, 1);
        if (m_picture.current)
            paintCurrent(*m_picture.current);
        m_painter.setFont(m_font);
        paintGridLegend(m_painter, m_geometry.footer(), {&m_picture}, GridLegendForm::Stacked);
        m_painter.restore();
    }

private:
    bool valuesFit() const
    {
        const QFontMetricsF metrics(m_small, m_painter.device());
        double width = 0;
        for (const double value : m_picture.content.values())
            width = std::max(width, metrics.horizontalAdvance(valueText(value)));
        return width + 6 < m_geometry.cellSize().width() && metrics.height() + 6 < m_geometry.cell();
    }

    /// All titles long or all short.
    bool titlesFit(const QFontMetricsF &metrics) const
    {
        return std::all_of(m_geometry.blocks().begin(), m_geometry.blocks().end(), [&](const auto &block) {
            return metrics.horizontalAdvance(headKindTitle(block.kind)) <= block.title.width();
        });
    }

    void paintBlockLabels(const HeadGridGeometry::Block &block)
    {
        QFont bold = m_font;
        bold.setBold(true);
        paintLabel(block.title, Qt::AlignLeft,
                   titlesFit(QFontMetricsF(bold, m_painter.device())) ? headKindTitle(block.kind)
                                                                      : headKindShortTitle(block.kind),
                   bold, m_picture.palette.ink);
        const QColor muted = m_picture.palette.muted;
        const double line = m_metrics.height();
        const int every = m_metrics.horizontalAdvance(QStringLiteral("00")) + 2 > m_geometry.cellSize().width() ? 5 : 1;
        const bool numbered = !m_geometry.order().sorting().headsByRank; // else cells say which head they are
        for (int column = 0; numbered && column < block.columns; column += every) {
            const QRectF top = m_geometry.slot(block, block.rows - 1, column);
            paintLabel(QRectF(top.center().x() - 30, top.top() - line - 3, 60, line), Qt::AlignHCenter,
                       QString::number(column), m_font, muted);
        }
        const int everyLayer = line > m_geometry.cell() ? 5 : 1;
        for (int row = 0; row < block.rows; row += everyLayer) {
            const QRectF left = m_geometry.slot(block, row, 0);
            paintLabel(QRectF(left.left() - 46, left.center().y() - line / 2, 40, line), Qt::AlignRight,
                       QString::number(m_geometry.order().layerAt(block.kind, row)), m_font, muted);
        }
    }

    /// Lines may run behind it.
    void paintLabel(const QRectF &rect, Qt::AlignmentFlag across, const QString &text, const QFont &font,
                    const QColor &ink)
    {
        paintText(rect, across, text, font, ink, m_picture.content.links.empty() ? QColor() : m_picture.palette.paper);
    }

    /// One line in the middle of a rectangle's height. `halo`: of its edge, where something lies behind it.
    void paintText(const QRectF &rect, Qt::AlignmentFlag across, const QString &text, const QFont &font,
                   const QColor &ink, const QColor &halo)
    {
        if (halo.isValid()) {
            const QFontMetricsF metrics(font, m_painter.device());
            const double spare = rect.width() - metrics.horizontalAdvance(text);
            const double left = across == Qt::AlignLeft ? 0 : across == Qt::AlignRight ? spare : spare / 2;
            return paintWithHalo({rect.left() + left, rect.center().y() + (metrics.ascent() - metrics.descent()) / 2},
                                 text, font, ink, halo);
        }
        m_painter.setFont(font);
        m_painter.setPen(ink);
        m_painter.drawText(rect, across | Qt::AlignVCenter, text);
        m_painter.setFont(m_font);
    }

    QRectF inner(const QRectF &slot) const
    {
        const double gap = m_geometry.cell() >= 14 ? 1 : 0.5;
        return slot.adjusted(gap, gap, -gap, -gap);
    }

    bool isMasked(const HeadCell &cell) const
    {
        return std::ranges::all_of(GridContent::headsOf(cell),
                                   [&](const HeadRef &head) { return m_picture.mask.isMasked(head); });
    }

    QColor backgroundOf(const HeadCell &cell) const
    {
        if (!cell.value)
            return m_picture.palette.missing;
        const QColor color = m_picture.scale.color(*cell.value, m_picture.palette.appearance);
        return m_picture.content.isUncertain(cell) // what may be chance is not the loudest
                 ? mixed(m_picture.scale.color(0, m_picture.palette.appearance), color, kFaded)
                 : color;
    }

    void paintGround(const HeadCell &cell, const QRectF &rect)
    {
        const QColor background = backgroundOf(cell);
        if (cell.value) {
            m_painter.fillRect(rect, background);
            // White cells need an edge to be seen as cells.
            m_painter.setPen(QPen(m_picture.palette.gridLine, 1));
            m_painter.setBrush(Qt::NoBrush);
            m_painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
        } else {
            paintMissing(m_painter, rect, m_picture.palette);
        }
        const QColor ink = readableOn(background);
        if (m_picture.content.isUncertain(cell))
            paintHatch(m_painter, rect, faint(ink, m_showValues ? 0.24 : 0.32));
        if (isMasked(cell))
            paintCross(m_painter, rect, faint(ink, m_showValues ? 0.7 : 0.9));
    }

    /// What is to be read in a cell.
    void paintMarks(const HeadCell &cell, const QRectF &rect)
    {
        const QColor background = backgroundOf(cell);
        const QColor ink = readableOn(background);
        const double below = paintNumber(cell, rect, ink);
        const bool dimmed = m_picture.content.isDimmed(cell);
        const bool tagged = m_picture.content.showsRoles && !cell.roles.empty() && !dimmed;
        if (m_showValues && cell.value) {
            // The letter has its corner: the number moves down where they would meet.
            const double number = QFontMetricsF(m_small, m_painter.device()).height();
            const double down = tagged ? std::max(0.0, 2 * letterPixels(rect) - rect.height() + number) : 0;
            const bool crossed
                = isMasked(cell) || m_picture.content.isUncertain(cell) || !m_picture.content.links.empty();
            paintText(rect.adjusted(0, down, 0, -below), Qt::AlignHCenter, valueText(*cell.value), m_small, ink,
                      crossed ? background : QColor());
        }
        if (dimmed)
            m_painter.fillRect(rect, faint(m_picture.palette.paper, 0.78));
        if (tagged)
            paintRole(cell, rect, ink, background);
        if (m_picture.pins.contains(cell.head))
            paintPin(m_painter, rect, m_picture.palette);
    }

    /// The head's number in the lower left corner, where its column does not say it. Returns the height that it takes.
    double paintNumber(const HeadCell &cell, const QRectF &rect, const QColor &ink)
    {
        constexpr double kLeast = 15; ///< of cells with room for a number
        if (!m_geometry.order().sorting().headsByRank || m_geometry.labels() == GridLabels::None
            || rect.width() < kLeast)
            return 0;
        QFont font = m_font;
        font.setPixelSize(static_cast<int>(std::clamp(rect.height() * 0.28, kSmallestText, 11.0)));
        m_painter.setFont(font);
        m_painter.setPen(faint(ink, 0.8));
        const double high = QFontMetricsF(font, m_painter.device()).height() - 2;
        m_painter.drawText(
            QRectF(rect.left() + 2, rect.bottom() - high, rect.width() - 2, high), Qt::AlignLeft | Qt::AlignVCenter,
            cell.others.empty() ? QString::number(cell.head.head)
                                : QStringLiteral("%1–%2").arg(cell.head.head).arg(cell.others.back().head));
        m_painter.setFont(m_font);
        return high * 0.7;
    }

    /// Of a role's letter in a cell.
    static double letterPixels(const QRectF &cell) { return std::clamp(cell.height() * 0.3, kSmallestText, 15.0); }

    /// Its letter in the upper left corner, in the ink of the cell: hues are those of the values. Where a letter has no
    /// room, the corner is marked.
    void paintRole(const HeadCell &cell, const QRectF &rect, const QColor &ink, const QColor &background)
    {
        const double pixels = letterPixels(rect);
        if (rect.height() < pixels) {
            const double side = rect.width() * 0.5;
            m_painter.setPen(Qt::NoPen);
            m_painter.setBrush(ink);
            m_painter.drawConvexPolygon(
                QPolygonF({rect.topLeft(), rect.topLeft() + QPointF(side, 0), rect.topLeft() + QPointF(0, side)}));
            m_painter.setBrush(Qt::NoBrush);
            return;
        }
        QFont font = m_font;
        font.setBold(true);
        font.setPixelSize(static_cast<int>(pixels));
        const QFontMetricsF metrics(font, m_painter.device());
        const QString letters = roleMark(cell.roles);
        // Letters that stand for uncertain roles have a mark, which goes first where there is no room.
        const QString shown = metrics.horizontalAdvance(letters) > rect.width() - 2 ? letters.left(1) : letters;
        const bool small = rect.height() < pixels + 4;
        const QPointF at(small ? rect.center().x() - metrics.horizontalAdvance(shown) / 2 : rect.left() + 2,
                         small ? rect.center().y() + metrics.capHeight() / 2 : rect.top() + 2 + metrics.capHeight());
        paintWithHalo(at, shown, font, ink, background);
    }

    /// Text whose edge is of the cell's colour, so that it can be read over a cross or hatching.
    void paintWithHalo(const QPointF &baseline, const QString &text, const QFont &font, const QColor &ink,
                       const QColor &halo)
    {
        QPainterPath outline;
        outline.addText(baseline, font, text);
        m_painter.strokePath(outline, QPen(halo, 3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        m_painter.setFont(font);
        m_painter.setPen(ink);
        m_painter.drawText(baseline, text);
        m_painter.setFont(m_font);
    }

    QString valueText(double value) const
    {
        ValueFormat format = m_picture.content.format;
        format.decimals = std::min(format.decimals, 2);
        return m_picture.content.diverging ? format.difference(value) : format.number(value);
    }

    /// Arcs, so that those along one row are told apart. Once heads are selected, the lines of others are faint.
    void paintLinks()
    {
        constexpr double kThinnest = 1, kThickest = 4, kBend = 0.16, kDash = 3, kLeastWithLetters = 16;
        const auto isChosen = [&](const HeadLink &link) {
            return m_picture.selection.contains(link.head) || m_picture.selection.contains(link.other);
        };
        const bool anyChosen = std::ranges::any_of(m_picture.content.links, isChosen);
        m_painter.setBrush(Qt::NoBrush);
        for (const HeadLink &link : m_picture.content.links) {
            // Below the numbers.
            const QPointF below(0, m_showValues ? 0.3 * m_geometry.cell() : 0);
            const QPointF from = m_geometry.cellRect(link.head).center() + below;
            const QPointF to = m_geometry.cellRect(link.other).center() + below;
            const QPointF across(from.y() - to.y(), to.x() - from.x());
            QPainterPath arc(from);
            arc.quadTo((from + to) / 2 + kBend * across, to);
            const double alpha = anyChosen && !isChosen(link) ? 0.2 : 1;
            const double width = kThinnest + link.strength * (kThickest - kThinnest);
            m_painter.strokePath(arc, QPen(faint(m_picture.palette.paper, 0.8 * alpha), width + 2));
            const QColor color = faint(colorOf(link), alpha);
            QPen pen(color, width, Qt::SolidLine, Qt::RoundCap);
            if (link.apart) {
                pen.setCapStyle(Qt::FlatCap);
                pen.setDashPattern({kDash, kDash * 0.8});
            }
            m_painter.strokePath(arc, pen);
            if (link.isArrow)
                paintArrowHead(arc, color, width);
            if (!link.letter.isNull() && m_geometry.cell() >= kLeastWithLetters)
                paintLetterOf(link, arc, color);
        }
    }

    static constexpr QStringView kInputs = u"QKV"; ///< letters of arrows, in the order of their colours

    QColor colorOf(const HeadLink &link) const
    {
        const auto input = link.letter.isNull() ? -1 : kInputs.indexOf(link.letter);
        return input < 0 ? m_picture.palette.ink : m_picture.palette.series(static_cast<std::size_t>(input));
    }

    /// Before the middle of the cell where the arc ends, so that several that end there are told apart.
    void paintArrowHead(const QPainterPath &arc, const QColor &color, double width)
    {
        const double size = std::clamp(0.22 * m_geometry.cell(), 4.0, 9.0) + width;
        const double tip = arc.percentAtLength(std::max(0.0, arc.length() - 0.1 * m_geometry.cell()));
        const double tail = arc.percentAtLength(std::max(0.0, arc.length() - 0.1 * m_geometry.cell() - size));
        const QPointF end = arc.pointAtPercent(tip);
        const QPointF begin = arc.pointAtPercent(tail);
        const QPointF across = 0.45 * QPointF(begin.y() - end.y(), end.x() - begin.x());
        m_painter.setPen(QPen(m_picture.palette.paper, 1));
        m_painter.setBrush(color);
        m_painter.drawPolygon(QPolygonF{end, begin + across, begin - across});
        m_painter.setBrush(Qt::NoBrush);
    }

    void paintLetterOf(const HeadLink &link, const QPainterPath &arc, const QColor &color)
    {
        QFont font = m_font;
        font.setBold(true);
        font.setPixelSize(static_cast<int>(std::clamp(0.26 * m_geometry.cell(), 9.0, 13.0)));
        const QFontMetricsF metrics(font, m_painter.device());
        constexpr double kOnArc = 0.55; // where other arcs from the same head have parted
        const QPointF middle = arc.pointAtPercent(kOnArc);
        const QPointF baseline(middle.x() - metrics.horizontalAdvance(link.letter) / 2,
                               middle.y() + metrics.capHeight() / 2);
        paintWithHalo(baseline, link.letter, font, color, m_picture.palette.paper);
    }

    void paintBorder(const HeadRef &head, const QColor &color, double width)
    {
        const QRectF rect = m_geometry.cellRect(head);
        if (rect.isNull())
            return;
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(color, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        m_painter.drawRect(rect.adjusted(width / 2, width / 2, -width / 2, -width / 2));
    }

    void paintCurrent(const HeadRef &head)
    {
        const QRectF rect = m_geometry.cellRect(head);
        if (rect.isNull())
            return;
        const double width = m_geometry.cell() >= 14 ? 3 : 2;
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(m_picture.palette.accent, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        m_painter.drawRect(rect);
        // A line of the background inside: seen on cells of the same colour as the border.
        const double inside = width / 2 + 0.5;
        m_painter.setPen(QPen(m_picture.palette.paper, 1));
        m_painter.drawRect(rect.adjusted(inside, inside, -inside, -inside));
        if (!m_picture.focused)
            return;
        m_painter.setPen(QPen(m_picture.palette.ink, 1, Qt::DotLine));
        m_painter.drawRect(rect.adjusted(-3, -3, 3, 3));
    }

    QPainter &m_painter;
    const GridPicture &m_picture;
    const HeadGridGeometry &m_geometry;
    QFont m_font;
    QFont m_small;
    QFontMetricsF m_metrics;
    bool m_showValues = false;
};
} // namespace

std::vector<double> scaleValues(const GridContent &content)
{
    const bool tested
        = std::ranges::any_of(content.cells, [](const HeadCell &cell) { return cell.significant.has_value(); });
    if (!content.diverging || !tested)
        return content.values();
    std::vector<double> values;
    for (const HeadCell &cell : content.cells) {
        if (cell.value && !content.isUncertain(cell))
            values.push_back(*cell.value);
    }
    const bool nothing = values.empty();
    for (const HeadCell &cell : content.cells) {
        if (nothing && cell.value && cell.interval)
            values.insert(values.end(), {cell.interval->low, cell.interval->high});
    }
    return values.empty() ? content.values() : values;
}

ColorScale scaleFor(const GridContent &content)
{
    return scaleFor(scaleValues(content), content);
}

ColorScale scaleFor(const std::vector<double> &values, const GridContent &content)
{
    // One unit of the measure if no value differs from zero.
    const bool flat = std::all_of(values.begin(), values.end(), [](double value) { return value == 0; });
    if (content.diverging && flat)
        return ColorScale::diverging(1 / content.format.factor);
    return ColorScale::fitting(content.diverging ? ScaleKind::Diverging : ScaleKind::Sequential, values)
        .colored(content.better);
}

QString gridCaption(const GridContent &content)
{
    QString text = content.measure;
    if (!content.dataName.isEmpty())
        text += QStringLiteral(", ") + content.dataName;
    if (content.examples > 0)
        text += QStringLiteral(", ") + content.examplesText();
    if (!content.sum.isEmpty())
        text += QStringLiteral(". ") + content.sum;
    return text;
}

double gridFooterHeight(const QFontMetricsF &metrics)
{
    return gridLegendHeight(metrics, GridLegendForm::Stacked);
}

void paintHeadGrid(QPainter &painter, const GridPicture &picture, const HeadGridGeometry &geometry, const QRectF &dirty)
{
    GridPainter(painter, picture, geometry).paint(dirty);
}

void paintHeadGrid(QPainter &painter, const QRectF &rect, const GridPicture &picture)
{
    painter.save();
    const QFontMetricsF metrics(painter.font(), painter.device());
    const HeadGridGeometry geometry(picture.content, rect.size(), metrics, gridFooterHeight(metrics), GridLabels::Shown,
                                    picture.order);
    painter.translate(rect.topLeft());
    painter.fillRect(QRectF(QPointF(), rect.size()), picture.palette.paper);
    paintHeadGrid(painter, picture, geometry, QRectF(QPointF(), geometry.size()));
    painter.restore();
}

} // namespace headscope
