#include "ui/heatmap/colorscale.h"

#include "ui/heatmap/oklab.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace headscope {
namespace {

/// Lightness is equal on both sides, so that −x and +x look equally strong in grey print as well.
struct Side
{
    std::array<Oklab, 3> stops; ///< neutral, middle, end
};

struct Ramp
{
    Side below;
    Side above;
};

const Ramp &divergingRamp(Appearance appearance)
{
    const auto hue = [](double lightness, double chroma, double degrees) {
        const double radians = degrees * 3.14159265358979 / 180;
        return Oklab{lightness, chroma * std::cos(radians), chroma * std::sin(radians)};
    };
    // Blue 255°, orange 55°: apart for all three kinds of colour-blindness, unlike red and green.
    static const Ramp light{{{hue(0.985, 0.0, 0), hue(0.745, 0.100, 248), hue(0.46, 0.140, 257)}},
                            {{hue(0.985, 0.0, 0), hue(0.745, 0.125, 62), hue(0.46, 0.120, 48)}}};
    static const Ramp dark{{{hue(0.30, 0.004, 260), hue(0.54, 0.125, 255), hue(0.80, 0.105, 243)}},
                           {{hue(0.30, 0.004, 260), hue(0.54, 0.120, 52), hue(0.80, 0.135, 68)}}};
    return appearance == Appearance::Dark ? dark : light;
}

/// Piecewise linear in OKLab; the three stops are evenly spaced in lightness.
QColor along(const Side &side, double t)
{
    t = std::clamp(t, 0.0, 1.0);
    return fromOklab(t < 0.5 ? mix(side.stops[0], side.stops[1], 2 * t) : mix(side.stops[1], side.stops[2], 2 * t - 1));
}

/// Lightness is linear in t (that is what "perceptually even" means); hue turns from green to violet.
QColor sequentialColor(double t, Appearance appearance)
{
    t = std::clamp(t, 0.0, 1.0);
    const bool dark = appearance == Appearance::Dark;
    const double lightness = dark ? 0.26 + 0.66 * t : 0.985 - 0.685 * t;
    const double strength = dark ? 1 - t : t; // how near the violet end
    const double degrees = 165 + 125 * strength;
    const double room = dark ? t * (1.18 - t) * 2.9 : t * (1.35 - t) * 2.2;
    // In dark palettes, zero keeps a trace of blue, like the paper beside it.
    const double chroma = std::max(0.118 * std::clamp(room, 0.0, 1.0), dark ? 0.012 : 0.0);
    const double radians = degrees * 3.14159265358979 / 180;
    return fromOklab({lightness, chroma * std::cos(radians), chroma * std::sin(radians)});
}

} // namespace

ColorScale::ColorScale(ScaleKind kind, double minimum, double maximum)
    : m_kind(kind), m_minimum(minimum), m_maximum(maximum)
{
}

ColorScale ColorScale::diverging(double extent)
{
    extent = std::isfinite(extent) && extent != 0 ? std::abs(extent) : 1;
    return {ScaleKind::Diverging, -extent, extent};
}

ColorScale ColorScale::divergingUnpinned(double low, double high)
{
    low = std::isfinite(low) ? std::min(low, 0.0) : 0;
    high = std::isfinite(high) ? std::max(high, 0.0) : 0;
    return low == high ? diverging(1) : ColorScale(ScaleKind::Diverging, low, high);
}

ColorScale ColorScale::sequential(double minimum, double maximum)
{
    if (!std::isfinite(minimum) || !std::isfinite(maximum) || minimum >= maximum)
        return {ScaleKind::Sequential, 0, 1};
    return {ScaleKind::Sequential, minimum, maximum};
}

ColorScale ColorScale::fitting(ScaleKind kind, std::span<const double> values, bool unpinned)
{
    double low = 0;
    double high = 0;
    for (double value : values) {
        if (std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    if (low == high)
        return kind == ScaleKind::Diverging ? diverging(1) : sequential(0, 1);
    // Round ends make the legend readable and keep the colours still while results arrive.
    const double step = roundStep(std::max(-low, high), 10);
    low = std::floor(low / step) * step;
    high = std::ceil(high / step) * step;
    if (kind == ScaleKind::Sequential)
        return sequential(low, high);
    return unpinned ? divergingUnpinned(low, high) : diverging(std::max(-low, high));
}

ColorScale ColorScale::colored(Better better) const
{
    ColorScale scale = *this;
    scale.m_better = better;
    return scale;
}

QColor ColorScale::color(double value, Appearance appearance) const
{
    if (std::isnan(value))
        return missingColor(appearance);
    if (m_kind == ScaleKind::Sequential)
        return sequentialColor(position(value), appearance);
    const Ramp &ramp = divergingRamp(appearance);
    const Side &side = isWorse(m_better, value) ? ramp.below : ramp.above;
    const double end = value < 0 ? m_minimum : m_maximum;
    return along(side, end != 0 ? value / end : 0);
}

QColor ColorScale::missingColor(Appearance appearance)
{
    return ViewPalette::of(appearance).missing;
}

double ColorScale::position(double value) const
{
    return (value - m_minimum) / (m_maximum - m_minimum);
}

std::vector<double> ColorScale::ticks(int atMost) const
{
    return roundTicks(m_minimum, m_maximum, atMost);
}

double roundStep(double range, int atMost)
{
    const double rough = range / std::max(atMost - 1, 1);
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= rough * (1 - 1e-9))
            return factor * power;
    }
    return 10 * power;
}

std::vector<double> roundTicks(double minimum, double maximum, int atMost)
{
    const double range = maximum - minimum;
    if (!(range > 0) || !std::isfinite(range))
        return {minimum};
    const double step = roundStep(range, atMost);
    const double slack = step * 1e-6;
    std::vector<double> ticks;
    for (double k = std::ceil((minimum - slack) / step); k * step <= maximum + slack; ++k)
        ticks.push_back(k == 0 ? 0 : k * step);
    return ticks;
}

int decimalsOf(double step)
{
    for (int decimals = 0; decimals < 9; ++decimals) {
        const double scaled = step * std::pow(10.0, decimals);
        if (std::abs(scaled - std::round(scaled)) < 1e-6 * std::max(scaled, 1.0) && scaled > 0.5)
            return decimals;
    }
    return 9;
}

} // namespace headscope
