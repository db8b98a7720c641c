#include "ui/heatmap/heatmappainter.h"

#include "ui/heatmap/heatmapimage.h"
#include "ui/heatmap/slantedlabels.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>
#include <QPainterPath>
#include <QPolygonF>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <vector>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

struct HeatMapWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::HeatMap)
};

QFont boldFont(QFont font)
{
    font.setBold(true);
    return font;
}

/// What the colour of a weight goes by: itself, or its share of the largest one in its row.
class RowShares
{
public:
    explicit RowShares(const HeatMapPicture &picture)
    {
        const std::size_t columns = picture.table.columns.size();
        for (std::size_t row = 0; picture.byRow && row < picture.table.rows.size(); ++row) {
            const auto first = picture.table.weights.begin() + static_cast<std::ptrdiff_t>(row * columns);
            const double most
                = columns > 0 ? *std::max_element(first, first + static_cast<std::ptrdiff_t>(columns)) : 0;
            m_largest.push_back(most > 0 ? most : 1);
        }
    }
    double of(std::size_t row, double weight) const
    {
        return m_largest.empty() ? weight : std::min(weight / m_largest[row], 1.0);
    }

private:
    std::vector<double> m_largest; ///< of each row; empty: weights are as they are
};

/// Paints one heat map; the parts share painter, picture and geometry.
class Painting
{
public:
    Painting(QPainter &painter, const HeatMapPicture &picture, const HeatMapGeometry &geometry,
             std::optional<QPoint> hover, const QImage &cells, SlantedLabels *labels)
        : m_painter(painter), m_picture(picture), m_geometry(geometry), m_hover(hover), m_cells(cells),
          m_labels(labels), m_metrics(painter.font(), painter.device()), m_shares(picture),
          m_numbered(geometry.cellSize().width() >= m_metrics.horizontalAdvance(u"0.00"_s) + 6
                     && geometry.cellSize().height() >= m_metrics.height())
    {
    }

    void paintTitle();
    void paintCells();
    void paintCrosshair();
    void paintMarked();
    void paintDivider();
    void paintRowLabels();
    void paintColumnLabels();
    void paintArcs();
    void paintScale();

private:
    const AttentionTable &table() const { return m_picture.table; }
    int rows() const { return static_cast<int>(table().rows.size()); }
    int columns() const { return static_cast<int>(table().columns.size()); }
    QColor cellColor(int row, double weight) const;
    void paintCell(int row, const QRectF &cell, double weight, bool filled);
    void paintColumnLabel(int column, bool strong);
    bool isUnderMouse(const TreeArc &arc) const;
    void paintArc(const TreeArc &arc, bool strong);

    QPainter &m_painter;
    const HeatMapPicture &m_picture;
    const HeatMapGeometry &m_geometry;
    std::optional<QPoint> m_hover;
    const QImage &m_cells;   ///< null: cells are painted one by one
    SlantedLabels *m_labels; ///< null: labels are painted as text
    QFontMetricsF m_metrics;
    RowShares m_shares;
    bool m_numbered; ///< cells have room for their weights
};

void Painting::paintTitle()
{
    const QRectF rect = m_geometry.title();
    QString title = m_picture.title;
    if (m_picture.masked)
        title += u" – "_s + HeatMapWords::tr("masked");
    m_painter.save();
    m_painter.setPen(m_picture.masked ? m_picture.palette.warning : m_picture.palette.ink);
    const QFont plain = m_painter.font();
    m_painter.setFont(boldFont(plain));
    const QFontMetricsF bold(m_painter.font(), m_painter.device());
    m_painter.drawText(QRectF(rect.topLeft(), QSizeF(rect.width(), m_metrics.height())),
                       Qt::AlignLeft | Qt::AlignVCenter, bold.elidedText(title, Qt::ElideRight, rect.width()));
    m_painter.setFont(plain);
    m_painter.setPen(m_picture.palette.muted);
    const auto line = [&](int number, const QString &text, Qt::Alignment side) {
        m_painter.drawText(
            QRectF(rect.left(), rect.top() + number * m_metrics.height(), rect.width(), m_metrics.height()),
            side | Qt::AlignVCenter, m_metrics.elidedText(text, Qt::ElideRight, rect.width()));
    };
    const bool hasEvidence = !m_picture.evidence.isNull();
    if (hasEvidence)
        line(1, m_picture.evidence, Qt::AlignLeft);
    const bool isJoined = m_geometry.hasJoinedTitle() && !m_picture.evidence.isEmpty();
    line(hasEvidence && !m_geometry.hasJoinedTitle() ? 2 : 1, heatMapAxes(m_picture),
         isJoined ? Qt::AlignRight : Qt::AlignLeft);
    m_painter.restore();
}

