#include "ui/mainwindow/contraststyle.h"

#include <QPainter>
#include <QStyleOption>

namespace headscope {
namespace {

enum class Outline { Box, Circle };

/// In the accent if what is framed is `chosen` or has the focus.
void frame(QPainter *painter, const QStyleOption *option, Outline outline = Outline::Box, bool chosen = false,
           QPalette::ColorRole ink = QPalette::WindowText)
{
    const bool focus = chosen || option->state.testFlag(QStyle::State_HasFocus);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(focus ? option->palette.highlight().color() : option->palette.color(ink), focus ? 2 : 1));
    const QRectF rect = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
    if (outline == Outline::Circle)
        painter->drawEllipse(rect);
    else
        painter->drawRoundedRect(rect, 2, 2);
    painter->restore();
}

/// A narrow box along the groove of a slider, where its handle is not.
void frameGroove(QPainter *painter, const QStyleOption *option, const QRect &groove, const QRect &handle)
{
    constexpr int kThick = 5;
    const bool lies = groove.width() > groove.height();
    QStyleOption box(*option);
    box.rect = QRect(QPoint(), lies ? QSize(groove.width(), kThick) : QSize(kThick, groove.height()));
    box.rect.moveCenter(groove.center());
    box.state.setFlag(QStyle::State_HasFocus, false);
    painter->save();
    painter->setClipRegion(QRegion(option->rect) - handle);
    frame(painter, &box);
    painter->restore();
}

} // namespace

void ContrastStyle::drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                                  const QWidget *widget) const
{
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    if (m_frames == Frames::Marks) {
        if (element == PE_IndicatorCheckBox || element == PE_IndicatorItemViewItemCheck)
            frame(painter, option, Outline::Box, false, QPalette::PlaceholderText);
        else if (element == PE_IndicatorRadioButton)
            frame(painter, option, Outline::Circle, false, QPalette::PlaceholderText);
        return;
    }
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
    if (m_frames == Frames::Marks)
        return;
    if (element == CE_TabBarTabShape)
        frame(painter, option, Outline::Box, option->state.testFlag(State_Selected));
    else if (element == CE_HeaderSection || element == CE_ProgressBarGroove)
        frame(painter, option);
}

void ContrastStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                                       const QWidget *widget) const
{
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    if (m_frames == Frames::Marks)
        return;
    if (control == CC_ComboBox || control == CC_SpinBox)
        frame(painter, option);
    if (control == CC_Slider || control == CC_ScrollBar) {
        QStyleOption handle(*option);
        handle.rect
            = subControlRect(control, option, control == CC_Slider ? SC_SliderHandle : SC_ScrollBarSlider, widget);
        if (control == CC_Slider)
            frameGroove(painter, option, subControlRect(control, option, SC_SliderGroove, widget), handle.rect);
        frame(painter, &handle);
    }
}

} // namespace headscope
