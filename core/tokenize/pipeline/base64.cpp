#include "core/tokenize/pipeline/base64.h"

#include <cstdint>

namespace headscope::pipeline {
namespace {

int sextet(char letter)
{
    static constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t at = kLetters.find(letter);
    return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

} // namespace

std::optional<std::string> fromBase64(std::string_view text)
{
    if (text.size() % 4 != 0)
        return std::nullopt;
    for (int padding = 0; padding < 2 && text.ends_with('='); ++padding)
        text.remove_suffix(1);
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3 + 3);
    std::uint32_t bits = 0;
    int count = 0;
    for (const char letter : text) {
        const int six = sextet(letter);
        if (six < 0)
            return std::nullopt;
        bits = bits << 6 | static_cast<std::uint32_t>(six);
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes += static_cast<char>(bits >> count & 0xFF);
        }
    }
    return bytes;
}

} // namespace headscope::pipeline
