#include "ui/mainwindow/theme.h"

#include "ui/heatmap/viewpalette.h"
#include "ui/mainwindow/contraststyle.h"

#include <QApplication>
#include <QPalette>
#include <QSettings>
#include <QStyle>
#include <QStyleFactory>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>

namespace headscope {

namespace {

/// What is around the pictures; the rest is of the pictures' own palette.
struct Surfaces
{
    QColor window;
    QColor button;
    QColor alternateBase;
    QColor toolTip;
    QColor disabledText;
};

QPalette paletteOf(const ViewPalette &view, const Surfaces &surfaces)
{
    QPalette palette(surfaces.button, surfaces.window);
    palette.setColor(QPalette::Base, view.paper);
    palette.setColor(QPalette::AlternateBase, surfaces.alternateBase);
    palette.setColor(QPalette::WindowText, view.ink);
    palette.setColor(QPalette::Text, view.ink);
    palette.setColor(QPalette::ButtonText, view.ink);
    palette.setColor(QPalette::BrightText, readableOn(view.paper));
    palette.setColor(QPalette::PlaceholderText, view.muted);
    palette.setColor(QPalette::ToolTipBase, surfaces.toolTip);
    palette.setColor(QPalette::ToolTipText, view.ink);
    palette.setColor(QPalette::Highlight, view.accent);
    palette.setColor(QPalette::HighlightedText, readableOn(view.accent));
    palette.setColor(QPalette::Link, view.accent);
    palette.setColor(QPalette::LinkVisited, view.accent);
    for (const auto role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, surfaces.disabledText);
    return palette;
}

QPalette paletteOf(Theme theme)
{
    switch (theme) {
    case Theme::Dark:
        return paletteOf(ViewPalette::dark(), {.window = QColor(0x2a, 0x2d, 0x33),
                                               .button = QColor(0x34, 0x38, 0x40),
                                               .alternateBase = ViewPalette::dark().paper.lighter(112),
                                               .toolTip = QColor(0x3a, 0x3f, 0x47),
                                               .disabledText = ViewPalette::dark().muted});
    // With high contrast all surfaces are paper, set apart by lines (ContrastStyle).
    case Theme::HighContrastLight:
        return paletteOf(ViewPalette::highContrastLight(), {.window = Qt::white,
                                                            .button = Qt::white,
                                                            .alternateBase = QColor(0xf0, 0xf0, 0xf0),
                                                            .toolTip = Qt::white,
                                                            .disabledText = QColor(0x6e, 0x6e, 0x6e)});
    case Theme::HighContrastDark:
        return paletteOf(ViewPalette::highContrastDark(), {.window = Qt::black,
                                                           .button = Qt::black,
                                                           .alternateBase = QColor(0x1a, 0x1a, 0x1a),
                                                           .toolTip = Qt::black,
                                                           .disabledText = QColor(0x8c, 0x8c, 0x8c)});
    case Theme::System:
    case Theme::Light:
        break;
    }
    return paletteOf(ViewPalette::light(), {.window = QColor(0xf2, 0xf3, 0xf5),
                                            .button = QColor(0xf2, 0xf3, 0xf5),
                                            .alternateBase = QColor(0xf4, 0xf6, 0xf9),
                                            .toolTip = ViewPalette::light().paper,
                                            .disabledText = ViewPalette::light().muted});
}

/// `color` mixed with `ink` until it is 4.5 : 1 on each of `grounds`, as far as `ink` is.
QColor readable(const QColor &color, const QColor &ink, std::initializer_list<QColor> grounds)
{
    constexpr double kEnough = 4.5;
    constexpr int kSteps = 20;
    const auto onto = [](const QColor &over, const QColor &under) { // without transparency
        const float a = over.alphaF();
        return QColor::fromRgbF(a * over.redF() + (1 - a) * under.redF(), a * over.greenF() + (1 - a) * under.greenF(),
                                a * over.blueF() + (1 - a) * under.blueF());
    };
    const QColor plain = onto(color, *grounds.begin());
    for (int step = 0; step < kSteps; ++step) {
        QColor more = ink;
        more.setAlphaF(static_cast<float>(step) / kSteps);
        const QColor mixed = onto(more, plain);
        if (std::ranges::all_of(grounds, [&](const QColor &ground) { return contrastRatio(mixed, ground) >= kEnough; }))
            return mixed;
    }
    return ink;
}

/// The desktop's colours, whose faint texts can be read: what is disabled here says why.
QPalette readablePalette()
{
    const QPalette desktop = QApplication::palette(); // what the reset palette is
    QPalette palette;                                 // the other roles stay the desktop's
    for (const auto group : {QPalette::Active, QPalette::Inactive, QPalette::Disabled}) {
        const QColor base = desktop.color(group, QPalette::Base);
        const QColor window = desktop.color(group, QPalette::Window);
        const QColor ink = desktop.color(QPalette::Active, QPalette::WindowText);
        palette.setColor(group, QPalette::PlaceholderText,
                         readable(desktop.color(group, QPalette::PlaceholderText), ink, {base, window}));
        if (group != QPalette::Disabled)
            continue;
        for (const auto role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText})
            palette.setColor(group, role, readable(desktop.color(group, role), ink, {base, window}));
    }
    return palette;
}

bool isHighContrast(Theme theme)
{
    return theme == Theme::HighContrastLight || theme == Theme::HighContrastDark;
}

} // namespace

QString themeName(Theme theme)
{
    static const std::array names{QStringLiteral("system"), QStringLiteral("light"), QStringLiteral("dark"),
                                  QStringLiteral("high-contrast-light"), QStringLiteral("high-contrast-dark")};
    static_assert(names.size() == kThemes.size());
    return names[static_cast<std::size_t>(theme)];
}

std::optional<Theme> themeNamed(const QString &name)
{
    for (const Theme theme : kThemes) {
        if (themeName(theme) == name)
            return theme;
    }
    return std::nullopt;
}

void applyTheme(Theme theme)
{
    static const QString desktopStyle = QApplication::style()->objectName();
    if (theme == Theme::System) {
        if (QApplication::style()->objectName() != desktopStyle)
            QApplication::setStyle(QStyleFactory::create(desktopStyle));
        QApplication::setPalette(QPalette());
        QApplication::setPalette(readablePalette());
        return;
    }
    // Desktop styles may paint with their own colours; Fusion takes all of them from the palette.
    QStyle *fusion = QStyleFactory::create(QStringLiteral("Fusion"));
    QApplication::setStyle(isHighContrast(theme)  ? new ContrastStyle(fusion)
                           : theme == Theme::Dark ? new ContrastStyle(fusion, ContrastStyle::Frames::Marks)
                                                  : fusion);
    QApplication::setPalette(paletteOf(theme));
}

Theme savedTheme()
{
    return themeNamed(QSettings().value(QStringLiteral("theme")).toString()).value_or(Theme::System);
}

void saveTheme(Theme theme)
{
    QSettings().setValue(QStringLiteral("theme"), themeName(theme));
}

} // namespace headscope