QColor Painting::cellColor(int row, double weight) const
{
    const double share = m_shares.of(static_cast<std::size_t>(row), weight);
    const QColor color = m_picture.scale.color(share, m_picture.palette.appearance);
    return m_picture.masked ? dimmed(color, m_picture.palette.paper) : color;
}

void Painting::paintCell(int row, const QRectF &cell, double weight, bool filled)
{
    const bool numbered = m_numbered && weight >= 0.005;
    if (filled && !numbered)
        return;
    const QColor color = cellColor(row, weight);
    if (!filled)
        m_painter.fillRect(cell, color);
    if (!numbered)
        return;
    m_painter.setPen(readableOn(color));
    m_painter.drawText(cell, Qt::AlignCenter, QLocale().toString(weight, 'f', 2));
}

void Painting::paintCells()
{
    m_painter.save();
    m_painter.setClipRect(m_geometry.window().adjusted(-1, -1, 1, 1));
    m_painter.setRenderHint(QPainter::Antialiasing, false);
    const QRect seen = m_geometry.visibleCells();
    if (!m_cells.isNull()) {
        const QRectF place
            = m_geometry.cellRect(seen.top(), seen.left()).united(m_geometry.cellRect(seen.bottom(), seen.right()));
        m_painter.drawImage(place, m_cells, QRectF(seen));
    }
    const bool filled = !m_cells.isNull();
    for (int row = seen.top(); row <= seen.bottom(); ++row) {
        for (int column = seen.left(); (m_numbered || !filled) && column <= seen.right(); ++column)
            paintCell(row, m_geometry.cellRect(row, column),
                      table().weight(static_cast<std::size_t>(row), static_cast<std::size_t>(column)), filled);
        if (table().hidesKeys && m_geometry.hiddenRect(row).intersects(m_geometry.window()))
            paintCell(row, m_geometry.hiddenRect(row), table().hiddenMass[static_cast<std::size_t>(row)], false);
    }
    m_painter.setPen(QPen(m_picture.palette.line, 1));
    m_painter.setBrush(Qt::NoBrush);
    const QRectF all = m_geometry.cellRect(0, 0).united(m_geometry.cellRect(rows() - 1, columns() - 1));
    m_painter.drawRect(all);
    if (table().hidesKeys)
        m_painter.drawRect(m_geometry.hiddenRect(0).united(m_geometry.hiddenRect(rows() - 1)));
    m_painter.restore();
}

/// A frame around the cell, light inside dark, so that it stands out on any colour.
void Painting::paintMarked()
{
    const auto &marked = m_picture.marked;
    if (!marked || marked->x() >= columns() || marked->y() >= rows())
        return;
    const QRectF cell = m_geometry.cellRect(marked->y(), marked->x());
    m_painter.save();
    m_painter.setClipRect(m_geometry.window().adjusted(-5, -5, 5, 5));
    m_painter.setBrush(Qt::NoBrush);
    m_painter.setPen(QPen(m_picture.palette.ink, 2));
    m_painter.drawRect(cell.adjusted(-3, -3, 3, 3));
    m_painter.setPen(QPen(m_picture.palette.paper, 2));
    m_painter.drawRect(cell.adjusted(-1, -1, 1, 1));
    m_painter.restore();
}

/// Between two kinds of columns.
void Painting::paintDivider()
{
    const auto &divider = m_picture.divider;
    if (!divider || *divider <= 0 || *divider >= columns())
        return;
    const QRectF cell = m_geometry.cellRect(0, *divider);
    m_painter.save();
    m_painter.setClipRect(m_geometry.window());
    m_painter.setPen(QPen(m_picture.palette.ink, 1.5));
    m_painter.drawLine(cell.topLeft(), cell.topLeft() + QPointF(0, m_geometry.contentSize().height()));
    m_painter.restore();
}

