#include "core/formats/utf8.h"

#include <utf8proc.h>

namespace headscope {
namespace {

const utf8proc_uint8_t *bytesOf(const char *text)
{
    return reinterpret_cast<const utf8proc_uint8_t *>(text);
}

bool isSpace(utf8proc_int32_t c)
{
    return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680
        || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

/// Bytes of the white-space character at the start of `text`, 0 when there is none.
std::size_t leadingSpace(std::string_view text)
{
    utf8proc_int32_t c = -1;
    const auto size = utf8proc_iterate(bytesOf(text.data()), static_cast<utf8proc_ssize_t>(text.size()), &c);
    return size > 0 && isSpace(c) ? static_cast<std::size_t>(size) : 0;
}

std::size_t trailingSpace(std::string_view text)
{
    std::size_t start = text.size();
    while (start > 0 && text.size() - start < 4) {
        --start;
        if ((static_cast<unsigned char>(text[start]) & 0xC0) != 0x80)
            break;
    }
    const std::size_t size = text.size() - start;
    return size > 0 && leadingSpace(text.substr(start)) == size ? size : 0;
}

} // namespace

std::optional<std::size_t> firstInvalidUtf8(std::string_view text)
{
    std::size_t at = 0;
    while (at < text.size()) {
        if (static_cast<unsigned char>(text[at]) < 0x80) {
            ++at;
            continue;
        }
        utf8proc_int32_t c = -1;
        const auto size
            = utf8proc_iterate(bytesOf(text.data() + at), static_cast<utf8proc_ssize_t>(text.size() - at), &c);
        if (size <= 0)
            return at;
        at += static_cast<std::size_t>(size);
    }
    return std::nullopt;
}

std::string_view trimmed(std::string_view text)
{
    while (const std::size_t size = text.empty() ? 0 : leadingSpace(text))
        text.remove_prefix(size);
    while (const std::size_t size = trailingSpace(text))
        text.remove_suffix(size);
    return text;
}

std::size_t countWords(std::string_view text)
{
    std::size_t words = 0;
    bool inWord = false;
    while (!text.empty()) {
        std::size_t size = leadingSpace(text);
        if (size == 0 && !inWord)
            ++words;
        inWord = size == 0;
        text.remove_prefix(size > 0 ? size : 1);
    }
    return words;
}

} // namespace headscope
