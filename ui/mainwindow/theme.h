#pragma once

#include <QString>

namespace headscope {

enum class Theme { System, Light, Dark };

/// Colours of the whole program; System leaves them to the desktop.
void applyTheme(Theme theme);
/// The theme saved in the settings.
Theme savedTheme();
void saveTheme(Theme theme);

} // namespace headscope