void Painting::paintCrosshair()
{
    if (!m_hover)
        return;
    const bool hidden = m_hover->x() >= columns();
    const QRectF cell = hidden ? m_geometry.hiddenRect(m_hover->y()) : m_geometry.cellRect(m_hover->y(), m_hover->x());
    const QRectF first = m_geometry.cellRect(0, 0);
    m_painter.save();
    m_painter.setClipRect(m_geometry.window().adjusted(-2, -2, 2, 2));
    m_painter.setBrush(Qt::NoBrush);
    m_painter.setPen(QPen(m_picture.palette.accent, 1));
    m_painter.drawRect(QRectF(first.left(), cell.top(), m_geometry.contentSize().width(), cell.height()));
    m_painter.drawRect(QRectF(cell.left(), first.top(), cell.width(), m_geometry.contentSize().height()));
    m_painter.setPen(QPen(m_picture.palette.accent, 2.5));
    m_painter.drawRect(cell);
    m_painter.restore();
}

void Painting::paintRowLabels()
{
    m_painter.save();
    const QRectF area = m_geometry.rowLabels();
    m_painter.setClipRect(area);
    const QRect seen = m_geometry.visibleCells();
    for (int row = seen.top(); row <= seen.bottom(); ++row) {
        const QRectF cell = m_geometry.cellRect(row, 0);
        const bool pointed = m_hover && m_hover->y() == row;
        if (cell.bottom() < area.top() || cell.top() > area.bottom() || (row % m_geometry.rowStep() != 0 && !pointed))
            continue;
        const AxisLabel &label = table().rows[static_cast<std::size_t>(row)];
        useLabelStyle(m_painter, m_picture.palette, label, pointed);
        const double tag = label.tag.isEmpty() ? 0 : m_metrics.horizontalAdvance(u' ' + label.tag);
        const double high = std::max(cell.height(), m_metrics.height()); // thinned labels reach over their neighbours
        const QRectF box(2, cell.center().y() - high / 2, area.right() - 12 - tag, high);
        if (pointed && m_geometry.rowStep() > 1)
            m_painter.fillRect(QRectF(2, box.top(), area.right() - 4, box.height()), m_picture.palette.paper);
        m_painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter,
                           m_metrics.elidedText(label.text, Qt::ElideMiddle, box.width()));
        paintTag(m_painter, m_picture.palette,
                 {box.right() + m_metrics.horizontalAdvance(u' '),
                  box.center().y() + (m_metrics.ascent() - m_metrics.descent()) / 2},
                 label);
        if (label.continues && m_geometry.rowStep() == 1) {
            // A bracket ties the pieces of a word together.
            m_painter.setPen(QPen(m_picture.palette.line, 1.5));
            const double x = area.right() - 5;
            m_painter.drawLine(QPointF(x, cell.center().y() - m_geometry.cellSize().height() + 3),
                               QPointF(x, cell.center().y() + 3));
        }
    }
    m_painter.restore();
}

void Painting::paintColumnLabel(int column, bool strong)
{
    const bool hidden = column >= columns();
    const double x = (hidden ? m_geometry.hiddenRect(0) : m_geometry.cellRect(0, column)).center().x();
    const QPointF foot(x + m_metrics.ascent() / 4, m_geometry.columnLabels().bottom() - 9);
    if (m_labels && !hidden && !strong)
        m_labels->paint(m_painter, foot, column);
    else
        paintSlantedLabel(m_painter, m_picture.palette, foot,
                          hidden ? hiddenTokensLabel() : table().columns[static_cast<std::size_t>(column)], strong,
                          m_geometry.labelLength());
}

void Painting::paintColumnLabels()
{
    m_painter.save();
    const QRectF area = m_geometry.columnLabels();
    m_painter.setClipRect(area);
    for (int column = 0; column < columns(); ++column) {
        const QRectF cell = m_geometry.cellRect(0, column);
        if (cell.center().x() < area.left() || cell.center().x() > m_geometry.window().right())
            continue;
        const AxisLabel &label = table().columns[static_cast<std::size_t>(column)];
        const bool pointed = m_hover && m_hover->x() == column;
        // Where not all have room, the one that is pointed at has it.
        const bool crowded = m_hover && m_geometry.columnStep() > 1 && !pointed
                          && std::abs(m_hover->x() - column) < m_geometry.columnStep();
        if (crowded || (column % m_geometry.columnStep() != 0 && !pointed))
            continue;
        paintColumnLabel(column, pointed);
        if (label.continues && m_geometry.columnStep() == 1) {
            m_painter.setPen(QPen(m_picture.palette.line, 1.5));
            const double y = area.bottom() - 5;
            m_painter.drawLine(QPointF(cell.center().x() - m_geometry.cellSize().width() + 3, y),
                               QPointF(cell.center().x() + 3, y));
        }
    }
    const double hiddenX = m_geometry.hiddenRect(0).center().x();
    if (table().hidesKeys && hiddenX <= m_geometry.window().right())
        paintColumnLabel(columns(), m_hover && m_hover->x() == columns());
    m_painter.restore();
}

