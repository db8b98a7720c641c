#include "core/tokenize/pipeline/bytechars.h"

#include "core/formats/utf8.h"
#include "core/tokenize/pipeline/unicode.h"

#include <algorithm>
#include <array>

namespace headscope::pipeline {
namespace {

constexpr char32_t kFirstSubstitute = 0x100;

struct Tables
{
    std::array<char32_t, 256> chars{};
    std::array<int, kFirstSubstitute + 68> bytes{}; ///< -1: stands for none
};

constexpr Tables makeTables()
{
    Tables tables;
    tables.bytes.fill(-1);
    char32_t substitute = kFirstSubstitute;
    for (char32_t byte = 0; byte < 256; ++byte) {
        const bool isPrintable
            = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
        tables.chars[byte] = isPrintable ? byte : substitute++;
        tables.bytes[tables.chars[byte]] = static_cast<int>(byte);
    }
    return tables;
}

constexpr Tables kTables = makeTables();

/// Bytes of the longest beginning of a character that stands at the front of `bytes`: at least one.
std::size_t brokenLength(std::string_view bytes)
{
    std::string padded(bytes.substr(0, 4));
    // A beginning is one to which something can be added: some continuation makes it valid.
    for (std::size_t size = std::min<std::size_t>(3, padded.size()); size > 1; --size)
        for (const char *filler : {"\x80\x80", "\xA0\x80", "\x90\x80", "\x8F\xBF", "\x9F\xBF"}) {
            const auto first = static_cast<unsigned char>(padded[0]);
            const std::size_t full = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
            if (size < full && !firstInvalidUtf8(padded.substr(0, size) + std::string(filler).substr(0, full - size)))
                return size;
        }
    return 1;
}

} // namespace

char32_t charOfByte(unsigned char byte)
{
    return kTables.chars[byte];
}

std::string bytesOfPiece(std::string_view piece)
{
    std::string bytes;
    for (std::size_t at = 0; at < piece.size();) {
        const Char next = charAt(piece, at);
        if (next.code >= kTables.bytes.size() || kTables.bytes[next.code] < 0)
            return std::string(piece);
        bytes += static_cast<char>(kTables.bytes[next.code]);
        at += next.size;
    }
    return bytes;
}

std::string repairedUtf8(std::string_view bytes)
{
    std::string text;
    while (const auto broken = firstInvalidUtf8(bytes)) {
        text.append(bytes.substr(0, *broken)).append("\uFFFD");
        bytes.remove_prefix(*broken);
        bytes.remove_prefix(brokenLength(bytes));
    }
    return text.append(bytes);
}

} // namespace headscope::pipeline
