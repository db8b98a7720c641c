#pragma once

#include <QProxyStyle>

namespace headscope {

/// Frames every control by a line in the colour of its text. (Fusion's own lines are shades of the window, which are
/// hard to see on white and not at all on black.)
class ContrastStyle final : public QProxyStyle
{
    Q_OBJECT
public:
    explicit ContrastStyle(QStyle *base) : QProxyStyle(base) { }

    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override;
    void drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                     const QWidget *widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                            const QWidget *widget) const override;
};

} // namespace headscope
