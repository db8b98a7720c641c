#include "ui/heatmap/heatmappainter.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

constexpr double kGap = 6;
constexpr double kLongestLabel = 150;
constexpr double kSlope = 60 * 3.14159265358979 / 180; ///< of the column labels
constexpr double kLegendWidth = 320;
constexpr double kFlatLegendWidth = 480;
constexpr double kBetweenTitles = 18; ///< on one line
constexpr double kLevelHeight = 13;   ///< of an arc above another, where there are few
constexpr double kArcsHeight = 110;   ///< at most

double longest(const std::vector<AxisLabel> &labels, const QFontMetricsF &metrics)
{
    double width = 0;
    for (const AxisLabel &label : labels)
        width = std::max(width,
                         metrics.horizontalAdvance(label.tag.isEmpty() ? label.text : label.text + u' ' + label.tag)
                             + (label.continues ? 8 : 0));
    return std::min(width, kLongestLabel);
}

/// Of the arcs over the column labels, with the name of the highest.
double arcsHeight(const HeatMapPicture &picture, const QFontMetricsF &metrics)
{
    const int levels = arcLevels(picture.arcs);
    return levels == 0 ? 0 : std::min(levels * kLevelHeight, kArcsHeight) + metrics.height() / 2 + kGap;
}

double columnsWide(const HeatMapPicture &picture)
{
    return static_cast<double>(picture.table.columns.size()) + (picture.table.hidesKeys ? 1.4 : 0);
}

} // namespace

HeatMapMargins::HeatMapMargins(const HeatMapPicture &picture, const QFontMetricsF &metrics)
{
    double columns = longest(picture.table.columns, metrics);
    if (picture.table.hidesKeys)
        columns = std::max(columns, longest({hiddenTokensLabel()}, metrics));
    labels = columns;
    left = longest(picture.table.rows, metrics) + 2 * kGap + 4;
    arcs = arcsHeight(picture, metrics);
    m_line = metrics.height();
    title = (picture.evidence.isNull() ? 2 : 3) * m_line + kGap;
    if (!picture.evidence.isNull())
        m_joined = metrics.horizontalAdvance(picture.evidence) + kBetweenTitles
                 + metrics.horizontalAdvance(heatMapAxes(picture)) + 2 * kGap;
    top = title + arcs + kGap + columns * std::sin(kSlope) + metrics.height();
    // The last labels lean over the right edge.
    right = columns * std::cos(kSlope) + metrics.height();
    legend = legendHeight(metrics);
    bottom = legend + 2 * kGap;
}

HeatMapMargins HeatMapMargins::within(const QSizeF &view) const
{
    constexpr double kHigh = 0.64; ///< of the view's height, for cells
    constexpr double kWide = 0.8;
    constexpr double kLeastArcs = 34; ///< lower ones cannot be told apart
    constexpr double kLeastLabel = 40;
    HeatMapMargins margins = *this;
    const auto tooHigh = [&] { return margins.top + margins.bottom - (1 - kHigh) * view.height(); };
    if (tooHigh() > 0) {
        margins.flatLegend = true;
        margins.legend = m_line;
        margins.bottom -= legend - m_line;
    }
    if (tooHigh() > 0 && m_joined > 0 && m_joined <= view.width()) {
        margins.joinedTitle = true;
        margins.title -= m_line;
        margins.top -= m_line;
    }
    if (const double over = tooHigh(); over > 0 && arcs > 0) {
        margins.arcs = arcs - over < kLeastArcs ? 0 : arcs - over;
        margins.top -= arcs - margins.arcs;
    }
    if (const double over = tooHigh(); over > 0 && labels > kLeastLabel) {
        margins.labels = std::max(labels - over / std::sin(kSlope), kLeastLabel);
        margins.top -= (labels - margins.labels) * std::sin(kSlope);
        margins.right -= (labels - margins.labels) * std::cos(kSlope);
    }
    if (const double over = margins.left + margins.right - (1 - kWide) * view.width(); over > 0)
        margins.left = std::min(left, std::max(left - over, kLeastLabel + 2 * kGap + 4));
    return margins;
}

HeatMapGeometry::HeatMapGeometry(const HeatMapPicture &picture, const QSizeF &available, const QFontMetricsF &metrics,
                                 const QPointF &scroll)
    : HeatMapGeometry(picture, HeatMapMargins(picture, metrics), available, metrics, scroll)
{
}

