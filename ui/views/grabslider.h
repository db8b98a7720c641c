#pragma once

#include <QMouseEvent>
#include <QSlider>
#include <QStyle>
#include <QStyleOptionSlider>

namespace headscope {

/// A horizontal slider whose handle comes to where the mouse is pressed, and is held from then on.
class GrabSlider final : public QSlider
{
public:
    explicit GrabSlider(QWidget *parent = nullptr) : QSlider(Qt::Horizontal, parent) { }

protected:
    void mousePressEvent(QMouseEvent *event) override
    {
        QStyleOptionSlider option;
        initStyleOption(&option);
        const auto rectOf
            = [&](QStyle::SubControl part) { return style()->subControlRect(QStyle::CC_Slider, &option, part, this); };
        const QRect handle = rectOf(QStyle::SC_SliderHandle);
        const QPoint at = event->position().toPoint();
        if (event->button() == Qt::LeftButton && !handle.contains(at)) {
            const QRect groove = rectOf(QStyle::SC_SliderGroove);
            setValue(QStyle::sliderValueFromPosition(minimum(), maximum(), at.x() - groove.x() - handle.width() / 2,
                                                     groove.width() - handle.width(), option.upsideDown));
        }
        QSlider::mousePressEvent(event);
    }
};

} // namespace headscope
