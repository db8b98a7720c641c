#include "ui/charts/pruningpainter.h"

#include "ui/charts/chartstyle.h"
#include "ui/charts/plotframe.h"
#include "ui/heatmap/colorscale.h"
#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"

#include <QAreaSeries>
#include <QChart>
#include <QCoreApplication>
#include <QFontMetricsF>
#include <QGraphicsScene>
#include <QImage>
#include <QLineSeries>
#include <QLocale>
#include <QPainter>
#include <QStringList>
#include <QValueAxis>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

constexpr double kLegendLine = 28; ///< length of the sample in the legend

struct PruningPainterWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::PruningChart)
};

OrderStyle styleOf(const CurveSeries &curve, const ViewPalette &palette)
{
    if (curve.kind)
        return kindStyle(static_cast<int>(*curve.kind), palette);
    return orderStyle(curve.order, curve.isVariant, palette);
}

/// The plot's width before there is a plot: what ticks and legend are laid out for.
double usableWidth(const QChart &chart)
{
    return std::max(chart.size().width() - 90, 120.0);
}

/// Ticks of the x axis. The last is the end, unless that crowds the one before.
std::vector<double> headTicks(const PruningSeries &series, double width)
{
    constexpr double kLabelWidth = 44;
    const int atMost = std::clamp(static_cast<int>(width / kLabelWidth), 2, 11);
    std::vector<double> ticks = roundTicks(0, series.candidates, atMost);
    const double left = series.candidates - ticks.back();
    if (left > 0 && left / series.candidates * width < kLabelWidth && ticks.size() > 2)
        ticks.back() = series.candidates;
    else if (left > 0)
        ticks.push_back(series.candidates);
    return ticks;
}

/// Only its grid: two-line labels are painted by the overlay, as Qt Charts cannot centre them.
QValueAxis *makeHeadAxis(const PruningSeries &series, const PruningPicture &picture, const QFont &font, double width)
{
    auto *axis = new QValueAxis;
    axis->setRange(0, series.candidates);
    const std::vector<double> ticks = headTicks(series, width);
    axis->setTickType(QValueAxis::TicksDynamic);
    axis->setTickInterval(ticks.size() > 1 ? ticks[1] - ticks[0] : 1);
    styleAxis(*axis, picture.palette, font, QString());
    axis->setLabelsVisible(false);
    return axis;
}

QValueAxis *makeScoreAxis(const PruningSeries &series, const PruningPicture &picture, const QFont &font)
{
    auto *axis = new QValueAxis;
    const double from = series.low + picture.zoomFrom * (series.high - series.low);
    axis->setRange(from, from + picture.zoomShare * (series.high - series.low));
    const std::vector<double> ticks = roundTicks(series.low, series.high, 8);
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
    axis->setTickType(QValueAxis::TicksDynamic);
    axis->setTickAnchor(0);
    axis->setTickInterval(step);
    axis->setLabelFormat(u"%.%1f"_s.arg(decimalsOf(step)));
    const QString unit = unitText(metricFormat(series.metric).suffix.trimmed(), series.better);
    styleAxis(*axis, picture.palette, font,
              unit.isEmpty() ? series.metric : QString(series.metric + u" ("_s + unit + u')'));
    return axis;
}

void addBand(QChart &chart, const CurveSeries &curve, const QColor &color, QAbstractAxis *x, QAbstractAxis *y)
{
    auto *upper = new QLineSeries(&chart);
    auto *lower = new QLineSeries(&chart);
    for (const CurvePoint &point : curve.points) {
        upper->append(point.removed, point.high);
        lower->append(point.removed, point.low);
    }
    auto *area = new QAreaSeries(upper, lower);
    QColor fill = color;
    fill.setAlphaF(curve.randomOrders > 0 ? 0.22F : 0.13F);
    area->setBrush(fill);
    area->setPen(Qt::NoPen);
    chart.addSeries(area);
    area->attachAxis(x);
    area->attachAxis(y);
}

