#pragma once

#include <filesystem>
#include <optional>

namespace headscope {

/// The user's folder for what can be made anew: $XDG_CACHE_HOME/headscope, else ~/.cache/headscope. It need not be
/// there yet. Nothing if the user has no folder for such things.
std::optional<std::filesystem::path> cacheFolder();

} // namespace headscope
