#include "ui/pages/training/trainingpainter.h"

#include "ui/charts/chartstyle.h"
#include "ui/heatmap/colorscale.h"
#include "ui/models/numbertext.h"
#include "ui/pages/training/trainingtext.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

constexpr double kLegendLine = 26; ///< length of the sample in the legend
constexpr double kRightOfCurves = 18;
constexpr double kLossShare = 0.6; ///< of the height that both plots have
constexpr int kScoreDecimals = 2;
constexpr double kManyMarkers = 80; ///< epochs from which markers would touch

struct TrainingPainterWords
{
    Q_DECLARE_TR_FUNCTIONS(headscope::TrainingChart)
};

struct Line
{
    const std::vector<QPointF> &points;
    OrderStyle style;
    QString name;
    bool markers = true;
};

/// One plot with its y axis, its legend and its lines.
class Panel
{
public:
    Panel(QPainter &painter, const QRectF &plot, const TrainingPicture &picture, double low, double high)
        : m_painter(painter), m_plot(plot), m_picture(picture), m_low(low), m_high(high),
          m_metrics(painter.font(), painter.device())
    {
    }

    QPointF at(const QPointF &point) const
    {
        return {m_plot.left() + point.x() / m_picture.series.epochs * m_plot.width(),
                m_plot.bottom() - (point.y() - m_low) / (m_high - m_low) * m_plot.height()};
    }

    void paintAxes(const QString &title);
    void paintLegend(const std::vector<Line> &lines);
    void paintLine(const Line &line);
    void paintBest(const QString &text);
    void paintCursor(const std::vector<Line> &lines);
    double legendEnd() const { return m_legendEnd; }

private:
    QPainter &m_painter;
    QRectF m_plot;
    const TrainingPicture &m_picture;
    double m_low;
    double m_high;
    QFontMetricsF m_metrics;
    double m_legendEnd = 0;
};

std::vector<double> valueTicks(const QRectF &plot, double low, double high, double lineHeight)
{
    const int atMost = std::clamp(static_cast<int>(plot.height() / (1.8 * lineHeight)), 2, 8);
    return roundTicks(low, high, atMost);
}

/// Whole epochs only.
std::vector<double> epochTicks(const QRectF &plot, double epochs, const QFontMetricsF &metrics)
{
    // The widest number with a gap: numbers that touch cannot be told apart.
    const double room = metrics.horizontalAdvance(countText(static_cast<std::int64_t>(epochs))) + 2 * metrics.height();
    const int atMost = std::clamp(static_cast<int>(plot.width() / room), 1, 21);
    if (epochs <= atMost) {
        std::vector<double> ticks;
        for (int epoch = 0; epoch <= epochs; ++epoch)
            ticks.push_back(epoch);
        return ticks;
    }
    std::vector<double> ticks = roundTicks(0, epochs, std::max(2, atMost));
    if (ticks.size() < 2) // 0 by itself is no axis
        ticks = {0, std::floor(epochs)};
    return ticks;
}

void Panel::paintAxes(const QString &title)
{
    const QLocale locale;
    const std::vector<double> ticks = valueTicks(m_plot, m_low, m_high, m_metrics.height());
    const int decimals = ticks.size() > 1 ? decimalsOf(ticks[1] - ticks[0]) : 1;
    for (const double tick : epochTicks(m_plot, m_picture.series.epochs, m_metrics)) {
        const double x = at({tick, m_low}).x();
        m_painter.setPen(QPen(m_picture.palette.gridLine, 1));
        m_painter.drawLine(QPointF(x, m_plot.top()), QPointF(x, m_plot.bottom()));
    }
    for (const double tick : ticks) {
        const double y = at({0, tick}).y();
        m_painter.setPen(QPen(m_picture.palette.gridLine, 1));
        m_painter.drawLine(QPointF(m_plot.left(), y), QPointF(m_plot.right(), y));
        m_painter.setPen(m_picture.palette.muted);
        m_painter.drawText(QRectF(m_plot.left() - 106, y - m_metrics.height() / 2, 100, m_metrics.height()),
                           Qt::AlignRight | Qt::AlignVCenter, locale.toString(tick, 'f', decimals));
    }
    m_painter.setPen(QPen(m_picture.palette.line, 1));
    m_painter.drawLine(m_plot.topLeft(), m_plot.bottomLeft());
    m_painter.drawLine(m_plot.bottomLeft(), m_plot.bottomRight());
    m_painter.save();
    m_painter.setPen(m_picture.palette.ink);
    m_painter.translate(m_metrics.height() * 0.6 + 4, m_plot.center().y());
    m_painter.rotate(-90);
    m_painter.drawText(QRectF(-300, -m_metrics.height() / 2, 600, m_metrics.height()), Qt::AlignCenter, title);
    m_painter.restore();
}

