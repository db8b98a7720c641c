#include "ui/pages/map/measurescatter.h"

#include "ui/charts/chartstyle.h"
#include "ui/charts/scatterseries.h"
#include "ui/exporting/csvtext.h"
#include "ui/heatmap/colorscale.h"
#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

struct MeasureScatterWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::MeasureScatter)
};

constexpr double kMark = 9;
constexpr double kScatterSwatch = 12;

QString titleOf(const HeadMeasure &measure)
{
    return measure.unit.isEmpty() || measure.name.contains(measure.unit)
             ? measure.name
             : MeasureScatterWords::tr("%1 (%2)").arg(measure.name, measure.unit);
}

QString valueText(const HeadMeasure &measure, const MeasuredHead &head)
{
    QString text = measure.name + u' ' + numberText(head.value, measure.decimals);
    if (head.interval)
        text += u' ' + intervalText(*head.interval, measure.decimals, head.interval->low < 0);
    if (head.count > 0)
        text += MeasureScatterWords::tr(", %1 %2").arg(countText(head.count), measure.counted);
    return text;
}

/// Ends of an axis around its values, with a margin so that no mark is on the frame.
std::pair<double, double> endsOf(const std::vector<double> &values)
{
    const auto [low, high] = std::ranges::minmax(values);
    const double room = high > low ? 0.06 * (high - low) : std::max(0.5, 0.1 * std::abs(high));
    return {low - room, high + room};
}

PlotAxes axesOf(const MeasureScatterPicture &picture, const QFontMetricsF &metrics, const QSizeF &plot)
{
    std::vector<double> x, y;
    for (const MeasureScatterSeries::Point &point : picture.series.points) {
        x.push_back(point.x.value);
        y.push_back(point.y.value);
    }
    PlotAxes axes;
    std::tie(axes.xLow, axes.xHigh) = endsOf(x);
    std::tie(axes.yLow, axes.yHigh) = endsOf(y);
    const auto ticks = [](double low, double high, double room, double each) {
        return axisTicks(low, high, std::clamp(static_cast<int>(room / each), 3, 9));
    };
    axes.xTicks = ticks(axes.xLow, axes.xHigh, plot.width(), 2 * metrics.horizontalAdvance(u"−0.000"_s));
    axes.yTicks = ticks(axes.yLow, axes.yHigh, plot.height(), 2 * metrics.height());
    const auto fitting = [&](const HeadMeasure &measure, double room) {
        const QString whole = titleOf(measure);
        return metrics.horizontalAdvance(whole) <= room ? whole
                                                        : metrics.elidedText(measure.name, Qt::ElideRight, room);
    };
    axes.xTitle = fitting(picture.series.x, plot.width());
    axes.yTitle = fitting(picture.series.y, plot.height());
    axes.zoom = picture.zoom;
    return axes;
}

/// What stands above the plot: the coefficients, then kinds and layers, as many lines as they take.
class Legend
{
public:
    Legend(const MeasureScatterSeries &series, const QFontMetricsF &metrics, double width)
        : m_line(metrics.height() + 2), m_width(width)
    {
        QStringList rest
            = correlationText(series.pearson, series.spearman, std::ssize(series.points)).split(u"   ·   "_s);
        while (!rest.isEmpty()) { // whole coefficients, as many as fit into a line
            QString line = rest.takeFirst();
            while (!rest.isEmpty() && metrics.horizontalAdvance(line + u"   ·   "_s + rest.front()) <= width - 12)
                line += u"   ·   "_s + rest.takeFirst();
            m_coefficients << line;
        }
        std::set<int> layers;
        std::set<HeadKind> kinds;
        for (const MeasureScatterSeries::Point &point : series.points) {
            layers.insert(point.x.head.layer);
            kinds.insert(point.x.head.kind);
        }
        for (const HeadKind kind : kinds)
            m_entries.push_back({headKindLabel(kind), kind, std::nullopt});
        m_lastLayer = layers.empty() ? 0 : *layers.rbegin();
        constexpr int kMostNamed = 8; // of many layers the first, the middle and the last
        const std::vector<int> all(layers.begin(), layers.end());
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (std::ssize(all) <= kMostNamed || i == 0 || i == all.size() / 2 || i + 1 == all.size())
                m_entries.push_back({MeasureScatterWords::tr("layer %1").arg(all[i]), std::nullopt, all[i]});
        }
        double x = 0;
        m_rows = m_entries.empty() ? 0 : 1;
        for (Entry &entry : m_entries) {
            const double wide = kScatterSwatch + 4 + metrics.horizontalAdvance(entry.name) + 14;
            if (x > 0 && x + wide > width - 12) {
                x = 0;
                ++m_rows;
            }
            entry.place = QPointF(x, (m_rows - 1) * m_line);
            x += wide;
        }
    }

    double height() const { return (static_cast<double>(m_coefficients.size()) + m_rows) * m_line + 2; }
    int lastLayer() const { return m_lastLayer; }

    void paint(QPainter &painter, const QRectF &rect, const ViewPalette &palette) const
    {
        painter.setPen(palette.ink);
        double y = rect.top();
        for (const QString &line : m_coefficients) {
            painter.drawText(QRectF(rect.left() + 6, y, m_width - 8, m_line), Qt::AlignLeft | Qt::AlignVCenter, line);
            y += m_line;
        }
        for (const Entry &entry : m_entries) {
            const QPointF at(rect.left() + 6 + entry.place.x(), y + entry.place.y() + m_line / 2);
            const QPointF centre = at + QPointF(kScatterSwatch / 2, 0);
            if (entry.kind)
                drawMarker(painter, centre, kMark,
                           {palette.muted, kindStyle(static_cast<int>(*entry.kind), palette).shape}, true, palette);
            else
                drawMarker(painter, centre, kMark, {layerColor(*entry.layer, palette), MarkerShape::Circle}, false,
                           palette);
            painter.setPen(palette.ink);
            painter.drawText(QRectF(at.x() + kScatterSwatch + 4, at.y() - m_line / 2, 2000, m_line),
                             Qt::AlignLeft | Qt::AlignVCenter, entry.name);
        }
    }

    /// Not from the start of the ramp, which has the colour of the paper.
    QColor layerColor(int layer, const ViewPalette &palette) const
    {
        return ColorScale::sequential(0, 1).color(0.25 + 0.75 * layer / std::max(m_lastLayer, 1), palette.appearance);
    }

