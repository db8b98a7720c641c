#include "ui/heatmap/viewpalette.h"

#include <QPalette>

#include <algorithm>
#include <cmath>

namespace headscope {

const ViewPalette &ViewPalette::light()
{
    static const ViewPalette palette{Appearance::Light,
                                     QColor(0xff, 0xff, 0xff),
                                     QColor(0x1b, 0x1f, 0x24),
                                     QColor(0x5a, 0x63, 0x6e),
                                     QColor(0x89, 0x92, 0x9d),
                                     QColor(0xe6, 0xe9, 0xed),
                                     QColor(0x1f, 0x5f, 0xc4),
                                     QColor(0xd9, 0xdc, 0xe0),
                                     QColor(0xa8, 0x2a, 0x4a)};
    return palette;
}

const ViewPalette &ViewPalette::dark()
{
    static const ViewPalette palette{Appearance::Dark,
                                     QColor(0x1c, 0x1f, 0x24),
                                     QColor(0xe8, 0xea, 0xed),
                                     QColor(0xa3, 0xab, 0xb5),
                                     QColor(0x6c, 0x75, 0x80),
                                     QColor(0x33, 0x38, 0x40),
                                     QColor(0x7f, 0xb2, 0xff),
                                     QColor(0x4a, 0x4f, 0x57),
                                     QColor(0xff, 0x8f, 0xa8)};
    return palette;
}

const ViewPalette &ViewPalette::highContrastLight()
{
    static const ViewPalette palette{Appearance::Light,
                                     QColor(0xff, 0xff, 0xff),
                                     QColor(0x00, 0x00, 0x00),
                                     QColor(0x26, 0x26, 0x26),
                                     QColor(0x40, 0x40, 0x40),
                                     QColor(0xc4, 0xc4, 0xc4),
                                     QColor(0x00, 0x33, 0x99),
                                     QColor(0xb8, 0xb8, 0xb8),
                                     QColor(0x8a, 0x00, 0x30),
                                     true};
    return palette;
}

const ViewPalette &ViewPalette::highContrastDark()
{
    static const ViewPalette palette{Appearance::Dark,
                                     QColor(0x00, 0x00, 0x00),
                                     QColor(0xff, 0xff, 0xff),
                                     QColor(0xe0, 0xe0, 0xe0),
                                     QColor(0xc0, 0xc0, 0xc0),
                                     QColor(0x55, 0x55, 0x55),
                                     QColor(0xff, 0xe1, 0x00),
                                     QColor(0x60, 0x60, 0x60),
                                     QColor(0xff, 0xa0, 0xb4),
                                     true};
    return palette;
}

const ViewPalette &ViewPalette::of(Appearance appearance)
{
    return appearance == Appearance::Dark ? dark() : light();
}

const ViewPalette &ViewPalette::matching(const QPalette &palette)
{
    constexpr double kHighContrast = 20; // black on white has 21, on the greys of ordinary themes 19 and less
    const QColor window = palette.color(QPalette::Window);
    const bool high = contrastRatio(window, palette.color(QPalette::WindowText)) >= kHighContrast;
    if (window.lightnessF() < 0.5)
        return high ? highContrastDark() : dark();
    return high ? highContrastLight() : light();
}

QColor ViewPalette::mark(const QColor &color) const
{
    constexpr double kEnough = 4.5;
    QColor strong = color;
    for (float share = 0.05F; highContrast && share < 1 && contrastRatio(strong, paper) < kEnough; share += 0.05F) {
        const auto mixed = [&](float from, float to) { return from + share * (to - from); };
        strong = QColor::fromRgbF(mixed(color.redF(), ink.redF()), mixed(color.greenF(), ink.greenF()),
                                  mixed(color.blueF(), ink.blueF()));
    }
    return strong;
}

namespace {

double luminance(const QColor &color)
{
    const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

} // namespace

double contrastRatio(const QColor &a, const QColor &b)
{
    const auto [darker, brighter] = std::minmax({luminance(a), luminance(b)});
    return (brighter + 0.05) / (darker + 0.05);
}

QColor readableOn(const QColor &background)
{
    // Pure black and white: only then is one of them at 4.5 : 1 or better on every colour.
    const QColor dark(0, 0, 0);
    const QColor bright(0xff, 0xff, 0xff);
    return contrastRatio(background, dark) >= contrastRatio(background, bright) ? dark : bright;
}

} // namespace headscope
