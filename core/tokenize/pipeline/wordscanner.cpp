#include "core/tokenize/pipeline/wordscanner.h"

#include "core/tokenize/pipeline/unicode.h"

#include <initializer_list>

namespace headscope::pipeline {
namespace {

template<typename IsOne>
std::size_t runEnd(std::string_view text, std::size_t at, IsOne isOne)
{
    while (at < text.size()) {
        const Char next = charAt(text, at);
        if (!isOne(next.code))
            break;
        at += next.size;
    }
    return at;
}

/// A run of white space leaves its last character to a word after it.
std::size_t scanSpace(std::string_view text, std::size_t at)
{
    const std::size_t end = runEnd(text, at, isWhiteSpace);
    const std::size_t last = end - charBefore(text, end).size;
    return end < text.size() && last > at ? last - at : end - at;
}

} // namespace

std::size_t scanWord(std::string_view text, std::size_t at)
{
    const std::string_view rest = text.substr(at);
    if (rest.front() == '\'')
        for (const std::string_view contraction : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
            if (rest.starts_with(contraction))
                return contraction.size();
    const std::size_t word = at + (rest.front() == ' ');
    if (word < text.size()) {
        const char32_t first = charAt(text, word).code;
        if (isLetter(first))
            return runEnd(text, word, isLetter) - at;
        if (isNumber(first))
            return runEnd(text, word, isNumber) - at;
        const auto isOther = [](char32_t code) { return !isWhiteSpace(code) && !isLetter(code) && !isNumber(code); };
        if (isOther(first))
            return runEnd(text, word, isOther) - at;
    }
    return scanSpace(text, at);
}

} // namespace headscope::pipeline
