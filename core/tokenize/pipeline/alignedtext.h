#pragma once

#include "core/tokenize/pipeline/unicode.h"
#include "core/tokenize/tokenizer.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::pipeline {

/// A text on its way through the normaliser, and where in the original each of its bytes comes from.
class AlignedText
{
public:
    /// The original itself. Throws Failure above 1 GiB.
    explicit AlignedText(std::string_view original);

    const std::string &text() const { return m_text; }
    bool isEmpty() const { return m_text.empty(); }
    /// Where in the original it begins.
    std::size_t origin() const { return m_origins.empty() ? m_begin : m_origins.front().begin; }

    AlignedText slice(std::size_t begin, std::size_t end) const;
    /// The original bytes that bytes begin … end − 1 come from.
    TextSpan original(std::size_t begin, std::size_t end) const;
    /// Puts `text` in front; it belongs to the first character. An empty text stays empty.
    void prepend(std::string_view text);

private:
    friend class Rewriter;
    struct Origin
    {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
    };

    AlignedText() = default;

    std::string m_text;
    std::vector<Origin> m_origins; ///< one per byte of m_text, that of its whole character
    std::size_t m_begin = 0;       ///< of an empty text
    std::size_t m_limit = 0;       ///< bytes that m_text may have
};

/// Writes a text anew while it reads the old one from front to end. Throws Failure when it grows out of all proportion.
class Rewriter
{
public:
    explicit Rewriter(AlignedText &text) : m_old(text) { }

    bool atEnd() const { return m_at >= m_old.m_text.size(); }
    /// The next character. Precondition: not atEnd().
    Char peek() const { return charAt(m_old.m_text, m_at); }
    std::size_t position() const { return m_at; }
    void keep();
    void keepUntil(std::size_t position);
    void skip(std::size_t chars = 1);
    /// `code` takes the place of the next character.
    void replace(char32_t code);
    /// `code` belongs to the character read last.
    void insert(char32_t code);
    /// As the original library gives them: 1 is insert(), 0 replace(), -n replace() and skip(n).
    void change(char32_t code, int change);
    /// The text becomes what was written.
    void finish();

private:
    void write(char32_t code, AlignedText::Origin origin);

    AlignedText &m_old;
    AlignedText m_new;
    std::size_t m_at = 0;
};

/// Every byte becomes the printable character that stands for it (bytechars.h).
void spellBytes(AlignedText &text);

} // namespace headscope::pipeline
