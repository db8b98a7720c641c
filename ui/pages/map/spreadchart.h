#pragma once

#include "ui/charts/linepainter.h"

#include <QWidget>

namespace headscope {

/// How far the heads of a layer are from each other, over the layers: to be looked at only.
class SpreadChart final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SpreadChart)
public:
    explicit SpreadChart(QWidget *parent = nullptr);

    void setSeries(LineSeries series);
    const LineSeries &series() const { return m_series; }

    QSize sizeHint() const override { return {640, 210}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    LineSeries m_series;
};

} // namespace headscope
