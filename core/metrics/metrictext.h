#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Text as sacreBLEU sees it: Python's notion of white space and lower case, on UTF-8.
namespace headscope {

/// Code points of UTF-8 text; each byte that is not part of valid UTF-8 gives U+FFFD.
std::vector<std::uint32_t> codePoints(std::string_view text);
/// White space as str.split() and str.isspace() have it.
bool isPythonSpace(std::uint32_t codePoint);
/// str.split(): the pieces between runs of white space, as views into `text`.
std::vector<std::string_view> splitOnSpace(std::string_view text);
/// str.rstrip()
std::string_view withoutTrailingSpace(std::string_view text);
/// str.lower() by the simple case mapping.
std::string lowerCase(std::string_view text);

} // namespace headscope
