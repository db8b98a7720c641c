#pragma once

#include "core/base/enumnames.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace headscope {

/// The unit that is taken out and measured as one: a (query) head, or all heads that read the same keys and values.
enum class HeadUnit : std::uint8_t { Head, KeyGroup };
template<>
struct EnumNames<HeadUnit>
{
    static constexpr std::array<std::string_view, 2> values{"head", "key-group"};
    static constexpr const char *what = "unit of heads";
};

} // namespace headscope