void Panel::paintLegend(const std::vector<Line> &lines)
{
    double x = m_plot.left();
    const double y = m_plot.top() - m_metrics.height() / 2 - 5;
    for (const Line &line : lines) {
        const QPointF from(x, y);
        const QPointF to(x + kLegendLine, y);
        m_painter.setPen(curvePen(line.style.color, false, line.markers ? 2 : 1.2));
        m_painter.drawLine(from, to);
        if (line.markers)
            drawMarker(m_painter, (from + to) / 2, 8, line.style, false, m_picture.palette);
        m_painter.setPen(m_picture.palette.ink);
        const double wide = m_metrics.horizontalAdvance(line.name);
        m_painter.drawText(QRectF(to.x() + 6, y - m_metrics.height() / 2, wide + 2, m_metrics.height()),
                           Qt::AlignLeft | Qt::AlignVCenter, line.name);
        x = to.x() + 6 + wide;
        m_legendEnd = x;
        x += 22;
    }
}

void Panel::paintLine(const Line &line)
{
    QPolygonF path;
    for (const QPointF &point : line.points)
        path << at(point);
    m_painter.setBrush(Qt::NoBrush);
    m_painter.setPen(curvePen(line.style.color, false, line.markers ? 2 : 1.2));
    m_painter.save();
    m_painter.setClipRect(m_plot.adjusted(-1, -1, 1, 1), Qt::IntersectClip);
    m_painter.drawPolyline(path);
    m_painter.restore();
    if (!line.markers)
        return;
    const double size = line.points.size() > kManyMarkers ? 4 : 7;
    for (const QPointF &point : path)
        drawMarker(m_painter, point, size, line.style, false, m_picture.palette);
}

/// A line at the best epoch; the words stand where there is room beside it.
void Panel::paintBest(const QString &text)
{
    if (!m_picture.series.bestEpoch)
        return;
    const double x = at({*m_picture.series.bestEpoch, m_low}).x();
    QPen pen(m_picture.palette.ink, 1.2);
    pen.setDashPattern({2, 3});
    m_painter.setPen(pen);
    m_painter.drawLine(QPointF(x, m_plot.top()), QPointF(x, m_plot.bottom()));
    if (text.isEmpty())
        return;
    const double width = m_metrics.horizontalAdvance(text) + 8;
    const bool left = x + width + 6 > m_plot.right();
    const QRectF box(left ? x - width - 4 : x + 4, m_plot.bottom() - m_metrics.height() - 6, width,
                     m_metrics.height() + 2);
    QColor back = m_picture.palette.paper;
    back.setAlphaF(0.85F);
    m_painter.fillRect(box, back);
    m_painter.setPen(m_picture.palette.ink);
    m_painter.drawText(box, Qt::AlignCenter, text);
}

