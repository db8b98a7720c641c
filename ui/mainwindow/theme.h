#pragma once

#include <QString>

#include <array>
#include <optional>

namespace headscope {

enum class Theme { System, Light, Dark, HighContrastLight, HighContrastDark };

inline constexpr std::array kThemes{Theme::System, Theme::Light, Theme::Dark, Theme::HighContrastLight,
                                    Theme::HighContrastDark};

/// What options and settings call it: "system", "light", "dark", "high-contrast-light", "high-contrast-dark".
QString themeName(Theme theme);
/// None: no theme has this name.
std::optional<Theme> themeNamed(const QString &name);

/// Colours of the whole program; System leaves them to the desktop.
void applyTheme(Theme theme);
/// The theme saved in the settings.
Theme savedTheme();
void saveTheme(Theme theme);

} // namespace headscope