void addLine(QChart &chart, const CurveSeries &curve, const QColor &color, QAbstractAxis *x, QAbstractAxis *y)
{
    auto *line = new QLineSeries;
    for (const CurvePoint &point : curve.points)
        line->append(point.removed, point.score);
    line->setPen(curvePen(color, curve.outOfDomain, curve.randomOrders > 0 ? 1.3 : 2));
    chart.addSeries(line);
    line->attachAxis(x);
    line->attachAxis(y);
}

} // namespace

QString curveLabel(const CurveSeries &curve)
{
    const QString domain
        = curve.outOfDomain ? PruningPainterWords::tr("out-of-domain") : PruningPainterWords::tr("in-domain");
    if (curve.randomOrders > 0)
        return PruningPainterWords::tr("%1 (range of %2 orders), %3")
            .arg(curveName(curve), countText(curve.randomOrders), domain);
    return PruningPainterWords::tr("%1, %2").arg(curveName(curve), domain);
}

void paintCurveSample(QPainter &painter, const QRectF &rect, const CurveSeries &curve, const ViewPalette &palette)
{
    const OrderStyle style = styleOf(curve, palette);
    const QPointF from(rect.left(), rect.center().y());
    const QPointF to(rect.right(), rect.center().y());
    if (curve.randomOrders > 0) {
        QColor fill = style.color;
        fill.setAlphaF(0.22F);
        painter.fillRect(QRectF(from - QPointF(0, 5), to + QPointF(0, 5)), fill);
    }
    painter.setPen(curvePen(style.color, curve.outOfDomain, curve.randomOrders > 0 ? 1.3 : 2));
    painter.drawLine(from, to);
    if (curve.randomOrders == 0)
        drawMarker(painter, (from + to) / 2, 8, style, curve.outOfDomain, palette);
}

namespace {

/// The positions of the legend's entries, in rows over the plot.
struct LegendLayout
{
    std::vector<QPointF> places; ///< left middle of each entry
    double height = 0;
};

LegendLayout layOutLegend(const PruningSeries &series, const QFontMetricsF &metrics, double left, double width)
{
    LegendLayout layout;
    const double line = metrics.height() + 3;
    double x = left;
    double y = line / 2 + 2;
    for (const CurveSeries &curve : series.curves) {
        const double wide = kLegendLine + 8 + metrics.horizontalAdvance(curveLabel(curve)) + 22;
        if (x > left && x + wide > left + width) {
            x = left;
            y += line;
        }
        layout.places.emplace_back(x, y);
        x += wide;
    }
    layout.height = series.empty() ? 0 : y + line / 2 + 6;
    return layout;
}

/// Paints the overlay; the parts share painter, chart and picture.
class PruningOverlay
{
public:
    PruningOverlay(QPainter &painter, QChart &chart, const PruningPicture &picture)
        : m_painter(painter), m_chart(chart), m_picture(picture), m_plot(chart.plotArea()),
          m_metrics(painter.font(), painter.device())
    {
    }

    void paintLegend();
    /// Where the legend covers no curve; nothing: there is no such place.
    std::optional<QRectF> legendPlace() const;
    void paintLegendInside();
    void paintHeadAxis();
    void paintScoreBreak();
    void paintMarkers();
    void paintMargins();
    void paintFirstLosses();
    void paintKnees();
    void paintPins();
    void paintSlider();

private:
    QPointF at(double removed, double score) const;
    int pointsIn(const QRectF &box) const;
    std::vector<QRectF> rings() const;
    QRectF freest(const QSizeF &size, const std::vector<QPointF> &corners) const;
    void paintWords(const QRectF &box, const QString &text, const QColor &color);
    void paintReading(double x, const OrderStyle &style, const CurveSeries &curve);
    void paintLive(double x, const LiveScore &live);
    void paintTag(const QPointF &point, const QString &text, const QColor &color);

