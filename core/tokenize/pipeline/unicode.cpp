#include "core/tokenize/pipeline/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>

namespace headscope::pipeline {
namespace {

utf8proc_category_t categoryOf(char32_t code)
{
    return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

struct Range
{
    char32_t first, last;
};

bool isIn(char32_t code, const Range *begin, const Range *end)
{
    return std::any_of(begin, end, [code](const Range &range) { return code >= range.first && code <= range.last; });
}

unsigned char byteAt(std::string_view text, std::size_t at)
{
    return static_cast<unsigned char>(text[at]);
}

} // namespace

Char charAt(std::string_view text, std::size_t at)
{
    const unsigned char first = byteAt(text, at);
    if (first < 0x80)
        return {first, 1};
    const std::size_t size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    char32_t code = first & (0xFFu >> (size + 1));
    for (std::size_t i = 1; i < size && at + i < text.size(); ++i)
        code = code << 6 | (byteAt(text, at + i) & 0x3Fu);
    return {code, std::min(size, text.size() - at)};
}

Char charBefore(std::string_view text, std::size_t end)
{
    std::size_t begin = end - 1;
    while (begin > 0 && (byteAt(text, begin) & 0xC0) == 0x80)
        --begin;
    return charAt(text, begin);
}

void appendChar(std::string &text, char32_t code)
{
    if (code < 0x80) {
        text += static_cast<char>(code);
        return;
    }
    utf8proc_uint8_t bytes[4];
    const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), bytes);
    text.append(reinterpret_cast<const char *>(bytes), static_cast<std::size_t>(size));
}

std::size_t charCount(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

bool isWhiteSpace(char32_t code)
{
    if (code < 0x80)
        return code == ' ' || (code >= 9 && code <= 13);
    const auto category = categoryOf(code);
    return code == 0x85 || category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL
        || category == UTF8PROC_CATEGORY_ZP;
}

bool isLetter(char32_t code)
{
    const auto category = categoryOf(code);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool isNumber(char32_t code)
{
    const auto category = categoryOf(code);
    return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

bool isMark(char32_t code)
{
    const auto category = categoryOf(code);
    return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

bool isUnicodePunctuation(char32_t code)
{
    const auto category = categoryOf(code);
    return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

bool isNonspacingMark(char32_t code)
{
    return code >= 0x300 && categoryOf(code) == UTF8PROC_CATEGORY_MN;
}

bool isWordChar(char32_t code)
{
    // Letters in circles and squares are alphabetic though symbols by category; the rest of Other_Alphabetic are marks.
    static constexpr Range kAlphabeticSymbols[]
        = {{0x24B6, 0x24E9}, {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189}};
    const auto category = categoryOf(code);
    return isLetter(code) || isMark(code) || category == UTF8PROC_CATEGORY_ND || category == UTF8PROC_CATEGORY_NL
        || category == UTF8PROC_CATEGORY_PC || isIn(code, std::begin(kAlphabeticSymbols), std::end(kAlphabeticSymbols));
}

bool isJoiner(char32_t code)
{
    return code == 0x200C || code == 0x200D;
}

bool isPunctuation(char32_t code)
{
    if (code < 0x80)
        return (code >= 33 && code <= 47) || (code >= 58 && code <= 64) || (code >= 91 && code <= 96)
            || (code >= 123 && code <= 126);
    return isUnicodePunctuation(code);
}

bool isControl(char32_t code)
{
    const auto category = categoryOf(code);
    return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF || category == UTF8PROC_CATEGORY_CO;
}

bool isIdeograph(char32_t code)
{
    // The last but two begins at 2B820 in Unicode; the fast tokenizers have 2B920, and so every model made with them.
    static constexpr Range kBlocks[] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
                                        {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
    return code >= 0x3400 && isIn(code, std::begin(kBlocks), std::end(kBlocks));
}

std::vector<char32_t> lowerCase(char32_t code)
{
    constexpr char32_t kDottedI = 0x130; // the only character whose lower case is two
    if (code == kDottedI)
        return {U'i', 0x307};
    return {static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code)))};
}

std::vector<char32_t> decomposed(char32_t code, bool compatibility)
{
    const auto options = static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | (compatibility ? UTF8PROC_COMPAT : 0));
    utf8proc_int32_t parts[32]; // the longest decomposition of Unicode has 18
    int boundary = 0;
    const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code), parts, 32, options, &boundary);
    if (count <= 0 || count > 32)
        return {code};
    return {parts, parts + count};
}

char32_t composed(char32_t first, char32_t second)
{
    utf8proc_int32_t pair[3] = {static_cast<utf8proc_int32_t>(first), static_cast<utf8proc_int32_t>(second), 0};
    const auto options = static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
    return utf8proc_normalize_utf32(pair, 2, options) == 1 ? static_cast<char32_t>(pair[0]) : 0;
}

int combiningClass(char32_t code)
{
    return utf8proc_get_property(static_cast<utf8proc_int32_t>(code))->combining_class;
}

} // namespace headscope::pipeline
