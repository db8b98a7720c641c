#pragma once

#include <QProxyStyle>

namespace headscope {

/// Frames controls by lines that can be seen. (Fusion's own are shades of the window, which are hard to see on white
/// and not at all on dark.)
class ContrastStyle final : public QProxyStyle
{
    Q_OBJECT
public:
    enum class Frames {
        All,   ///< every control, in the colour of its text
        Marks, ///< boxes and circles to be ticked, in the colour of what is said in passing
    };

    explicit ContrastStyle(QStyle *base, Frames frames = Frames::All) : QProxyStyle(base), m_frames(frames) { }

    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override;
    void drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                     const QWidget *widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                            const QWidget *widget) const override;

private:
    Frames m_frames;
};

} // namespace headscope