    QPainter &m_painter;
    QChart &m_chart;
    const PruningPicture &m_picture;
    QRectF m_plot;
    QFontMetricsF m_metrics;
    std::vector<QRectF> m_taken; ///< by words: no others are written over them
};

QPointF PruningOverlay::at(double removed, double score) const
{
    const PruningSeries &series = m_picture.series;
    const double whole = series.high - series.low;
    const double share = (score - series.low - m_picture.zoomFrom * whole) / (m_picture.zoomShare * whole);
    return {m_plot.left() + removed / series.candidates * m_plot.width(), m_plot.bottom() - share * m_plot.height()};
}

void PruningOverlay::paintLegend()
{
    const PruningSeries &series = m_picture.series;
    const LegendLayout layout = layOutLegend(series, m_metrics, m_plot.left(), usableWidth(m_chart));
    for (std::size_t i = 0; i < series.curves.size(); ++i) {
        const CurveSeries &curve = series.curves[i];
        const QPointF from = layout.places[i];
        const QPointF to = from + QPointF(kLegendLine, 0);
        paintCurveSample(m_painter, QRectF(from - QPointF(0, 6), to + QPointF(0, 6)), curve, m_picture.palette);
        m_painter.setPen(m_picture.palette.ink);
        m_painter.drawText(QRectF(to.x() + 6, from.y() - m_metrics.height() / 2, 1000, m_metrics.height()),
                           Qt::AlignLeft | Qt::AlignVCenter, curveLabel(curve));
    }
}

/// How much of the curves and of their intervals lies in a box, in points along them.
int PruningOverlay::pointsIn(const QRectF &box) const
{
    constexpr int kBetween = 8; // of two measured ones
    int count = 0;
    for (const CurveSeries &curve : m_picture.series.curves) {
        const auto along = [&](auto valueOf) {
            for (std::size_t i = 1; i < curve.points.size(); ++i) {
                const QPointF from = at(curve.points[i - 1].removed, valueOf(curve.points[i - 1]));
                const QPointF step = (at(curve.points[i].removed, valueOf(curve.points[i])) - from) / kBetween;
                for (int k = 0; k <= kBetween; ++k)
                    count += box.contains(from + k * step);
            }
        };
        along([](const CurvePoint &point) { return point.score; });
        if (curve.randomOrders > 0) { // a band that is seen
            along([](const CurvePoint &point) { return point.low; });
            along([](const CurvePoint &point) { return point.high; });
        }
    }
    return count;
}

/// Of boxes with these upper left corners, the first with the fewest words and then the fewest curves below it.
QRectF PruningOverlay::freest(const QSizeF &size, const std::vector<QPointF> &corners) const
{
    QRectF best;
    std::pair<std::ptrdiff_t, int> least;
    for (const QPointF &corner : corners) {
        const QPointF inside(
            std::clamp(corner.x(), m_plot.left() + 2, std::max(m_plot.left() + 2, m_plot.right() - size.width())),
            std::clamp(corner.y(), m_plot.top(), std::max(m_plot.top(), m_plot.bottom() - size.height())));
        const QRectF box(inside, size);
        const std::pair cost(std::ranges::count_if(m_taken, [&](const QRectF &other) { return other.intersects(box); }),
                             pointsIn(box));
        if (best.isNull() || cost < least) {
            best = box;
            least = cost;
        }
    }
    return best;
}

/// On a ground of its own, so that lines end beside it.
void PruningOverlay::paintWords(const QRectF &box, const QString &text, const QColor &color)
{
    QColor back = m_picture.palette.paper;
    back.setAlphaF(0.8F);
    m_painter.fillRect(box.adjusted(-3, 0, 3, 0), back);
    m_painter.setPen(color);
    m_painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, text);
}