void Panel::paintCursor(const std::vector<Line> &lines)
{
    if (!m_picture.cursor)
        return;
    const double x = at({*m_picture.cursor, m_low}).x();
    m_painter.setPen(QPen(m_picture.palette.accent, 1));
    m_painter.drawLine(QPointF(x, m_plot.top()), QPointF(x, m_plot.bottom()));
    for (const Line &line : lines) {
        for (const QPointF &point : line.points) {
            if (line.markers && std::abs(point.x() - *m_picture.cursor) < 1e-9) {
                m_painter.setBrush(Qt::NoBrush);
                m_painter.setPen(QPen(m_picture.palette.accent, 1.8));
                m_painter.drawEllipse(at(point), 7, 7);
            }
        }
    }
}

std::vector<Line> lossLines(const TrainingPicture &picture)
{
    const TrainingSeries &series = picture.series;
    std::vector<Line> lines{{series.trainLoss, trainingStyle(TrainingLine::Training, picture.palette),
                             TrainingPainterWords::tr("training (with dropout)"), false}};
    if (series.withScore || !series.validationLoss.empty())
        lines.push_back({series.validationLoss, trainingStyle(TrainingLine::Validation, picture.palette),
                         TrainingPainterWords::tr("validation"), true});
    return lines;
}

QString bestText(const TrainingSeries &series)
{
    if (!series.bestEpoch)
        return {};
    const TrainingReading reading = readTraining(series, *series.bestEpoch);
    const QString epoch = countText(static_cast<std::int64_t>(*series.bestEpoch));
    return reading.score ? TrainingPainterWords::tr("★ best: epoch %1, %2 %3")
                               .arg(epoch, series.metric, numberText(*reading.score, kScoreDecimals))
                         : TrainingPainterWords::tr("★ best: epoch %1").arg(epoch);
}

void paintEpochAxis(QPainter &painter, const QRectF &plot, const TrainingPicture &picture)
{
    const QFontMetricsF metrics(painter.font(), painter.device());
    for (const EpochLabel &label : epochLabels(plot, picture.series.epochs, metrics)) {
        const double x = label.rect.center().x();
        painter.setPen(QPen(picture.palette.line, 1));
        painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + 4));
        painter.setPen(picture.palette.muted);
        painter.drawText(label.rect, Qt::AlignCenter | Qt::TextDontClip, label.text);
    }
    painter.setPen(picture.palette.ink);
    painter.drawText(QRectF(plot.left(), plot.bottom() + 8 + metrics.height(), plot.width(), metrics.height()),
                     Qt::AlignHCenter | Qt::AlignTop,
                     TrainingPainterWords::tr("epochs (passes over the training text)"));
}

/// What the lines say at the cursor: beside the legend if there is room, otherwise in the plot.
void paintReading(QPainter &painter, const QRectF &plot, const TrainingPicture &picture, double legendEnd)
{
    if (!picture.cursor)
        return;
    const QFontMetricsF metrics(painter.font(), painter.device());
    const QString text = trainingReadingText(picture.series, *picture.cursor);
    const double width = metrics.horizontalAdvance(text) + 8;
    const bool beside = legendEnd + 16 + width <= plot.right();
    const QRectF box(plot.right() - width, beside ? plot.top() - metrics.height() - 5 : plot.top() + 4, width,
                     metrics.height());
    QColor back = picture.palette.paper;
    back.setAlphaF(0.85F);
    painter.fillRect(box, back);
    painter.setPen(picture.palette.accent);
    painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, text);
}

/// "BLEU (points)", "accuracy (%)"
QString scoreTitle(const TrainingSeries &series)
{
    if (series.metric == "BLEU"_L1)
        return TrainingPainterWords::tr("BLEU (points)");
    const QString unit = metricFormat(series.metric).suffix.trimmed();
    return unit.isEmpty() ? series.metric : TrainingPainterWords::tr("%1 (%2)").arg(series.metric, unit);
}

} // namespace

double TrainingPanels::epochAt(double x, const TrainingSeries &series) const
{
    return std::clamp((x - loss.left()) / std::max(loss.width(), 1.0), 0.0, 1.0) * series.epochs;
}

