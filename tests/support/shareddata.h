#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

/// The optional real models and data sets, which live outside the project: $HEADSCOPE_SHARED, or "shared" beside the
/// checkout. Empty where there are none; tests then skip and say so.
inline std::filesystem::path sharedData(const std::string &relative)
{
    const char *given = std::getenv("HEADSCOPE_SHARED");
    const char *source = std::getenv("HEADSCOPE_SOURCE_DIR");
    std::filesystem::path root;
    if (given != nullptr && *given != '\0')
        root = given;
    else if (source != nullptr)
        root = std::filesystem::path(source) / ".." / "shared";
    std::error_code ignored;
    if (root.empty() || !std::filesystem::exists(root / relative, ignored))
        return {};
    return root / relative;
}
