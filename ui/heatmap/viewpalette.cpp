#include "ui/heatmap/viewpalette.h"

#include <QPalette>

#include <array>

#include <algorithm>
#include <cmath>

namespace headscope {

namespace {

/// As 0xRRGGBB.
struct Colours
{
    QRgb paper, ink, muted, line, gridLine, accent, missing, warning;
};

ViewPalette paletteOf(Appearance appearance, const Colours &colours, bool highContrast = false)
{
    return {appearance,
            QColor(colours.paper),
            QColor(colours.ink),
            QColor(colours.muted),
            QColor(colours.line),
            QColor(colours.gridLine),
            QColor(colours.accent),
            QColor(colours.missing),
            QColor(colours.warning),
            highContrast};
}

} // namespace

const ViewPalette &ViewPalette::light()
{
    static const ViewPalette palette = paletteOf(Appearance::Light, {.paper = 0xffffff,
                                                                     .ink = 0x1b1f24,
                                                                     .muted = 0x5a636e,
                                                                     .line = 0x89929d,
                                                                     .gridLine = 0xe6e9ed,
                                                                     .accent = 0x1f5fc4,
                                                                     .missing = 0xd9dce0,
                                                                     .warning = 0xa82a4a});
    return palette;
}

const ViewPalette &ViewPalette::dark()
{
    static const ViewPalette palette = paletteOf(Appearance::Dark, {.paper = 0x1c1f24,
                                                                    .ink = 0xe8eaed,
                                                                    .muted = 0xa3abb5,
                                                                    .line = 0x6c7580,
                                                                    .gridLine = 0x333840,
                                                                    .accent = 0x7fb2ff,
                                                                    .missing = 0x4a4f57,
                                                                    .warning = 0xff8fa8});
    return palette;
}

const ViewPalette &ViewPalette::highContrastLight()
{
    static const ViewPalette palette = paletteOf(Appearance::Light,
                                                 {.paper = 0xffffff,
                                                  .ink = 0x000000,
                                                  .muted = 0x262626,
                                                  .line = 0x404040,
                                                  .gridLine = 0xc4c4c4,
                                                  .accent = 0x003399,
                                                  .missing = 0xb8b8b8,
                                                  .warning = 0x8a0030},
                                                 true);
    return palette;
}

const ViewPalette &ViewPalette::highContrastDark()
{
    static const ViewPalette palette = paletteOf(Appearance::Dark,
                                                 {.paper = 0x000000,
                                                  .ink = 0xffffff,
                                                  .muted = 0xe0e0e0,
                                                  .line = 0xc0c0c0,
                                                  .gridLine = 0x555555,
                                                  .accent = 0xffe100,
                                                  .missing = 0x606060,
                                                  .warning = 0xffa0b4},
                                                 true);
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

/// After Okabe and Ito, darkened or lightened.
QColor ViewPalette::series(std::size_t index) const
{
    static const std::array light{QColor(0x00, 0x5f, 0xa8), QColor(0xc0, 0x56, 0x00), QColor(0x00, 0x7a, 0x5a),
                                  QColor(0x8f, 0x3f, 0x8a), QColor(0x7a, 0x5b, 0x1e), QColor(0xb0, 0x2a, 0x37),
                                  QColor(0x3d, 0x6b, 0x7d)};
    static const std::array dark{QColor(0x6c, 0xb4, 0xf5), QColor(0xf5, 0xa2, 0x4b), QColor(0x3f, 0xc9, 0x9b),
                                 QColor(0xdc, 0x8f, 0xd6), QColor(0xd9, 0xb9, 0x6b), QColor(0xf2, 0x84, 0x8e),
                                 QColor(0x8f, 0xc1, 0xd4)};
    return mark((appearance == Appearance::Dark ? dark : light)[index % light.size()]);
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
