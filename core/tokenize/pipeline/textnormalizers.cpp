#include "core/tokenize/pipeline/normalizer.h"
#include "core/tokenize/pipeline/pattern.h"
#include "core/tokenize/pipeline/unicodenormalizers.h"

#include <algorithm>
#include <iterator>

namespace headscope::pipeline {
namespace {

constexpr std::size_t kLongestInsertion = 4096;

std::string readInsertion(const Part &part, const char *key)
{
    std::string text = part.text(key);
    if (text.size() > kLongestInsertion)
        part.fail(std::string("\"") + key + "\" is unreasonably long");
    return text;
}

class Replace final : public Normalizer
{
public:
    explicit Replace(const Part &part)
        : m_pattern(Pattern::fromJson(part, "pattern")), m_content(readInsertion(part, "content"))
    {
    }

    /// The replacement of a match belongs to the match's last character.
    void apply(AlignedText &text) const override
    {
        const std::vector<Pattern::Stretch> found = m_pattern.find(text.text());
        Rewriter rewriter(text);
        for (const Pattern::Stretch &stretch : found) {
            if (!stretch.isMatch) {
                rewriter.keepUntil(stretch.end);
                continue;
            }
            while (rewriter.position() < stretch.end)
                rewriter.skip();
            for (std::size_t at = 0; at < m_content.size();) {
                const Char next = charAt(m_content, at);
                rewriter.insert(next.code);
                at += next.size;
            }
        }
        rewriter.finish();
    }

private:
    Pattern m_pattern;
    std::string m_content;
};

class Strip final : public Normalizer
{
public:
    explicit Strip(const Part &part)
        : m_left(part.flag("strip_left", true)), m_right(part.flag("strip_right", true)) { }

    void apply(AlignedText &text) const override
    {
        const std::string &old = text.text();
        std::size_t begin = 0;
        std::size_t end = old.size();
        while (m_left && begin < end && isWhiteSpace(charAt(old, begin).code))
            begin += charAt(old, begin).size;
        while (m_right && end > begin && isWhiteSpace(charBefore(old, end).code))
            end -= charBefore(old, end).size;
        text = text.slice(begin, end);
    }

private:
    bool m_left;
    bool m_right;
};

class Prepend final : public Normalizer
{
public:
    explicit Prepend(const Part &part) : m_text(readInsertion(part, "prepend")) { }
    void apply(AlignedText &text) const override { text.prepend(m_text); }

private:
    std::string m_text;
};

bool isControlOfNmt(char32_t code)
{
    return (code >= 0x1 && code <= 0x8) || code == 0xB || (code >= 0xE && code <= 0x1F) || code == 0x7F || code == 0x8F
        || code == 0x9F;
}

bool isBlankOfNmt(char32_t code)
{
    constexpr char32_t kBlanks[] = {0x9, 0xA, 0xC, 0xD, 0x1680, 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD};
    return std::ranges::find(kBlanks, code) != std::end(kBlanks) || (code >= 0x200B && code <= 0x200F);
}

/// SentencePiece's rule nmt: control characters go, odd blanks become blanks.
class Nmt final : public Normalizer
{
public:
    void apply(AlignedText &text) const override
    {
        filter(text, [](char32_t code) { return !isControlOfNmt(code); });
        Rewriter rewriter(text);
        while (!rewriter.atEnd()) {
            if (isBlankOfNmt(rewriter.peek().code))
                rewriter.replace(U' ');
            else
                rewriter.keep();
        }
        rewriter.finish();
    }
};

} // namespace

NormalizerPtr makeNmt(const Part &)
{
    return std::make_unique<Nmt>();
}

NormalizerPtr makeReplace(const Part &part)
{
    return std::make_unique<Replace>(part);
}

NormalizerPtr makeStrip(const Part &part)
{
    return std::make_unique<Strip>(part);
}

NormalizerPtr makePrepend(const Part &part)
{
    return std::make_unique<Prepend>(part);
}

} // namespace headscope::pipeline
