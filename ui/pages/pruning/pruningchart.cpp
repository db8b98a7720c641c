#include "ui/pages/pruning/pruningchart.h"

#include "ui/charts/chartstyle.h"
#include "ui/heatmap/focusframe.h"
#include "ui/models/numbertext.h"
#include "ui/models/plaintip.h"
#include "ui/state/studystate.h"

#include <QChart>
#include <QFocusEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <memory>

using namespace Qt::StringLiterals;

namespace headscope {

PruningChart::PruningChart(QWidget *parent) : QChartView(new QChart, parent)
{
    setRenderHint(QPainter::Antialiasing);
    setFrameShape(QFrame::NoFrame);
    setMinimumSize(320, 220);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    m_picture.palette = ViewPalette::matching(palette());
    rebuild();
    describe();
}

void PruningChart::setSeries(PruningSeries series)
{
    m_picture.series = std::move(series);
    rebuild();
    describe();
}

void PruningChart::setLegend(PruningPicture::Legend legend)
{
    m_legend = legend;
    rebuild();
}

void PruningChart::setSlider(std::optional<double> removed)
{
    m_picture.slider = removed;
    viewport()->update();
    describe();
}

void PruningChart::setLiveScores(std::vector<LiveScore> scores)
{
    m_picture.live = std::move(scores);
    viewport()->update();
}

void PruningChart::setPins(std::vector<PinnedPlace> pins)
{
    m_picture.pins = std::move(pins);
    viewport()->update();
    describe();
}

void PruningChart::setEmptyText(const QString &text)
{
    m_emptyText = text;
    viewport()->update();
}

QPair<double, double> PruningChart::axisEnds() const
{
    const QRectF plot = chart()->plotArea();
    return {mapFromScene(plot.topLeft()).x(), mapFromScene(plot.topRight()).x()};
}

void PruningChart::rebuild()
{
    setBackgroundBrush(m_picture.palette.paper);
    m_picture.legend = m_legend;
    replaceChart();
    if (m_legend == PruningPicture::Legend::Inside && !m_picture.series.empty()
        && !hasLegendPlace(*chart(), m_picture, font())) {
        m_picture.legend = PruningPicture::Legend::Above;
        replaceChart();
    }
    Q_EMIT axisMoved();
}

void PruningChart::replaceChart()
{
    // A new chart each time: the old axes would stay visible until the next turn of the event loop.
    const std::unique_ptr<QChart> old(chart());
    auto *fresh = new QChart;
    fresh->resize(viewport()->size());
    setChart(fresh);
    buildPruningChart(*fresh, m_picture, font());
    connect(fresh, &QChart::plotAreaChanged, this, &PruningChart::axisMoved);
}

void PruningChart::describe()
{
    setAccessibleName(tr("Pruning curves"));
    if (m_picture.series.empty())
        return setAccessibleDescription(m_emptyText);
    QStringList parts;
    for (const CurveSeries &curve : m_picture.series.curves) {
        if (m_picture.slider) {
            if (const auto reading = readCurve(curve, *m_picture.slider))
                parts << tr("%1 %2: %3")
                             .arg(curveName(curve), curve.outOfDomain ? tr("out-of-domain") : tr("in-domain"),
                                  numberText(reading->score, metricFormat(m_picture.series.metric).decimals));
        }
    }
    for (const PinnedPlace &pin : m_picture.pins)
        parts << tr("%1 is removed as number %2").arg(pin.name, countText(pin.removed));
    setAccessibleDescription(parts.join(u"; "_s));
}

void PruningChart::drawForeground(QPainter *painter, const QRectF &)
{
    painter->setFont(font());
    if (m_picture.series.empty()) {
        painter->setPen(m_picture.palette.muted);
        painter->fillRect(sceneRect(), m_picture.palette.paper);
        painter->drawText(QRectF(viewport()->rect()).adjusted(40, 40, -40, -40), Qt::AlignCenter | Qt::TextWordWrap,
                          m_emptyText);
        return;
    }
    paintPruningOverlay(*painter, *chart(), m_picture);
    if (hasFocus())
        paintFocusFrame(*painter, viewport()->rect(), m_picture.palette);
}

void PruningChart::resizeEvent(QResizeEvent *event)
{
    QChartView::resizeEvent(event);
    // The legend may need another number of rows.
    rebuild();
}

void PruningChart::changeEvent(QEvent *event)
{
    QChartView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_picture.palette = ViewPalette::matching(palette());
        rebuild();
    }
}

