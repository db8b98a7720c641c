#pragma once

#include "core/base/result.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace headscope {

/// How files and command lines spell the values of an enumeration: specialised beside it with `values`, the names in
/// the enumeration's order, and `what`, the noun for error messages.
template<typename E>
struct EnumNames;

template<typename E>
concept NamedEnum = requires
{
    EnumNames<E>::values.size();
};

template<NamedEnum E>
constexpr std::string_view toText(E value)
{
    return EnumNames<E>::values[static_cast<std::size_t>(value)];
}

/// The value with a name. Error (usage): "Unknown WHAT …: expected …".
template<NamedEnum E>
Result<E> parseName(std::string_view text)
{
    constexpr const auto &names = EnumNames<E>::values;
    std::string known;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == text)
            return static_cast<E>(i);
        known += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + std::string(names[i]);
    }
    return usageError(std::string("Unknown ") + EnumNames<E>::what + " \"" + std::string(text) + "\": expected " + known
                      + ".");
}

} // namespace headscope
