#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// Byte position of the first sequence that is not strict UTF-8 (overlong forms, surrogates and code points
/// above U+10FFFF are errors); nullopt when all of `text` is valid.
std::optional<std::size_t> firstInvalidUtf8(std::string_view text);

/// Without white space of any script (Unicode White_Space and U+001C…1F, as Python's str.strip) at both ends.
std::string_view trimmed(std::string_view text);

/// White-space separated words.
std::size_t countWords(std::string_view text);

} // namespace headscope
