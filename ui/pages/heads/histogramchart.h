#pragma once

#include "ui/charts/histogrampainter.h"

#include <QWidget>

namespace headscope {

/// The histogram in the window, in the colours of its palette.
class HistogramChart final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HistogramChart)
public:
    explicit HistogramChart(QWidget *parent = nullptr);

    void setSeries(HistogramSeries series);
    const HistogramSeries &series() const { return m_series; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    HistogramSeries m_series;
};

} // namespace headscope
