#include "ui/charts/scatterpainter.h"

#include "ui/charts/chartstyle.h"
#include "ui/heatmap/colorscale.h"
#include "ui/models/kindtext.h"
#include "ui/models/numbertext.h"

#include <QChart>
#include <QCoreApplication>
#include <QFontMetricsF>
#include <QGraphicsScene>
#include <QPainter>
#include <QValueAxis>

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

struct ScatterPainterWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::ScatterChart)
};

QValueAxis *makeAxis(const ScatterPicture &picture, const QFont &font, const QString &title, int atMost)
{
    auto *axis = new QValueAxis;
    axis->setRange(picture.series.low, picture.series.high);
    const std::vector<double> ticks = roundTicks(picture.series.low, picture.series.high, atMost);
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
    axis->setTickType(QValueAxis::TicksDynamic);
    axis->setTickAnchor(0);
    axis->setTickInterval(step);
    axis->setLabelFormat(u"%.%1f"_s.arg(decimalsOf(step)));
    styleAxis(*axis, picture.palette, font, title);
    return axis;
}

class ScatterOverlay
{
public:
    ScatterOverlay(QPainter &painter, QChart &chart, const ScatterPicture &picture)
        : m_painter(painter), m_picture(picture), m_plot(chart.plotArea()), m_width(chart.size().width()),
          m_metrics(painter.font(), painter.device())
    {
    }

    void paintTitle();
    void paintReferenceLines();
    void paintPoints();
    void paintBrush();

private:
    QPointF at(double x, double y) const { return scatterPosition(m_picture.series, m_plot, {x, y}); }
    void paintPoint(const ScatterSeries::Point &point);
    void paintName(const ScatterSeries::Point &point);
    double paintLegendEntry(double x, double y, HeadKind kind);

    QPainter &m_painter;
    const ScatterPicture &m_picture;
    QRectF m_plot;
    double m_width = 0;
    QFontMetricsF m_metrics;
};

double ScatterOverlay::paintLegendEntry(double x, double y, HeadKind kind)
{
    drawMarker(m_painter, QPointF(x + 5, y), 8, kindStyle(static_cast<int>(kind), m_picture.palette), false,
               m_picture.palette);
    const QString name = headKindLabel(kind);
    const double width = m_metrics.horizontalAdvance(name);
    m_painter.setPen(m_picture.palette.ink);
    m_painter.drawText(QRectF(x + 14, y - m_metrics.height() / 2, width + 2, m_metrics.height()),
                       Qt::AlignLeft | Qt::AlignVCenter, name);
    return x + 14 + width + 18;
}

void ScatterOverlay::paintTitle()
{
    const double line = m_metrics.height() + 2;
    m_painter.setPen(m_picture.palette.ink);
    const QString text = correlationText(m_picture.series);
    // Where one line is too narrow the coefficients go below each other.
    QStringList lines{text};
    if (m_metrics.horizontalAdvance(text) > m_width - 12) {
        lines = text.split(u"   ·   "_s);
        lines = {lines.value(0), lines.value(1) + u"   ·   "_s + lines.value(2)};
    }
    double y = 2;
    for (const QString &part : lines) {
        m_painter.drawText(QRectF(6, y, m_width - 8, line), Qt::AlignLeft | Qt::AlignVCenter,
                           m_metrics.elidedText(part, Qt::ElideRight, m_width - 8));
        y += line;
    }
    double x = 8;
    for (HeadKind kind : kAllHeadKinds) {
        const bool present = std::any_of(m_picture.series.points.begin(), m_picture.series.points.end(),
                                         [&](const auto &point) { return point.head.kind == kind; });
        if (present)
            x = paintLegendEntry(x, 2 + 2.5 * line + 2, kind);
    }
}

void ScatterOverlay::paintReferenceLines()
{
    const ScatterSeries &series = m_picture.series;
    m_painter.setPen(QPen(m_picture.palette.line, 1));
    if (series.low < 0) {
        m_painter.drawLine(at(series.low, 0), at(series.high, 0));
        m_painter.drawLine(at(0, series.low), at(0, series.high));
    }
    m_painter.setPen(QPen(m_picture.palette.muted, 1, Qt::DashLine));
    m_painter.drawLine(at(series.low, series.low), at(series.high, series.high));
    // The low end is where the fewest points are: most heads matter little.
    m_painter.save();
    m_painter.translate(at(series.low, series.low));
    m_painter.rotate(-45);
    m_painter.drawText(QRectF(10, -m_metrics.height() - 1, 300, m_metrics.height()), Qt::AlignLeft | Qt::AlignTop,
                       ScatterPainterWords::tr("equal on both"));
    m_painter.restore();
}

void ScatterOverlay::paintPoint(const ScatterSeries::Point &point)
{
    const QPointF centre = at(point.x, point.y);
    const bool masked = m_picture.masked.contains(point.head);
    drawMarker(m_painter, centre, 8, kindStyle(static_cast<int>(point.head.kind), m_picture.palette), masked,
               m_picture.palette);
    m_painter.setBrush(Qt::NoBrush);
    if (m_picture.selection.contains(point.head)) {
        m_painter.setPen(QPen(m_picture.palette.accent, 1.8));
        m_painter.drawEllipse(centre, 7.5, 7.5);
    }
    if (m_picture.current == point.head || m_picture.hovered == point.head) {
        m_painter.setPen(QPen(m_picture.palette.ink, 1.2));
        m_painter.drawEllipse(centre, 10, 10);
    }
}

