#pragma once

#include "core/tokenize/pipeline/alignedtext.h"
#include "core/tokenize/pipeline/part.h"

#include <functional>
#include <string_view>
#include <vector>

namespace headscope::pipeline {

/// Finds places in texts. Of regular expressions it knows alternatives of rows of repeated character classes, words
/// in any
/// case and what comes next ( {2,}, \w+|[^\w\s]+, \s*[\r\n]+|\s+(?!\S)), as those are by which GPT-2, GPT-4, Qwen2 and
/// Mistral split texts. An expression that takes too long ends in a Failure.
class Pattern
{
public:
    /// A stretch of text that matches, or what lies between two of them.
    struct Stretch
    {
        std::size_t begin = 0;
        std::size_t end = 0;
        bool isMatch = false;
    };
    /// Bytes that match at a place, 0 for none.
    using Scanner = std::function<std::size_t(std::string_view text, std::size_t at)>;

    explicit Pattern(Scanner scanner) : m_scanner(std::move(scanner)) { }
    /// Every single character of the kind.
    static Pattern ofChars(std::function<bool(char32_t)> isOne);
    /// {"String": …} or {"Regex": …}. Throws Failure.
    static Pattern fromJson(const Part &part, const char *key);

    /// Covers the text from front to end.
    std::vector<Stretch> find(std::string_view text) const;

private:
    Scanner m_scanner;
};

/// What becomes of the matches when a text is split at them.
enum class Delimiter { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };

/// The parts of a text; empty ones are left out.
std::vector<AlignedText> split(const AlignedText &text, const Pattern &pattern, Delimiter delimiter,
                               bool invert = false);

} // namespace headscope::pipeline
