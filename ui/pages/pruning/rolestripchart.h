#pragma once

#include "ui/pages/pruning/rolestrippainter.h"

#include <QWidget>

#include <optional>

namespace headscope {

/// Roles of surviving heads under a pruning chart, in line with its x axis.
class RoleStripChart final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RoleStripChart)
public:
    explicit RoleStripChart(QWidget *parent = nullptr);

    const RoleStripPicture &picture() const { return m_picture; }
    void setSeries(RoleStripSeries series);
    void setSlider(std::optional<double> removed);
    /// Horizontal ends of the x axis, in this widget's coordinates.
    void setAxisEnds(double left, double right);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {200, sizeHint().height()}; }

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    RoleStripPicture m_picture;
    double m_left = 0;
    double m_right = 0;
};

} // namespace headscope
