#include "ui/heatmap/oklab.h"

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

double toLinear(double c)
{
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

float toGamma(double c)
{
    c = std::clamp(c, 0.0, 1.0);
    return static_cast<float>(c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055);
}

} // namespace

Oklab toOklab(const QColor &color)
{
    const double r = toLinear(color.redF());
    const double g = toLinear(color.greenF());
    const double b = toLinear(color.blueF());
    const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

QColor fromOklab(const Oklab &lab)
{
    const double l = std::pow(lab.lightness + 0.3963377774 * lab.a + 0.2158037573 * lab.b, 3);
    const double m = std::pow(lab.lightness - 0.1055613458 * lab.a - 0.0638541728 * lab.b, 3);
    const double s = std::pow(lab.lightness - 0.0894841775 * lab.a - 1.2914855480 * lab.b, 3);
    return QColor::fromRgbF(toGamma(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                            toGamma(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                            toGamma(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}

Oklab mix(const Oklab &from, const Oklab &to, double t)
{
    return {from.lightness + t * (to.lightness - from.lightness), from.a + t * (to.a - from.a),
            from.b + t * (to.b - from.b)};
}

} // namespace headscope