/// A line for each curve, where no curve is: first where heads are many and the score is good, then where heads are few
/// and the score is bad, then anywhere.
std::optional<QRectF> PruningOverlay::legendPlace() const
{
    constexpr double kInset = 8;
    constexpr int kSteps = 8;
    const PruningSeries &series = m_picture.series;
    double wide = 0;
    for (const CurveSeries &curve : series.curves)
        wide = std::max(wide, m_metrics.horizontalAdvance(curveLabel(curve)));
    const QSizeF size(kLegendLine + 6 + wide + 2, (m_metrics.height() + 3) * static_cast<double>(series.curves.size()));
    if (size.width() > 0.6 * m_plot.width() || size.height() > 0.6 * m_plot.height())
        return std::nullopt;
    const bool goodIsAbove = gain(series.better, 1) > 0;
    const QSizeF spare(m_plot.width() - size.width() - 2 * kInset, m_plot.height() - size.height() - 2 * kInset);
    const auto isFree = [&](const QRectF &box) {
        constexpr double kAround = 4;
        const QRectF wider = box.adjusted(-kAround, -kAround, kAround, kAround);
        const auto isCut = [&](const CurveSeries &curve) { // by the line of the accepted loss
            return curve.accepted && wider.top() < at(0, *curve.accepted).y()
                && at(0, *curve.accepted).y() < wider.bottom();
        };
        return pointsIn(wider) == 0 && std::ranges::none_of(series.curves, isCut);
    };
    for (const bool many : {true, false}) {
        for (int x = 0; x <= kSteps; ++x) {
            for (int y = 0; y <= kSteps; ++y) {
                const double right = many ? kSteps - x : x;
                const double down = many == goodIsAbove ? y : kSteps - y;
                const QRectF box(
                    m_plot.topLeft()
                        + QPointF(kInset + spare.width() * right / kSteps, kInset + spare.height() * down / kSteps),
                    size);
                if (isFree(box))
                    return box;
            }
        }
    }
    return std::nullopt;
}

void PruningOverlay::paintLegendInside()
{
    const std::optional<QRectF> box = legendPlace();
    if (!box)
        return;
    m_taken.push_back(*box);
    QColor back = m_picture.palette.paper;
    back.setAlphaF(0.85F);
    m_painter.fillRect(box->adjusted(-4, -2, 4, 2), back);
    const double line = m_metrics.height() + 3;
    double y = box->top();
    for (const CurveSeries &curve : m_picture.series.curves) {
        const QRectF sample(box->left(), y + (line - 12) / 2, kLegendLine, 12);
        paintCurveSample(m_painter, sample, curve, m_picture.palette);
        m_painter.setPen(m_picture.palette.ink);
        m_painter.drawText(QRectF(sample.right() + 6, y, box->width(), line), Qt::AlignLeft | Qt::AlignVCenter,
                           curveLabel(curve));
        y += line;
    }
}

void PruningOverlay::paintScoreBreak()
{
    const PruningSeries &series = m_picture.series;
    const double low = series.low + m_picture.zoomFrom * (series.high - series.low);
    paintAxisBreak(m_painter, m_plot, low, low + m_picture.zoomShare * (series.high - series.low), m_picture.palette);
}

void PruningOverlay::paintHeadAxis()
{
    const QLocale locale;
    const double line = m_metrics.height();
    const double top = m_plot.bottom() + 6;
    const auto cell = [&](double x, double y, const QString &text) {
        m_painter.drawText(QRectF(x - 50, y, 100, line), Qt::AlignHCenter | Qt::AlignTop, text);
    };
    for (double tick : headTicks(m_picture.series, usableWidth(m_chart))) {
        const double x = at(tick, 0).x();
        m_painter.setPen(QPen(m_picture.palette.line, 1));
        m_painter.drawLine(QPointF(x, m_plot.bottom()), QPointF(x, m_plot.bottom() + 4));
        m_painter.setPen(m_picture.palette.ink);
        cell(x, top, countText(static_cast<std::int64_t>(tick)));
        m_painter.setPen(m_picture.palette.muted);
        cell(x, top + line,
             PruningPainterWords::tr("%1 %").arg(
                 locale.toString(static_cast<int>(std::lround(100 * tick / m_picture.series.candidates)))));
    }
    m_painter.setPen(m_picture.palette.ink);
    m_painter.drawText(QRectF(m_plot.left(), top + 2 * line + 2, m_plot.width(), line), Qt::AlignHCenter | Qt::AlignTop,
                       PruningPainterWords::tr("heads removed, and their share of the candidates"));
}