bool Painting::isUnderMouse(const TreeArc &arc) const
{
    if (!m_hover)
        return false;
    const auto touchedBy = [&](const std::vector<AxisLabel> &labels, int place) {
        return place >= 0 && place < static_cast<int>(labels.size())
            && touches(arc, labels[static_cast<std::size_t>(place)]);
    };
    return touchedBy(table().columns, m_hover->x()) || touchedBy(table().rows, m_hover->y());
}

/// From the dependent's foot up, across and down to an arrow on its head.
void Painting::paintArc(const TreeArc &arc, bool strong)
{
    constexpr double kArrow = 4;
    constexpr double kApart = 2.5; ///< arcs of a word begin beside those that end there
    const double toward = arc.head > arc.dependent ? 1 : -1;
    const QPointF from = m_geometry.arcFoot(arc.dependent) + QPointF(toward * kApart, -2);
    const QPointF to = m_geometry.arcFoot(arc.head) + QPointF(-toward * kApart, -2);
    const double step
        = (m_geometry.arcs().height() - m_metrics.height() / 2 - 6) / std::max(arcLevels(m_picture.arcs), 1);
    const double top = m_geometry.arcs().bottom() - 2 - step * arc.level;
    const double bend = std::min(8.0, std::abs(to.x() - from.x()) / 2);
    const QColor color = strong ? m_picture.palette.accent : m_picture.palette.muted;
    QPainterPath path(from);
    path.cubicTo(QPointF(from.x(), top), QPointF(from.x(), top), QPointF(from.x() + toward * bend, top));
    path.lineTo(QPointF(to.x() - toward * bend, top));
    path.cubicTo(QPointF(to.x(), top), QPointF(to.x(), top), to);
    m_painter.setPen(QPen(color, strong ? 2 : 1));
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawPath(path);
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(color);
    m_painter.drawPolygon(
        QPolygonF({to, to + QPointF(-kArrow * 0.75, -kArrow * 1.6), to + QPointF(kArrow * 0.75, -kArrow * 1.6)}));
    const QFont plain = m_painter.font();
    QFont small = plain;
    small.setPixelSize(std::max(8, static_cast<int>(m_metrics.height() * 0.58)));
    small.setBold(strong);
    m_painter.setFont(small);
    const QFontMetricsF metrics(small, m_painter.device());
    const double width = metrics.horizontalAdvance(arc.relation) + 4;
    if (strong || width < std::abs(to.x() - from.x()) + 4) {
        const QRectF name((from.x() + to.x() - width) / 2, top - metrics.height() / 2, width, metrics.height());
        m_painter.fillRect(name, m_picture.palette.paper);
        m_painter.setPen(color);
        m_painter.drawText(name, Qt::AlignCenter, arc.relation);
    }
    m_painter.setFont(plain);
}

