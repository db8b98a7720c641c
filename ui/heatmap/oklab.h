#pragma once

#include <QColor>

namespace headscope {

/// Björn Ottosson's OKLab (2020): equal distances look about equally large, so ramps made in it are even.
struct Oklab
{
    double lightness = 0; ///< 0 black … 1 white
    double a = 0;         ///< green − … + red
    double b = 0;         ///< blue − … + yellow
};

Oklab toOklab(const QColor &color);
/// Clipped to sRGB.
QColor fromOklab(const Oklab &lab);
Oklab mix(const Oklab &from, const Oklab &to, double t);

} // namespace headscope
