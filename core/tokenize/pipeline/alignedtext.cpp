#include "core/tokenize/pipeline/alignedtext.h"

#include <algorithm>

namespace headscope::pipeline {
namespace {

constexpr std::size_t kLongestText = std::size_t{1} << 30;

/// The limit for a text of so many original bytes. A chain of replacements may double a text again and again; honest
/// ones at most make NFKC's 18 characters out of one.
std::size_t longestOutOf(std::size_t originalBytes)
{
    return 1024 + 64 * originalBytes;
}

} // namespace

AlignedText::AlignedText(std::string_view original) : m_text(original), m_limit(longestOutOf(original.size()))
{
    if (original.size() > kLongestText)
        throw Failure(badInput("a text of more than 1 GiB cannot be tokenized"));
    m_origins.resize(original.size());
    for (std::size_t at = 0; at < original.size();) {
        const std::size_t end = at + charAt(original, at).size;
        const Origin origin{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)};
        for (; at < end; ++at)
            m_origins[at] = origin;
    }
}

AlignedText AlignedText::slice(std::size_t begin, std::size_t end) const
{
    AlignedText part;
    part.m_text = m_text.substr(begin, end - begin);
    part.m_origins.assign(m_origins.begin() + static_cast<std::ptrdiff_t>(begin),
                          m_origins.begin() + static_cast<std::ptrdiff_t>(end));
    const TextSpan span = original(begin, end);
    part.m_limit = longestOutOf(span.end - span.begin);
    part.m_begin = begin < m_origins.size() ? m_origins[begin].begin : m_begin;
    return part;
}

TextSpan AlignedText::original(std::size_t begin, std::size_t end) const
{
    if (begin >= end || end > m_origins.size())
        return {origin(), origin()};
    return {m_origins[begin].begin, std::max(m_origins[begin].begin, m_origins[end - 1].end)};
}

void AlignedText::prepend(std::string_view text)
{
    if (m_text.empty())
        return;
    m_text.insert(0, text);
    m_origins.insert(m_origins.begin(), text.size(), Origin(m_origins.front()));
}

void Rewriter::keep()
{
    const Char next = peek();
    m_new.m_text.append(m_old.m_text, m_at, next.size);
    const auto from = m_old.m_origins.begin() + static_cast<std::ptrdiff_t>(m_at);
    m_new.m_origins.insert(m_new.m_origins.end(), next.size, *from);
    m_at += next.size;
}

void Rewriter::keepUntil(std::size_t position)
{
    while (m_at < position && !atEnd())
        keep();
}

void Rewriter::skip(std::size_t chars)
{
    for (; chars > 0 && !atEnd(); --chars)
        m_at += peek().size;
}

void Rewriter::replace(char32_t code)
{
    if (atEnd())
        return insert(code);
    write(code, m_old.m_origins[m_at]);
    m_at += peek().size;
}

void Rewriter::insert(char32_t code)
{
    const auto start = static_cast<std::uint32_t>(m_old.origin());
    write(code, m_at == 0 ? AlignedText::Origin{start, start} : m_old.m_origins[m_at - 1]);
}

void Rewriter::change(char32_t code, int change)
{
    if (change > 0)
        return insert(code);
    replace(code);
    skip(static_cast<std::size_t>(-change));
}

void Rewriter::finish()
{
    m_new.m_begin = m_old.origin();
    m_new.m_limit = m_old.m_limit;
    m_old = std::move(m_new);
}

void Rewriter::write(char32_t code, AlignedText::Origin origin)
{
    const std::size_t before = m_new.m_text.size();
    if (before > m_old.m_limit)
        throw Failure(badInput("the tokenizer's normaliser makes a text too long"));
    appendChar(m_new.m_text, code);
    m_new.m_origins.insert(m_new.m_origins.end(), m_new.m_text.size() - before, origin);
}

} // namespace headscope::pipeline