void PruningOverlay::paintMarkers()
{
    for (const CurveSeries &curve : m_picture.series.curves) {
        if (curve.randomOrders > 0)
            continue;
        const OrderStyle style = styleOf(curve, m_picture.palette);
        for (const CurvePoint &point : curve.points)
            drawMarker(m_painter, at(point.removed, point.score), 7, style, curve.outOfDomain, m_picture.palette);
    }
}

/// A line at the score that costs just the margin, for each full model's score, and a square around the last point up
/// to which losses are below it.
void PruningOverlay::paintMargins()
{
    constexpr double kHalf = 7;
    std::vector<double> drawn;
    for (const CurveSeries &curve : m_picture.series.curves) {
        if (!curve.accepted)
            continue;
        if (curve.within) {
            const CurvePoint &point = curve.points[*curve.within];
            const QPointF centre = at(point.removed, point.score);
            m_painter.setBrush(Qt::NoBrush);
            m_painter.setPen(QPen(m_picture.palette.accent, 1.8));
            m_painter.drawRect(QRectF(centre - QPointF(kHalf, kHalf), centre + QPointF(kHalf, kHalf)));
        }
        const double y = at(0, *curve.accepted).y();
        if (std::ranges::find(drawn, *curve.accepted) != drawn.end() || y < m_plot.top() || y > m_plot.bottom())
            continue;
        drawn.push_back(*curve.accepted);
        m_painter.setPen(QPen(m_picture.palette.muted, 1, Qt::DotLine));
        m_painter.drawLine(QPointF(m_plot.left(), y), QPointF(m_plot.right(), y));
        if (drawn.size() > 1)
            continue;
        const QString text = PruningPainterWords::tr("□ accepted loss");
        const QSizeF size(m_metrics.horizontalAdvance(text) + 4, m_metrics.height());
        const double up = gain(m_picture.series.better, 1);
        // On the side of worse scores, where the curves have left it; else on the other.
        const double worse = y + (up > 0 ? 1 : -1 - size.height());
        const double better = y + (up > 0 ? -1 - size.height() : 1);
        std::vector<QPointF> corners;
        for (const double side : {worse, better}) {
            for (const double share : {1.0, 0.75, 0.5, 0.25, 0.0})
                corners.emplace_back(m_plot.left() + 6 + share * (m_plot.width() - size.width() - 12), side);
        }
        const QRectF box = freest(size, corners);
        m_taken.push_back(box);
        paintWords(box, text, m_picture.palette.muted);
    }
}

void PruningOverlay::paintFirstLosses()
{
    // A short pointer and a sentence at the first curve's loss; rings alone at the others.
    bool said = false;
    for (const CurveSeries &curve : m_picture.series.curves) {
        if (!curve.firstLoss)
            continue;
        const CurvePoint &point = curve.points[*curve.firstLoss];
        const QPointF centre = at(point.removed, point.score);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(m_picture.palette.warning, 1.8));
        m_painter.drawEllipse(centre, 8, 8);
        if (said)
            continue;
        said = true;
        // The free area is to the left of a worsening curve: below it where it falls, above it where it rises.
        const double down = gain(m_picture.series.better, 1);
        const QString text = PruningPainterWords::tr("○ first significant loss");
        const QSizeF size(m_metrics.horizontalAdvance(text) + 2, m_metrics.height());
        std::vector<QPointF> corners;
        for (const double side : {down, -down}) {
            for (const double far : {34.0, 60.0, 90.0, 130.0}) {
                const double top = centre.y() + side * far - (side < 0 ? size.height() : 0);
                corners.emplace_back(centre.x() - 14 - size.width(), top);
                corners.emplace_back(centre.x() + 14, top);
            }
        }
        const QRectF box = freest(size, corners);
        m_taken.push_back(box);
        const QPointF elbow(std::clamp(centre.x(), box.left(), box.right()),
                            box.center().y() < centre.y() ? box.bottom() : box.top());
        const QPointF way = elbow - centre;
        const double length = std::hypot(way.x(), way.y());
        m_painter.setPen(QPen(m_picture.palette.warning, 1.2));
        if (length > 8)
            m_painter.drawLine(centre + way * (8 / length), elbow);
        paintWords(box, text, m_picture.palette.warning);
    }
}

