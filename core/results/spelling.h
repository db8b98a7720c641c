#pragma once

#include "core/base/result.h"

#include <array>
#include <string>
#include <string_view>

namespace headscope {

/// The value that a name stands for; `names` in the order of the enumeration. Error (usage): "Unknown WHAT …".
template<typename Enum, std::size_t N>
Result<Enum> parseName(std::string_view text, const std::array<std::string_view, N> &names, const char *what)
{
    std::string known;
    for (std::size_t i = 0; i < N; ++i) {
        if (names[i] == text)
            return static_cast<Enum>(i);
        known += (i == 0 ? "" : i + 1 == N ? " or " : ", ") + std::string(names[i]);
    }
    return usageError("Unknown " + std::string(what) + " \"" + std::string(text) + "\": expected " + known + ".");
}

} // namespace headscope
