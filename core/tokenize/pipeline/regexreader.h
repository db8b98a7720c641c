#pragma once

#include "core/tokenize/pipeline/unicode.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::pipeline {

/// A set of characters: single ones, ranges and Unicode's kinds, or all others.
struct CharClass
{
    using IsOne = bool (*)(char32_t);

    std::vector<std::pair<char32_t, char32_t>> ranges;
    std::vector<std::pair<IsOne, bool>> kinds; ///< and whether those that are not of the kind are meant
    bool negated = false;

    bool contains(char32_t code) const;
};

/// One step of an expression.
struct RegexItem
{
    enum class Kind {
        Chars, ///< of a class, `least` to `most` of them, as many as can be
        Texts, ///< one of several, whatever its case; `least` 0: or none
        Ahead, ///< nothing, where the next character is of a class (or, not `isWanted`, none of it)
    };

    Kind kind = Kind::Chars;
    CharClass chars;
    std::vector<std::u32string> texts; ///< folded
    std::size_t least = 1;
    std::size_t most = 1;      ///< npos: any number
    bool isPossessive = false; ///< gives nothing back
    bool isWanted = true;
};

/// The alternatives of a regular expression, each a row of steps, all of which take at least one character. nullopt:
/// beyond what is known: classes with ? * + {n,m}, (?i:words|…), (?!class), (?=class).
std::optional<std::vector<std::vector<RegexItem>>> readRegex(std::string_view expression);

/// A character as all spellings of it that differ in case alone.
char32_t foldedCase(char32_t code);

} // namespace headscope::pipeline