private:
    struct Entry
    {
        QString name;
        std::optional<HeadKind> kind;
        std::optional<int> layer;
        QPointF place{};
    };
    QStringList m_coefficients;
    std::vector<Entry> m_entries;
    double m_line = 0;
    double m_width = 0;
    int m_rows = 0;
    int m_lastLayer = 0;
};

} // namespace

MeasureScatterSeries makeMeasureScatter(const HeadMeasure &x, const HeadMeasure &y)
{
    MeasureScatterSeries series{.x = x, .y = y};
    series.x.heads.clear();
    series.y.heads.clear();
    std::map<HeadRef, const MeasuredHead *> other;
    for (const MeasuredHead &head : y.heads)
        other[head.head] = &head;
    std::vector<double> a, b;
    for (const MeasuredHead &head : x.heads) {
        const auto found = other.find(head.head);
        if (found == other.end())
            continue;
        series.points.push_back({head, *found->second});
        a.push_back(head.value);
        b.push_back(found->second->value);
    }
    series.pearson = pearsonCorrelation(a, b);
    series.spearman = spearmanCorrelation(a, b);
    return series;
}

QString measurePointText(const MeasureScatterSeries &series, const HeadRef &head)
{
    const auto found = std::ranges::find_if(series.points, [&](const auto &point) { return point.x.head == head; });
    if (found == series.points.end())
        return {};
    return QString::fromStdString(toText(head)) + u": "_s + valueText(series.x, found->x) + u"; "_s
         + valueText(series.y, found->y);
}

std::string measureScatterCsv(const MeasureScatterSeries &series)
{
    CsvText csv("head,x_measure,x,x_ci_low,x_ci_high,x_n,y_measure,y,y_ci_low,y_ci_high,y_n");
    const auto add = [&](const HeadMeasure &measure, const MeasuredHead &head) {
        const double none = std::nan("");
        csv << measure.id.toStdString() << head.value << (head.interval ? head.interval->low : none)
            << (head.interval ? head.interval->high : none) << std::to_string(head.count);
    };
    for (const MeasureScatterSeries::Point &point : series.points) {
        csv << toText(point.x.head);
        add(series.x, point.x);
        add(series.y, point.y);
        csv.endLine();
    }
    return csv.text();
}

PaintedMarks paintMeasureScatter(QPainter &painter, const QRectF &rect, const MeasureScatterPicture &picture)
{
    painter.fillRect(rect, picture.palette.paper);
    if (picture.series.empty())
        return {};
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QFontMetricsF metrics(painter.font(), painter.device());
    const Legend legend(picture.series, metrics, rect.width());
    const double top = legend.height() + 4;
    const PlotFrame frame(painter, rect, axesOf(picture, metrics, rect.size() - QSizeF(80, top + 3 * metrics.height())),
                          top);
    frame.paint(painter, picture.palette);
    legend.paint(painter, rect, picture.palette);
    frame.clip(painter);
    PaintedMarks painted{.plot = frame.plot()};
    std::vector<HeadMark> named;
    for (const MeasureScatterSeries::Point &point : picture.series.points) {
        const HeadRef &head = point.x.head;
        const HeadMark mark{head, frame.at(point.x.value, point.y.value)};
        drawMarker(painter, mark.centre, kMark,
                   {legend.layerColor(head.layer, picture.palette),
                    kindStyle(static_cast<int>(head.kind), picture.palette).shape},
                   picture.masked.contains(head), picture.palette);
        if (paintMarkRings(painter, mark, kMark, picture))
            named.push_back(mark);
        painted.marks.push_back(mark);
    }
    for (const HeadMark &mark : named)
        paintMarkName(painter, mark, rect.right(), picture.palette);
    paintBrush(painter, picture);
    painter.restore();
    return painted;
}

MeasureScatterChart::MeasureScatterChart(QWidget *parent) : HeadMarkChart(m_picture, parent)
{
    setMinimumSize(220, 180);
    setAccessibleName(tr("Two measures of the heads"));
    m_picture.palette = ViewPalette::matching(palette());
}

void MeasureScatterChart::setSeries(MeasureScatterSeries series)
{
    if (series.x.id != m_picture.series.x.id || series.y.id != m_picture.series.y.id)
        m_picture.zoom = {};
    m_picture.series = std::move(series);
    headsChanged();
}

std::vector<HeadRef> MeasureScatterChart::heads() const
{
    std::vector<HeadRef> heads;
    for (const MeasureScatterSeries::Point &point : m_picture.series.points)
        heads.push_back(point.x.head);
    return heads;
}

QString MeasureScatterChart::textOf(const HeadRef &head) const
{
    return measurePointText(m_picture.series, head);
}

PaintedMarks MeasureScatterChart::paintMarks(QPainter &painter, const QRectF &rect)
{
    return paintMeasureScatter(painter, rect, m_picture);
}

} // namespace headscope