void ScatterOverlay::paintName(const ScatterSeries::Point &point)
{
    const QPointF centre = at(point.x, point.y);
    const QString name = QString::fromStdString(toText(point.head));
    const QSizeF size(m_metrics.horizontalAdvance(name) + 8, m_metrics.height());
    const bool left = centre.x() + size.width() + 14 > m_plot.right();
    const bool above = centre.y() - size.height() - 8 > m_plot.top();
    const QRectF box(QPointF(left ? centre.x() - 10 - size.width() : centre.x() + 10,
                             above ? centre.y() - size.height() - 6 : centre.y() + 6),
                     size);
    QColor back = m_picture.palette.paper;
    back.setAlphaF(0.85F);
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(back);
    m_painter.drawRoundedRect(box, 3, 3);
    m_painter.setPen(m_picture.palette.ink);
    m_painter.drawText(box, Qt::AlignCenter, name);
}

void ScatterOverlay::paintPoints()
{
    for (const ScatterSeries::Point &point : m_picture.series.points)
        paintPoint(point);
    for (const ScatterSeries::Point &point : m_picture.series.points) {
        if (m_picture.current == point.head || m_picture.hovered == point.head)
            paintName(point);
    }
}

void ScatterOverlay::paintBrush()
{
    if (m_picture.brush.isNull())
        return;
    QColor fill = m_picture.palette.accent;
    fill.setAlphaF(0.12F);
    m_painter.setPen(QPen(m_picture.palette.accent, 1));
    m_painter.setBrush(fill);
    m_painter.drawRect(m_picture.brush.normalized());
}

} // namespace

QPointF scatterPosition(const ScatterSeries &series, const QRectF &plot, const QPointF &value)
{
    const double range = series.high - series.low;
    return {plot.left() + (value.x() - series.low) / range * plot.width(),
            plot.bottom() - (value.y() - series.low) / range * plot.height()};
}

QPointF scatterValue(const ScatterSeries &series, const QRectF &plot, const QPointF &position)
{
    const double range = series.high - series.low;
    return {series.low + (position.x() - plot.left()) / plot.width() * range,
            series.low + (plot.bottom() - position.y()) / plot.height() * range};
}

QString scatterPointText(const ScatterSeries &series, const ScatterSeries::Point &point)
{
    const int decimals = std::min(decimalsOf(roundStep(series.high - series.low, 7)) + 2, 6);
    const bool isSigned = series.low < 0;
    const auto number
        = [&](double value) { return isSigned ? signedText(value, decimals) : numberText(value, decimals); };
    return ScatterPainterWords::tr("%1: in-domain %2, out-of-domain %3")
        .arg(QString::fromStdString(toText(point.head)), number(point.x), number(point.y));
}

void buildScatterChart(QChart &chart, const ScatterPicture &picture, const QFont &font)
{
    styleChart(chart, picture.palette);
    chart.legend()->hide();
    const QFontMetricsF metrics(font);
    QMargins margins(4, static_cast<int>(3 * (metrics.height() + 2)) + 8, 14, 2);
    chart.setMargins(margins);
    const QString pattern = ScatterPainterWords::tr("%1, %2");
    const QString measure = picture.series.unit.isEmpty()
                              ? picture.series.measure
                              : QString(picture.series.measure + u" ("_s + picture.series.unit + u')');
    // As many labels as have room: Qt Charts would shorten them to dots.
    const double side = std::min(chart.size().width(), chart.size().height()) - 90;
    const int ticks = std::clamp(static_cast<int>(side / metrics.horizontalAdvance(u"−0.000"_s)), 3, 7);
    chart.addAxis(makeAxis(picture, font, pattern.arg(measure, picture.series.xName), ticks), Qt::AlignBottom);
    chart.addAxis(makeAxis(picture, font, pattern.arg(measure, picture.series.yName), ticks), Qt::AlignLeft);
    settleChart(chart);
    // Equal scales: the plot is square, and the diagonal means "equal".
    const auto excess = static_cast<int>(chart.plotArea().width() - chart.plotArea().height());
    if (excess > 0)
        margins.setRight(margins.right() + excess);
    else
        margins.setBottom(margins.bottom() - excess);
    chart.setMargins(margins);
    settleChart(chart);
}

void paintScatterOverlay(QPainter &painter, QChart &chart, const ScatterPicture &picture)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    ScatterOverlay overlay(painter, chart, picture);
    overlay.paintTitle();
    overlay.paintReferenceLines();
    overlay.paintPoints();
    overlay.paintBrush();
    painter.restore();
}

void paintScatterChart(QPainter &painter, const QRectF &rect, const ScatterPicture &picture)
{
    QGraphicsScene scene;
    auto *chart = new QChart; // owned by the scene once it is in it
    scene.addItem(chart);
    chart->resize(rect.size());
    buildScatterChart(*chart, picture, painter.font());
    renderChart(painter, rect, scene, *chart);
    painter.save();
    painter.translate(rect.topLeft());
    paintScatterOverlay(painter, *chart, picture);
    painter.restore();
}

} // namespace headscope
