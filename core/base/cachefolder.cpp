#include "core/base/cachefolder.h"

#include <cstdlib>

namespace headscope {

namespace fs = std::filesystem;

std::optional<fs::path> cacheFolder()
{
    const auto folder = [](const char *variable) -> fs::path {
        const char *value = std::getenv(variable);
        return value ? value : "";
    };
    if (const fs::path cache = folder("XDG_CACHE_HOME"); cache.is_absolute())
        return cache / "headscope";
    if (const fs::path home = folder("HOME"); home.is_absolute())
        return home / ".cache" / "headscope";
    return std::nullopt;
}

} // namespace headscope
