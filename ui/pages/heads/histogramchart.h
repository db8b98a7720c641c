#pragma once

#include "ui/charts/histogrampainter.h"
#include "ui/charts/plotframe.h"
#include "ui/heatmap/zoomableview.h"

#include <QWidget>

namespace headscope {

/// The histogram in the window, in the colours of its palette.
class HistogramChart final : public QWidget, public ZoomableView
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HistogramChart)
public:
    explicit HistogramChart(QWidget *parent = nullptr);

    void setSeries(HistogramSeries series);
    const HistogramSeries &series() const { return m_series; }
    /// "84.2 to 85.1: 3 heads, 1 of them significant": of the bar under `position`; empty: none.
    QString textAt(const QPointF &position) const;

    void zoomBy(double factor, const QPointF &place) override;
    void fitZoom() override;
    bool isZoomed() const override { return !m_zoom.isAll(); }

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    QRectF room() const { return QRectF(rect()).adjusted(8, 8, -12, -8); }

    HistogramSeries m_series;
    PlotZoom m_zoom;
    QRectF m_plot; ///< as painted last
};

} // namespace headscope