/// A diamond; its name stands at the first one, on the curve's better side.
void PruningOverlay::paintKnees()
{
    constexpr double kHalf = 8;
    bool said = false;
    for (const CurveSeries &curve : m_picture.series.curves) {
        if (!curve.knee)
            continue;
        const CurvePoint &point = curve.points[*curve.knee];
        const QPointF centre = at(point.removed, point.score);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(m_picture.palette.accent, 1.8));
        m_painter.drawConvexPolygon(QPolygonF({centre - QPointF(0, kHalf), centre + QPointF(kHalf, 0),
                                               centre + QPointF(0, kHalf), centre - QPointF(kHalf, 0)}));
        if (said)
            continue;
        said = true;
        const double up = gain(m_picture.series.better, 1);
        const QString text = PruningPainterWords::tr("◇ knee");
        const QSizeF size(m_metrics.horizontalAdvance(text) + 2, m_metrics.height());
        std::vector<QPointF> corners;
        for (const double side : {-up, up}) {
            const double top = centre.y() + side * kHalf - (side < 0 ? size.height() : 0);
            corners.emplace_back(centre.x() + kHalf, top);
            corners.emplace_back(centre.x() - kHalf - size.width(), top);
            corners.emplace_back(centre.x() + kHalf, top + side * 2 * size.height());
        }
        const QRectF box = freest(size, corners);
        m_taken.push_back(box);
        paintWords(box, text, m_picture.palette.accent);
    }
}

/// Around points: first significant losses, and knees.
std::vector<QRectF> PruningOverlay::rings() const
{
    constexpr double kHalf = 9;
    std::vector<QRectF> found;
    for (const CurveSeries &curve : m_picture.series.curves) {
        for (const auto &marked : {curve.firstLoss, curve.knee}) {
            if (!marked)
                continue;
            const CurvePoint &point = curve.points[*marked];
            found.emplace_back(at(point.removed, point.score) - QPointF(kHalf, kHalf), QSizeF(2 * kHalf, 2 * kHalf));
        }
    }
    return found;
}

/// Needles on the x axis with the heads' names over them. Names that would cover each other move up.
void PruningOverlay::paintPins()
{
    constexpr double kNeedle = 9;
    constexpr double kKnob = 3.5;
    for (const PinnedPlace &pin : m_picture.pins) {
        const double x = at(pin.removed, 0).x();
        const QSizeF size(m_metrics.horizontalAdvance(pin.name) + 6, m_metrics.height());
        const double left
            = std::clamp(x - size.width() / 2, m_plot.left(), std::max(m_plot.left(), m_plot.right() - size.width()));
        QRectF box(QPointF(left, m_plot.bottom() - kNeedle - 2 * kKnob - size.height()), size);
        for (bool moved = true; moved;) {
            const auto other = std::ranges::find_if(m_taken, [&](const QRectF &one) { return box.intersects(one); });
            moved = other != m_taken.end();
            if (moved)
                box.moveBottom(other->top());
        }
        m_taken.push_back(box);
        m_painter.setPen(QPen(m_picture.palette.muted, 1));
        m_painter.drawLine(QPointF(x, m_plot.bottom()), QPointF(x, std::max(box.bottom(), m_plot.top())));
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(m_picture.palette.accent);
        m_painter.drawEllipse(QPointF(x, m_plot.bottom() - kNeedle - kKnob), kKnob, kKnob);
        if (box.top() < m_plot.top())
            continue; // no room for more names
        QColor back = m_picture.palette.paper;
        back.setAlphaF(0.8F);
        m_painter.fillRect(box, back);
        m_painter.setPen(m_picture.palette.ink);
        m_painter.drawText(box, Qt::AlignCenter, pin.name);
    }
}

