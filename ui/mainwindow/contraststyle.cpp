#include "ui/mainwindow/contraststyle.h"

#include <QPainter>
#include <QStyleOption>

namespace headscope {
namespace {

enum class Outline { Box, Circle };

/// In the accent if what is framed is `chosen` or has the focus.
void frame(QPainter *painter, const QStyleOption *option, Outline outline = Outline::Box, bool chosen = false)
{
    const bool focus = chosen || option->state.testFlag(QStyle::State_HasFocus);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(Qt::NoBrush);
    painter->setPen(
        QPen(focus ? option->palette.highlight().color() : option->palette.windowText().color(), focus ? 2 : 1));
    const QRectF rect = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
    if (outline == Outline::Circle)
        painter->drawEllipse(rect);
    else
        painter->drawRoundedRect(rect, 2, 2);
    painter->restore();
}

} // namespace

void ContrastStyle::drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                                  const QWidget *widget) const
{
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    switch (element) {
    case PE_PanelButtonCommand:
    case PE_FrameLineEdit:
    case PE_FrameTabWidget:
    case PE_FrameMenu:
    case PE_Frame:
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
        frame(painter, option);
        break;
    case PE_FrameGroupBox: { // Fusion draws it around everything below the title
        QStyleOption below(*option);
        constexpr int kMargin = 3;
        below.rect.setTop(
            option->rect.top() + kMargin
            + qMax(pixelMetric(PM_ExclusiveIndicatorHeight, option, widget), option->fontMetrics.height()));
        frame(painter, &below);
        break;
    }
    case PE_IndicatorRadioButton:
        frame(painter, option, Outline::Circle);
        break;
    case PE_PanelButtonTool:
        if (option->state & (State_On | State_Sunken | State_MouseOver | State_HasFocus))
            frame(painter, option);
        break;
    default:
        break;
    }
}

void ContrastStyle::drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                                const QWidget *widget) const
{
    QProxyStyle::drawControl(element, option, painter, widget);
    if (element == CE_TabBarTabShape)
        frame(painter, option, Outline::Box, option->state.testFlag(State_Selected));
    else if (element == CE_HeaderSection || element == CE_ProgressBarGroove)
        frame(painter, option);
}

void ContrastStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                                       const QWidget *widget) const
{
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    if (control == CC_ComboBox || control == CC_SpinBox)
        frame(painter, option);
    if (control == CC_Slider || control == CC_ScrollBar) {
        QStyleOption handle(*option);
        handle.rect
            = subControlRect(control, option, control == CC_Slider ? SC_SliderHandle : SC_ScrollBarSlider, widget);
        frame(painter, &handle);
    }
}

} // namespace headscope