HeatMapGeometry::HeatMapGeometry(const HeatMapPicture &picture, const HeatMapMargins &margins, const QSizeF &available,
                                 const QFontMetricsF &metrics, const QPointF &scroll, double zoom)
    : m_rows(static_cast<int>(picture.table.rows.size())), m_columns(static_cast<int>(picture.table.columns.size())),
      m_hidden(picture.table.hidesKeys), m_labelLength(margins.labels), m_flatLegend(margins.flatLegend),
      m_joinedTitle(margins.joinedTitle)
{
    const QSizeF room(std::max(available.width() - margins.left - margins.right, 1.0),
                      std::max(available.height() - margins.top - margins.bottom, 1.0));
    const double wide = columnsWide(picture);
    constexpr double kMostUneven = 3.5;  // cells need not be square
    static constexpr double kMost = 110; // pixels
    const auto fit = [](double side) { return std::clamp(side, kSmallestCell, kLargestCell); };
    double across = fit(room.width() / std::max(wide, 1.0));
    double down = fit(room.height() / std::max(m_rows, 1));
    across = std::min(across, kMostUneven * down);
    down = std::min(down, kMostUneven * across);
    const auto zoomed = [zoom](double side) {
        const double scaled = std::min(side * zoom, std::max(side, kMost));
        return scaled >= 8 ? std::floor(scaled) : scaled; // small cells fill the room to the pixel
    };
    m_cell = QSizeF(zoomed(across), zoomed(down));
    const auto step = [](double text, double side) { return std::max(1, static_cast<int>(std::ceil(text / side))); };
    m_rowStep = step(metrics.height() - 2, m_cell.height());
    m_columnStep = step(metrics.height(), m_cell.width());
    m_content = QSizeF(wide * m_cell.width(), m_rows * m_cell.height());
    m_window = QRectF(margins.left, margins.top, std::min(m_content.width(), room.width()),
                      std::min(m_content.height(), room.height()));
    m_origin = m_window.topLeft() - scroll;
    m_title = QRectF(kGap, 2, available.width() - 2 * kGap, margins.title);
    m_arcs = QRectF(margins.left, m_title.bottom(), m_window.width() + margins.right, margins.arcs);
    m_columnLabels
        = QRectF(margins.left, m_arcs.bottom(), m_window.width() + margins.right, m_window.top() - m_arcs.bottom());
    m_rowLabels = QRectF(0, m_window.top(), margins.left, m_window.height());
    m_legend = QRectF(margins.left, m_window.bottom() + 2 * kGap,
                      std::min(m_flatLegend ? kFlatLegendWidth : kLegendWidth, available.width() - margins.left - kGap),
                      margins.legend);
}

QPointF HeatMapGeometry::arcFoot(double column) const
{
    const double lean = m_columnLabels.height() / std::tan(kSlope);
    return {m_origin.x() + column * m_cell.width() + lean, m_arcs.bottom()};
}

QRectF HeatMapGeometry::cellRect(int row, int column) const
{
    return {QPointF(m_origin.x() + column * m_cell.width(), m_origin.y() + row * m_cell.height()), m_cell};
}

QRectF HeatMapGeometry::hiddenRect(int row) const
{
    return {QPointF(m_origin.x() + (m_columns + 0.4) * m_cell.width(), m_origin.y() + row * m_cell.height()), m_cell};
}

QRect HeatMapGeometry::visibleCells() const
{
    if (m_cell.isEmpty() || m_rows == 0 || m_columns == 0)
        return {};
    const auto place = [](double from, double side, int count) {
        return std::clamp(static_cast<int>(std::floor(from / side)), 0, count - 1);
    };
    const auto column = [&](double x) { return place(x - m_origin.x(), m_cell.width(), m_columns); };
    const auto row = [&](double y) { return place(y - m_origin.y(), m_cell.height(), m_rows); };
    return {QPoint(column(m_window.left()), row(m_window.top())),
            QPoint(column(m_window.right()), row(m_window.bottom()))};
}

std::optional<QPoint> HeatMapGeometry::cellAt(const QPointF &point) const
{
    if (m_cell.isEmpty() || !m_window.contains(point))
        return {};
    int column = static_cast<int>((point.x() - m_origin.x()) / m_cell.width());
    const int row = static_cast<int>((point.y() - m_origin.y()) / m_cell.height());
    if (m_hidden && column >= m_columns)
        column = hiddenRect(0).left() <= point.x() ? m_columns : m_columns - 1;
    if (row < 0 || row >= m_rows || column < 0 || column >= m_columns + (m_hidden ? 1 : 0))
        return {};
    return QPoint(column, row);
}

QSizeF HeatMapGeometry::sizeFor(const HeatMapPicture &picture, double cell, const QFontMetricsF &metrics)
{
    const HeatMapMargins margins(picture, metrics);
    const double width = margins.left + margins.right + columnsWide(picture) * cell;
    return {std::max(width, 320.0),
            margins.top + margins.bottom + static_cast<double>(picture.table.rows.size()) * cell};
}

} // namespace headscope