void PruningOverlay::paintTag(const QPointF &point, const QString &text, const QColor &color)
{
    const QSizeF size(m_metrics.horizontalAdvance(text) + 10, m_metrics.height() + 2);
    const bool left = point.x() + size.width() + 14 > m_plot.right();
    QRectF box(QPointF(left ? point.x() - 10 - size.width() : point.x() + 10, point.y() - size.height() / 2), size);
    // Beside the point, unless a ring around a point is there: then above it, or below.
    const auto isOverRing = [&](double top) {
        const QRectF there(QPointF(box.left(), top), size);
        return std::ranges::any_of(rings(), [&](const QRectF &ring) { return ring.intersects(there); });
    };
    for (const double top : {box.top(), point.y() - 10 - size.height(), point.y() + 10}) {
        if (top >= m_plot.top() - size.height() && !isOverRing(top)) {
            box.moveTop(top);
            break;
        }
    }
    // Tags that would cover each other move down.
    for (bool moved = true; moved;) {
        moved = false;
        for (const QRectF &other : m_taken) {
            if (box.intersects(other)) {
                box.moveTop(other.bottom() + 1);
                moved = true;
            }
        }
    }
    m_taken.push_back(box);
    QColor back = m_picture.palette.paper;
    back.setAlphaF(0.9F);
    m_painter.setPen(QPen(color, 1));
    m_painter.setBrush(back);
    m_painter.drawRoundedRect(box, 3, 3);
    m_painter.setPen(m_picture.palette.ink);
    m_painter.drawText(box, Qt::AlignCenter, text);
}

void PruningOverlay::paintReading(double x, const OrderStyle &style, const CurveSeries &curve)
{
    const std::optional<CurveReading> reading = readCurve(curve, x);
    if (!reading)
        return;
    const QPointF point = at(x, reading->score);
    drawMarker(m_painter, point, 9, style, curve.outOfDomain, m_picture.palette);
    const int decimals = metricFormat(m_picture.series.metric).decimals;
    // Values that are not measured are marked so.
    paintTag(point, (reading->measured ? QString() : u"≈ "_s) + numberText(reading->score, decimals), style.color);
}

void PruningOverlay::paintLive(double x, const LiveScore &live)
{
    const QPointF point = at(x, live.score);
    m_painter.setPen(QPen(m_picture.palette.accent, 2));
    if (live.interval)
        m_painter.drawLine(at(x, live.interval->low), at(x, live.interval->high));
    m_painter.setBrush(live.outOfDomain ? m_picture.palette.paper : m_picture.palette.accent);
    m_painter.drawEllipse(point, 5, 5);
    const int decimals = metricFormat(m_picture.series.metric).decimals;
    QString text = numberText(live.score, decimals);
    if (live.interval)
        text += u" ±"_s + numberText(halfWidth(*live.interval), decimals);
    paintTag(point, text, m_picture.palette.accent);
}

