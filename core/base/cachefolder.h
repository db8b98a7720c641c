#pragma once

#include <filesystem>
#include <optional>

namespace headscope {

/// The user's cache folder: $XDG_CACHE_HOME/headscope, else ~/.cache/headscope. It may not exist yet. Nothing if
/// neither variable is set.
std::optional<std::filesystem::path> cacheFolder();

} // namespace headscope