void Painting::paintArcs()
{
    if (m_picture.arcs.empty() || m_geometry.arcs().height() <= 0)
        return;
    m_painter.save();
    m_painter.setRenderHint(QPainter::Antialiasing);
    m_painter.setClipRect(m_geometry.arcs().united(m_geometry.columnLabels()));
    // Fine lines lead from the words, which lean, to the arcs' feet.
    QColor faint = m_picture.palette.line;
    faint.setAlphaF(0.45F);
    for (int column = 0; column < columns(); ++column) {
        const AxisLabel &label = table().columns[static_cast<std::size_t>(column)];
        const bool used = std::ranges::any_of(m_picture.arcs, [&](const TreeArc &arc) { return touches(arc, label); });
        if (!used || (label.continues && label.tag.isEmpty()))
            continue;
        const QString text = label.tag.isEmpty() ? label.text : QString(label.text + u' ' + label.tag);
        const QPointF foot = m_geometry.arcFoot(column + 0.5);
        const QPointF start(m_geometry.cellRect(0, column).center().x(), m_geometry.columnLabels().bottom() - 9);
        const QPointF way = foot - start;
        const double length = std::hypot(way.x(), way.y());
        const double words = m_metrics.horizontalAdvance(text) + 12;
        if (length <= words + 4)
            continue;
        m_painter.setPen(QPen(faint, 1, Qt::DotLine));
        m_painter.drawLine(start + way * (words / length), foot);
    }
    for (const bool strong : {false, true}) { // the label under the mouse is painted over the others
        for (const TreeArc &arc : m_picture.arcs) {
            if (isUnderMouse(arc) == strong)
                paintArc(arc, strong);
        }
    }
    m_painter.restore();
}

void Painting::paintScale()
{
    if (m_geometry.hasFlatLegend())
        paintFlatLegend(m_painter, m_geometry.legend(), m_picture.scale, m_picture.legendLabel, m_picture.palette);
    else
        paintLegend(m_painter, m_geometry.legend(), m_picture.scale, m_picture.legendLabel, m_picture.palette);
}

} // namespace

void paintHeatMap(QPainter &painter, const HeatMapPicture &picture, const HeatMapGeometry &geometry,
                  std::optional<QPoint> hover, const QImage &cells, SlantedLabels *labels)
{
    Painting painting(painter, picture, geometry, hover, cells, labels);
    painting.paintTitle();
    if (picture.table.empty())
        return;
    painting.paintCells();
    painting.paintRowLabels();
    painting.paintArcs();
    painting.paintColumnLabels();
    painting.paintDivider();
    painting.paintMarked();
    painting.paintCrosshair();
    painting.paintScale();
}

void paintHeatMap(QPainter &painter, const QRectF &rect, const HeatMapPicture &picture)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    // Exported pictures show everything: content that would scroll on screen is scaled down instead.
    const QSizeF needed = HeatMapGeometry::sizeFor(picture, HeatMapGeometry::kReadableCell, metrics);
    const double scale = std::min({1.0, rect.width() / needed.width(), rect.height() / needed.height()});
    painter.save();
    painter.translate(rect.topLeft());
    painter.scale(scale, scale);
    paintHeatMap(painter, picture, HeatMapGeometry(picture, rect.size() / scale, metrics));
    painter.restore();
}

QImage heatMapCells(const HeatMapPicture &picture)
{
    const RowShares shares(picture);
    std::vector<double> values = picture.table.weights;
    const std::size_t columns = picture.table.columns.size();
    for (std::size_t i = 0; picture.byRow && i < values.size(); ++i)
        values[i] = shares.of(i / columns, values[i]);
    return heatMapImage(values, static_cast<int>(picture.table.rows.size()), static_cast<int>(columns), picture.scale,
                        picture.palette.appearance,
                        picture.masked ? std::optional(picture.palette.paper) : std::nullopt);
}

QString heatMapAxes(const HeatMapPicture &picture)
{
    return picture.columnsTitle.isEmpty() ? picture.rowsTitle : picture.rowsTitle + u"   "_s + picture.columnsTitle;
}

AxisLabel hiddenTokensLabel()
{
    return {HeatMapWords::tr("hidden tokens"), true, false};
}

QString heatMapReadout(const AttentionTable &table, const QPoint &cell)
{
    const auto columns = static_cast<int>(table.columns.size());
    if (cell.y() < 0 || cell.y() >= static_cast<int>(table.rows.size()) || cell.x() < 0 || cell.x() > columns
        || (cell.x() == columns && !table.hidesKeys))
        return {};
    const auto row = static_cast<std::size_t>(cell.y());
    const bool hidden = cell.x() == columns;
    const double weight = hidden ? table.hiddenMass[row] : table.weight(row, static_cast<std::size_t>(cell.x()));
    const QString key = hidden ? hiddenTokensLabel().text : table.columns[static_cast<std::size_t>(cell.x())].text;
    return HeatMapWords::tr("%1 → %2: %3").arg(table.rows[row].text, key, QLocale().toString(weight, 'f', 4));
}

} // namespace headscope