void PruningOverlay::paintSlider()
{
    if (!m_picture.slider)
        return;
    const double x = *m_picture.slider;
    const double left = at(x, 0).x();
    m_painter.setPen(QPen(m_picture.palette.accent, 1.5));
    m_painter.drawLine(QPointF(left, m_plot.top()), QPointF(left, m_plot.bottom() + 4));
    const auto isLive = [&](bool outOfDomain) {
        return std::any_of(m_picture.live.begin(), m_picture.live.end(),
                           [&](const LiveScore &live) { return live.outOfDomain == outOfDomain; });
    };
    for (const LiveScore &live : m_picture.live)
        paintLive(x, live);
    for (const CurveSeries &curve : m_picture.series.curves) {
        if (curve.randomOrders == 0 && !isLive(curve.outOfDomain))
            paintReading(x, styleOf(curve, m_picture.palette), curve);
    }
}

} // namespace

QString curveName(const CurveSeries &curve)
{
    QString name = orderName(curve.order);
    if (curve.kind)
        name = PruningPainterWords::tr("%1, %2").arg(name, headKindLabel(*curve.kind));
    QStringList remarks{curve.note, curve.basis};
    remarks.removeAll(QString());
    return remarks.isEmpty() ? name : PruningPainterWords::tr("%1 (%2)").arg(name, remarks.join(QStringLiteral(", ")));
}

void buildPruningChart(QChart &chart, const PruningPicture &picture, const QFont &font)
{
    styleChart(chart, picture.palette);
    chart.legend()->hide();
    const QFontMetricsF metrics(font);
    const LegendLayout legend = picture.legend == PruningPicture::Legend::Above
                                  ? layOutLegend(picture.series, metrics, 0, usableWidth(chart))
                                  : LegendLayout();
    const int axisHeight = static_cast<int>(3 * metrics.height()) + 10;
    chart.setMargins(QMargins(4, static_cast<int>(legend.height) + 4, 18, axisHeight));
    auto *x = makeHeadAxis(picture.series, picture, font, usableWidth(chart));
    auto *y = makeScoreAxis(picture.series, picture, font);
    chart.addAxis(x, Qt::AlignBottom);
    chart.addAxis(y, Qt::AlignLeft);
    for (const CurveSeries &curve : picture.series.curves)
        addBand(chart, curve, styleOf(curve, picture.palette).color, x, y);
    for (const CurveSeries &curve : picture.series.curves)
        addLine(chart, curve, styleOf(curve, picture.palette).color, x, y);
    settleChart(chart);
}

bool hasLegendPlace(QChart &chart, const PruningPicture &picture, const QFont &font)
{
    QImage measured(1, 1, QImage::Format_RGB32); // texts have a size on a device alone
    QPainter painter(&measured);
    painter.setFont(font);
    return PruningOverlay(painter, chart, picture).legendPlace().has_value();
}

void paintPruningOverlay(QPainter &painter, QChart &chart, const PruningPicture &picture)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    PruningOverlay overlay(painter, chart, picture);
    if (picture.legend == PruningPicture::Legend::Above)
        overlay.paintLegend();
    else if (picture.legend == PruningPicture::Legend::Inside)
        overlay.paintLegendInside();
    overlay.paintHeadAxis();
    overlay.paintScoreBreak();
    if (picture.zoomShare < 1) // what lies beyond is not seen, its marks neither
        painter.setClipRect(chart.plotArea().adjusted(-9, -9, 9, 9));
    overlay.paintMarkers();
    overlay.paintMargins();
    overlay.paintSlider(); // words beside the curves keep off its values
    overlay.paintFirstLosses();
    overlay.paintKnees();
    overlay.paintPins();
    painter.restore();
}

QRectF paintPruningChart(QPainter &painter, const QRectF &rect, const PruningPicture &picture)
{
    QGraphicsScene scene;
    auto *chart = new QChart; // owned by the scene once it is in it
    scene.addItem(chart);
    chart->resize(rect.size());
    buildPruningChart(*chart, picture, painter.font());
    renderChart(painter, rect, scene, *chart);
    painter.save();
    painter.translate(rect.topLeft());
    paintPruningOverlay(painter, *chart, picture);
    painter.restore();
    return chart->plotArea().translated(rect.topLeft());
}

} // namespace headscope
