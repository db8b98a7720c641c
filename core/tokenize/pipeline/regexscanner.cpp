#include "core/tokenize/pipeline/regexscanner.h"

#include "core/base/result.h"
#include "core/formats/utf8.h"
#include "core/tokenize/pipeline/regexreader.h"
#include "core/tokenize/pipeline/wordscanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::pipeline {
namespace {

/// Tries one alternative at one place, from its longest match down.
class Attempt
{
public:
    Attempt(const std::vector<RegexItem> &items, std::string_view text, std::int64_t &steps)
        : m_items(items), m_text(text), m_steps(steps)
    {
    }

    /// Where the match of the items from `index` on ends.
    std::optional<std::size_t> match(std::size_t index, std::size_t at)
    {
        if (index == m_items.size())
            return at;
        const RegexItem &item = m_items[index];
        switch (item.kind) {
        case RegexItem::Kind::Chars:
            return matchChars(item, index, at);
        case RegexItem::Kind::Texts:
            return matchTexts(item, index, at);
        case RegexItem::Kind::Ahead:
            break;
        }
        const bool isThere = at < m_text.size() && item.chars.contains(charAt(m_text, at).code);
        return isThere == item.isWanted ? match(index + 1, at) : std::nullopt;
    }

private:
    /// No honest expression takes long; one that does must not stop the program.
    void step()
    {
        if (--m_steps < 0)
            throw Failure(badInput("the tokenizer's regular expression takes unreasonably many steps; give the data as "
                                   "JSON lines with input_ids instead"));
    }

    std::optional<std::size_t> matchChars(const RegexItem &item, std::size_t index, std::size_t at)
    {
        std::size_t count = 0;
        for (; at < m_text.size() && count < item.most; ++count) {
            const Char next = charAt(m_text, at);
            step();
            if (!item.chars.contains(next.code))
                break;
            at += next.size;
        }
        for (; count >= item.least; --count) {
            step();
            if (const auto end = match(index + 1, at))
                return end;
            if (count == 0 || item.isPossessive)
                break;
            at -= charBefore(m_text, at).size;
        }
        return std::nullopt;
    }

    std::optional<std::size_t> matchTexts(const RegexItem &item, std::size_t index, std::size_t at)
    {
        for (const std::u32string &wanted : item.texts) {
            step();
            const std::size_t size = sizeOf(wanted, at);
            const auto end = size > 0 ? match(index + 1, at + size) : std::nullopt;
            if (end)
                return end;
        }
        return item.least == 0 ? match(index + 1, at) : std::nullopt;
    }

    /// Bytes that spell `wanted` at a place, whatever their case; 0 when they do not.
    std::size_t sizeOf(const std::u32string &wanted, std::size_t at) const
    {
        const std::size_t begin = at;
        for (const char32_t code : wanted) {
            if (at >= m_text.size() || foldedCase(charAt(m_text, at).code) != code)
                return 0;
            at += charAt(m_text, at).size;
        }
        return at - begin;
    }

    const std::vector<RegexItem> &m_items;
    std::string_view m_text;
    std::int64_t &m_steps;
};

} // namespace

std::optional<Pattern::Scanner> regexScanner(std::string_view expression)
{
    if (expression == kWordExpression)
        return scanWord;
    if (expression.empty() || firstInvalidUtf8(expression))
        return std::nullopt;
    auto alternatives = readRegex(expression);
    if (!alternatives)
        return std::nullopt;
    return [alternatives = std::move(*alternatives)](std::string_view text, std::size_t at) -> std::size_t {
        auto steps = static_cast<std::int64_t>(10'000 + 64 * (text.size() - at));
        for (const std::vector<RegexItem> &items : alternatives)
            if (const auto end = Attempt(items, text, steps).match(0, at))
                return *end - at;
        return 0;
    };
}

} // namespace headscope::pipeline
