#include "core/metrics/metrictext.h"

#include <utf8proc.h>

namespace headscope {

namespace {

/// The code point at `position`, which is moved past it.
std::uint32_t decode(std::string_view text, std::size_t &position)
{
    const auto first = static_cast<unsigned char>(text[position]);
    if (first < 0x80) {
        ++position;
        return first;
    }
    utf8proc_int32_t codePoint = -1;
    const auto used = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t *>(text.data()) + position,
                                       static_cast<utf8proc_ssize_t>(text.size() - position), &codePoint);
    if (used <= 0) {
        ++position;
        return 0xfffd;
    }
    position += static_cast<std::size_t>(used);
    return static_cast<std::uint32_t>(codePoint);
}

} // namespace

std::vector<std::uint32_t> codePoints(std::string_view text)
{
    std::vector<std::uint32_t> points;
    points.reserve(text.size());
    for (std::size_t position = 0; position < text.size();)
        points.push_back(decode(text, position));
    return points;
}

bool isPythonSpace(std::uint32_t c)
{
    if (c < 0x80)
        return c == 0x20 || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f);
    return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029
        || c == 0x202f || c == 0x205f || c == 0x3000;
}

std::vector<std::string_view> splitOnSpace(std::string_view text)
{
    std::vector<std::string_view> pieces;
    std::size_t start = 0;
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t here = position;
        if (!isPythonSpace(decode(text, position)))
            continue;
        if (here > start)
            pieces.push_back(text.substr(start, here - start));
        start = position;
    }
    if (start < text.size())
        pieces.push_back(text.substr(start));
    return pieces;
}

std::string_view withoutTrailingSpace(std::string_view text)
{
    std::size_t end = 0;
    for (std::size_t position = 0; position < text.size();) {
        if (!isPythonSpace(decode(text, position)))
            end = position;
    }
    return text.substr(0, end);
}

std::string lowerCase(std::string_view text)
{
    std::string lower;
    lower.reserve(text.size());
    for (const std::uint32_t codePoint : codePoints(text)) {
        utf8proc_uint8_t bytes[4];
        const auto length = utf8proc_encode_char(utf8proc_tolower(static_cast<utf8proc_int32_t>(codePoint)), bytes);
        lower.append(reinterpret_cast<const char *>(bytes), static_cast<std::size_t>(length));
    }
    return lower;
}

} // namespace headscope
