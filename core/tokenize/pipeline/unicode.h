#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::pipeline {

struct Char
{
    char32_t code = 0;
    std::size_t size = 0; ///< bytes in UTF-8
};

/// The character that begins at byte `at`. Precondition: valid UTF-8, `at` begins a character.
Char charAt(std::string_view text, std::size_t at);
/// The character before byte `end`. Precondition: valid UTF-8, `end` is where a character ends.
Char charBefore(std::string_view text, std::size_t end);
void appendChar(std::string &text, char32_t code);
std::size_t charCount(std::string_view text);

bool isWhiteSpace(char32_t code);         ///< Unicode White_Space
bool isLetter(char32_t code);             ///< L*
bool isNumber(char32_t code);             ///< N*
bool isMark(char32_t code);               ///< M*
bool isUnicodePunctuation(char32_t code); ///< P*
bool isNonspacingMark(char32_t code);
/// Characters that belong to words: letters, marks, digits, connectors.
bool isWordChar(char32_t code);
/// The joiners that emoji are made up with; some take them for word characters and some not.
bool isJoiner(char32_t code);
/// ASCII punctuation, which for BERT includes $ + < = > ^ ` | ~, and P*.
bool isPunctuation(char32_t code);
/// Cc, Cf, Co. Tabs and line ends are among them.
bool isControl(char32_t code);
/// CJK ideographs, which BERT takes as words of their own.
bool isIdeograph(char32_t code);

/// Lower case of one character by itself: İ gives two, Σ always σ.
std::vector<char32_t> lowerCase(char32_t code);
/// Full canonical or compatibility decomposition of one character.
std::vector<char32_t> decomposed(char32_t code, bool compatibility);
/// One character for two (e and U+0301: é), 0 when there is none.
char32_t composed(char32_t first, char32_t second);
int combiningClass(char32_t code);

} // namespace headscope::pipeline