std::vector<EpochLabel> epochLabels(const QRectF &plot, double epochs, const QFontMetricsF &metrics)
{
    std::vector<EpochLabel> labels;
    for (const double tick : epochTicks(plot, epochs, metrics)) {
        const QString text = countText(static_cast<std::int64_t>(std::lround(tick)));
        const double width = metrics.horizontalAdvance(text);
        const double x = plot.left() + tick / epochs * plot.width();
        labels.push_back({tick, {x - width / 2, plot.bottom() + 6, width, metrics.height()}, text});
    }
    return labels;
}

TrainingPanels layOutTraining(const QRectF &rect, const TrainingSeries &series, const QFontMetricsF &metrics)
{
    const double line = metrics.height();
    const double legend = line + 10;
    const double left = line + 14 + metrics.horizontalAdvance(u"00.00"_s);
    const double below = 2 * line + 14;
    const double width = std::max(rect.width() - left - kRightOfCurves, 20.0);
    const double gap = series.withScore ? line + legend * 0.7 : 0;
    const double height = std::max(rect.height() - legend - below - gap, 20.0);
    const double loss = series.withScore ? height * kLossShare : height;
    TrainingPanels panels;
    panels.loss = QRectF(rect.left() + left, rect.top() + legend, width, loss);
    if (series.withScore)
        panels.score = QRectF(panels.loss.left(), panels.loss.bottom() + gap, width, height - loss);
    return panels;
}

QString trainingReadingText(const TrainingSeries &series, double x)
{
    const TrainingReading reading = readTraining(series, x);
    QStringList parts{TrainingPainterWords::tr("epoch %1")
                          .arg(QLocale().toString(x, 'f', std::abs(x - std::round(x)) < 1e-9 ? 0 : 1))};
    if (reading.trainLoss)
        parts << TrainingPainterWords::tr("training %1").arg(numberText(*reading.trainLoss, kLossDecimals));
    QStringList values;
    if (reading.validationLoss)
        values << TrainingPainterWords::tr("validation %1").arg(numberText(*reading.validationLoss, kLossDecimals));
    if (reading.score)
        values << TrainingPainterWords::tr("%1 %2").arg(series.metric, numberText(*reading.score, kScoreDecimals));
    if (values.isEmpty())
        return parts.join(u" · "_s);
    if (std::abs(*reading.epoch - x) > 1e-9)
        parts << TrainingPainterWords::tr("after epoch %1: %2")
                     .arg(countText(static_cast<std::int64_t>(*reading.epoch)), values.join(u", "_s));
    else
        parts << values;
    return parts.join(u" · "_s);
}

void paintTrainingChart(QPainter &painter, const QRectF &rect, const TrainingPicture &picture)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect, picture.palette.paper);
    painter.translate(rect.topLeft());
    const TrainingSeries &series = picture.series;
    const TrainingPanels panels
        = layOutTraining(QRectF({0, 0}, rect.size()), series, QFontMetricsF(painter.font(), painter.device()));
    Panel loss(painter, panels.loss, picture, series.lossLow, series.lossHigh);
    const std::vector<Line> lines = lossLines(picture);
    loss.paintAxes(TrainingPainterWords::tr("loss (nats per target token)"));
    loss.paintBest(series.withScore ? QString() : bestText(series));
    for (const Line &line : lines)
        loss.paintLine(line);
    loss.paintLegend(lines);
    loss.paintCursor(lines);
    if (series.withScore) {
        Panel score(painter, panels.score, picture, series.scoreLow, series.scoreHigh);
        const std::vector<Line> scores{{series.score, trainingStyle(TrainingLine::Bleu, picture.palette),
                                        TrainingPainterWords::tr("%1 of the validation data").arg(series.metric),
                                        true}};
        score.paintAxes(scoreTitle(series));
        score.paintBest(bestText(series));
        score.paintLine(scores.front());
        score.paintLegend(scores);
        score.paintCursor(scores);
    }
    paintReading(painter, panels.loss, picture, loss.legendEnd());
    paintEpochAxis(painter, series.withScore ? panels.score : panels.loss, picture);
    painter.restore();
}

} // namespace headscope