int PruningChart::removedAt(const QPointF &position) const
{
    const auto [left, right] = axisEnds();
    const double share = (position.x() - left) / std::max(right - left, 1.0);
    return std::clamp(static_cast<int>(std::lround(share * m_picture.series.candidates)), 0,
                      m_picture.series.candidates);
}

void PruningChart::zoomBy(double factor, const QPointF &place)
{
    const QRectF plot = chart()->plotArea();
    if (m_picture.series.empty() || plot.isEmpty())
        return;
    constexpr double kLeastShare = 1.0 / 64;
    const double at = std::clamp((plot.bottom() - mapToScene(place.toPoint()).y()) / plot.height(), 0.0, 1.0);
    const double kept = m_picture.zoomFrom + at * m_picture.zoomShare; // stays where it is
    m_picture.zoomShare = std::clamp(m_picture.zoomShare / factor, kLeastShare, 1.0);
    m_picture.zoomFrom = std::clamp(kept - at * m_picture.zoomShare, 0.0, 1 - m_picture.zoomShare);
    rebuild();
}

void PruningChart::fitZoom()
{
    m_picture.zoomFrom = 0;
    m_picture.zoomShare = 1;
    rebuild();
}

QString PruningChart::textAt(const QPointF &position) const
{
    if (m_picture.series.empty() || !chart()->plotArea().contains(mapToScene(position.toPoint())))
        return {};
    const int removed = removedAt(position);
    const int decimals = metricFormat(m_picture.series.metric).decimals;
    QStringList lines{tr("%1 removed").arg(headsText(removed))};
    for (const CurveSeries &curve : m_picture.series.curves) {
        const auto reading = readCurve(curve, removed);
        if (!reading)
            continue;
        QString line = tr("%1: %2").arg(curveLabel(curve), numberText(reading->score, decimals));
        const auto point
            = std::ranges::find_if(curve.points, [&](const auto &one) { return std::lround(one.removed) == removed; });
        if (point == curve.points.end())
            line += tr(" (between measured points)");
        else if (point->low < point->high)
            line += u' ' + intervalText({point->low, point->high}, decimals, false);
        lines << line;
    }
    return lines.size() > 1 ? lines.join(u'\n') : QString();
}

bool PruningChart::viewportEvent(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QChartView::viewportEvent(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    if (const QString text = textAt(help->pos()); !text.isEmpty())
        QToolTip::showText(help->globalPos(), plainTip(text), viewport());
    else
        QToolTip::hideText();
    return true;
}

void PruningChart::mousePressEvent(QMouseEvent *event)
{
    const QRectF plot = chart()->plotArea();
    if (event->button() != Qt::LeftButton || m_picture.series.empty() || !m_picture.slider
        || !plot.adjusted(-8, 0, 8, 0).contains(mapToScene(event->pos())))
        return QChartView::mousePressEvent(event);
    m_dragging = true;
    Q_EMIT dragged(removedAt(event->position()));
}

void PruningChart::mouseMoveEvent(QMouseEvent *event)
{
    if (m_dragging)
        Q_EMIT dragged(removedAt(event->position()));
    const bool over = m_picture.slider && chart()->plotArea().contains(mapToScene(event->pos()));
    viewport()->setCursor(over ? Qt::SizeHorCursor : Qt::ArrowCursor);
}

void PruningChart::mouseReleaseEvent(QMouseEvent *event)
{
    if (!m_dragging)
        return QChartView::mouseReleaseEvent(event);
    m_dragging = false;
    Q_EMIT dragEnded();
}

void PruningChart::keyPressEvent(QKeyEvent *event)
{
    const bool right = event->key() == Qt::Key_Right || event->key() == Qt::Key_Up;
    const bool left = event->key() == Qt::Key_Left || event->key() == Qt::Key_Down;
    if ((!left && !right) || m_picture.series.empty() || !m_picture.slider)
        return QChartView::keyPressEvent(event);
    const auto removed = static_cast<int>(std::lround(*m_picture.slider)) + (right ? 1 : -1);
    Q_EMIT dragged(std::clamp(removed, 0, m_picture.series.candidates));
}

void PruningChart::keyReleaseEvent(QKeyEvent *event)
{
    QChartView::keyReleaseEvent(event);
    if (!event->isAutoRepeat())
        Q_EMIT dragEnded();
}

void PruningChart::focusInEvent(QFocusEvent *event)
{
    QChartView::focusInEvent(event);
    viewport()->update(); // its frame
}

void PruningChart::focusOutEvent(QFocusEvent *event)
{
    QChartView::focusOutEvent(event);
    viewport()->update();
}

} // namespace headscope
