#pragma once

#include <QColor>

#include <cstddef>

class QPalette;

namespace headscope {

/// Light and dark pictures are designed separately, not inverted.
enum class Appearance { Light, Dark };

/// The colours of everything drawn around the data: grids, charts, heat maps, legends.
/// All text colours have at least 4.5 : 1 contrast on `paper`, lines 3 : 1; with high contrast 7 : 1 and 4.5 : 1.
struct ViewPalette
{
    Appearance appearance = Appearance::Light;
    QColor paper;    ///< background
    QColor ink;      ///< titles, labels
    QColor muted;    ///< units, secondary text
    QColor line;     ///< frames and axes
    QColor gridLine; ///< fine lines behind the data
    QColor accent;   ///< selection, slider
    QColor missing;  ///< cells without a value
    QColor warning;  ///< markers such as "first significant loss"
    bool highContrast = false;

    static const ViewPalette &light();
    static const ViewPalette &dark();
    static const ViewPalette &highContrastLight();
    static const ViewPalette &highContrastDark();
    static const ViewPalette &of(Appearance appearance);
    /// Dark when the window background of `palette` is dark; with high contrast when its text is all but black on
    /// white, or the reverse, as desktops with high contrast have it.
    static const ViewPalette &matching(const QPalette &palette);

    /// `color` of a line or mark, with high contrast mixed with ink until it is 4.5 : 1 on `paper`.
    QColor mark(const QColor &color) const;
    /// Blue, orange, green, violet, brown, red, grey-blue, and from the beginning: at 3 : 1 on the paper.
    QColor series(std::size_t index) const;
};

/// WCAG 2 contrast ratio, 1…21.
double contrastRatio(const QColor &a, const QColor &b);

/// Black or white-ish text, whichever reads better on `background`.
QColor readableOn(const QColor &background);

} // namespace headscope
