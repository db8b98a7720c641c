#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headscope {

/// Replaces every `from`, which is not empty, from left to right; what was put in is not looked at again.
inline void replaceAll(std::string &text, std::string_view from, std::string_view to)
{
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

} // namespace headscope
