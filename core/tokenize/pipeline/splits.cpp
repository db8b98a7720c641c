#include "core/tokenize/pipeline/pattern.h"
#include "core/tokenize/pipeline/pretokenizer.h"

namespace headscope::pipeline {
namespace {

/// Splits at the matches of a pattern.
class PatternSplit final : public PreTokenizer
{
public:
    PatternSplit(Pattern pattern, Delimiter delimiter, bool invert = false)
        : m_pattern(std::move(pattern)), m_delimiter(delimiter), m_invert(invert)
    {
    }

    std::vector<AlignedText> split(std::vector<AlignedText> texts) const override
    {
        std::vector<AlignedText> parts;
        for (const AlignedText &text : texts)
            for (AlignedText &part : pipeline::split(text, m_pattern, m_delimiter, m_invert))
                parts.push_back(std::move(part));
        return parts;
    }

private:
    Pattern m_pattern;
    Delimiter m_delimiter;
    bool m_invert;
};

Delimiter readDelimiter(const Part &part, const char *fallback)
{
    static constexpr std::pair<const char *, Delimiter> kDelimiters[]
        = {{"Removed", Delimiter::Removed},
           {"Isolated", Delimiter::Isolated},
           {"MergedWithPrevious", Delimiter::MergedWithPrevious},
           {"MergedWithNext", Delimiter::MergedWithNext},
           {"Contiguous", Delimiter::Contiguous}};
    const std::string behavior = part.text("behavior", fallback);
    for (const auto &[name, delimiter] : kDelimiters)
        if (behavior == name)
            return delimiter;
    part.fail("the behavior \"" + behavior + "\" is not supported");
}

/// White space separates words, punctuation stands alone.
class BertSplit final : public PreTokenizer
{
public:
    std::vector<AlignedText> split(std::vector<AlignedText> texts) const override
    {
        std::vector<AlignedText> words;
        for (const AlignedText &text : texts)
            addWords(text, words);
        return words;
    }

private:
    static void addWords(const AlignedText &text, std::vector<AlignedText> &words)
    {
        std::size_t begin = 0;
        const auto endWord = [&](std::size_t end) {
            if (begin < end)
                words.push_back(text.slice(begin, end));
        };
        const std::string &bytes = text.text();
        for (std::size_t at = 0; at < bytes.size();) {
            const Char next = charAt(bytes, at);
            const std::size_t end = at + next.size;
            if (isWhiteSpace(next.code)) {
                endWord(at);
                begin = end;
            } else if (isPunctuation(next.code)) {
                endWord(at);
                words.push_back(text.slice(at, end));
                begin = end;
            }
            at = end;
        }
        endWord(bytes.size());
    }
};

/// Stretches of word characters, and of what is neither those nor white space.
std::size_t scanWordOrSymbols(std::string_view text, std::size_t at)
{
    const auto kind = [](char32_t code) { return isWordChar(code) || isJoiner(code) ? 1 : isWhiteSpace(code) ? 0 : 2; };
    const int wanted = kind(charAt(text, at).code);
    std::size_t end = at;
    while (wanted != 0 && end < text.size() && kind(charAt(text, end).code) == wanted)
        end += charAt(text, end).size;
    return end - at;
}

} // namespace

PreTokenizerPtr makeBertPreTokenizer(const Part &)
{
    return std::make_unique<BertSplit>();
}

PreTokenizerPtr makeWhitespace(const Part &)
{
    return std::make_unique<PatternSplit>(Pattern(scanWordOrSymbols), Delimiter::Removed, true);
}

PreTokenizerPtr makeWhitespaceSplit(const Part &)
{
    return std::make_unique<PatternSplit>(Pattern::ofChars(isWhiteSpace), Delimiter::Removed);
}

PreTokenizerPtr makePunctuation(const Part &part)
{
    return std::make_unique<PatternSplit>(Pattern::ofChars(isPunctuation), readDelimiter(part, "Isolated"));
}

PreTokenizerPtr makeDigits(const Part &part)
{
    return std::make_unique<PatternSplit>(Pattern::ofChars(isNumber), part.flag("individual_digits", false)
                                                                          ? Delimiter::Isolated
                                                                          : Delimiter::Contiguous);
}

PreTokenizerPtr makeSplit(const Part &part)
{
    return std::make_unique<PatternSplit>(Pattern::fromJson(part, "pattern"), readDelimiter(part, ""),
                                          part.flag("invert", false));
}

PreTokenizerPtr makeCharDelimiterSplit(const Part &part)
{
    const std::string delimiter = part.text("delimiter");
    if (charCount(delimiter) != 1)
        part.fail("\"delimiter\" must be one character");
    const char32_t wanted = charAt(delimiter, 0).code;
    return std::make_unique<PatternSplit>(Pattern::ofChars([wanted](char32_t code) { return code == wanted; }),
                                          Delimiter::Removed);
}

} // namespace headscope::pipeline
