#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace headscope {

/// The number that a whole text is, in C's notation and whatever the locale; nothing where anything else stands in it,
/// or where it does not fit.
template<typename Number>
std::optional<Number> parsedNumber(std::string_view text)
{
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

} // namespace headscope
