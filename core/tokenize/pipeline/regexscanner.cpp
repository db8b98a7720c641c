#include "core/tokenize/pipeline/regexscanner.h"

#include "core/formats/utf8.h"
#include "core/tokenize/pipeline/wordscanner.h"

#include <algorithm>
#include <array>
#include <utility>

namespace headscope::pipeline {
namespace {

constexpr std::size_t kMostRepeats = 256;

using IsOne = bool (*)(char32_t);

/// A set of characters: single ones, ranges and Unicode's kinds, or all others.
struct CharClass
{
    std::vector<std::pair<char32_t, char32_t>> ranges;
    std::vector<std::pair<IsOne, bool>> kinds; ///< and whether those that are not of the kind are meant
    bool negated = false;

    bool contains(char32_t code) const
    {
        const auto isInside = [code](const auto &range) { return code >= range.first && code <= range.second; };
        const auto isOfKind = [code](const auto &kind) { return kind.first(code) != kind.second; };
        const bool found = std::any_of(ranges.begin(), ranges.end(), isInside)
                           || std::any_of(kinds.begin(), kinds.end(), isOfKind);
        return found != negated;
    }
};

/// A class and how often it may stand there.
struct Repeated
{
    CharClass chars;
    std::size_t least = 1;
    std::size_t most = 1; ///< npos: any number

    std::size_t scan(std::string_view text, std::size_t at) const
    {
        std::size_t count = 0;
        std::size_t end = at;
        while (end < text.size() && count < most) {
            const Char next = charAt(text, end);
            if (!chars.contains(next.code))
                break;
            end += next.size;
            ++count;
        }
        return count >= least ? end - at : 0;
    }
};

/// Reads one alternative after the other; every function returns false at what it does not know.
class Reader
{
public:
    explicit Reader(std::string_view expression) : m_rest(expression) {}

    std::optional<std::vector<Repeated>> read()
    {
        std::vector<Repeated> alternatives;
        do {
            Repeated one;
            if (alternatives.size() >= 16 || !readClass(one.chars) || !readRepeats(one))
                return std::nullopt;
            alternatives.push_back(std::move(one));
        } while (take("|"));
        if (!m_rest.empty())
            return std::nullopt;
        return alternatives;
    }

private:
    bool take(std::string_view token)
    {
        const bool found = m_rest.starts_with(token);
        if (found)
            m_rest.remove_prefix(token.size());
        return found;
    }

    bool readClass(CharClass &chars)
    {
        if (!take("["))
            return readMember(chars, "|.()^$*+?{}[]");
        chars.negated = take("^");
        do {
            if (!readMember(chars, "[]&-"))
                return false;
        } while (!take("]"));
        return true;
    }

    /// A character, a range a-z, or a kind. `reserved` mean something else.
    bool readMember(CharClass &chars, std::string_view reserved)
    {
        if (readKind(chars))
            return true;
        const auto first = readChar(reserved);
        if (!first)
            return false;
        auto last = first;
        if (reserved.ends_with('-') && m_rest.starts_with('-') && !m_rest.starts_with("-]")) {
            m_rest.remove_prefix(1);
            last = readChar(reserved);
            if (!last || *last < *first)
                return false;
        }
        chars.ranges.emplace_back(*first, *last);
        return true;
    }

    bool readKind(CharClass &chars)
    {
        static constexpr std::array<std::pair<std::string_view, IsOne>, 7> kKinds{{{"\\s", isWhiteSpace},
                                                                                  {"\\d", isDigit},
                                                                                  {"\\w", isWordChar},
                                                                                  {"\\p{L}", isLetter},
                                                                                  {"\\p{N}", isNumber},
                                                                                  {"\\p{M}", isMark},
                                                                                  {"\\p{Nd}", isDigit}}};
        for (const auto &[name, isOne] : kKinds) {
            std::string opposite(name);
            opposite[1] = static_cast<char>(opposite[1] - 'a' + 'A');
            if (take(name)) {
                chars.kinds.emplace_back(isOne, false);
                return true;
            }
            if (take(opposite)) {
                chars.kinds.emplace_back(isOne, true);
                return true;
            }
        }
        return false;
    }

    std::optional<char32_t> readChar(std::string_view reserved)
    {
        static constexpr std::string_view kEscapable = "\\|.()^$*+?{}[]-/\"' ";
        if (take("\\")) {
            static constexpr std::array<std::pair<char, char32_t>, 3> kNamed{
                {{'n', U'\n'}, {'r', U'\r'}, {'t', U'\t'}}};
            for (const auto &[letter, code] : kNamed)
                if (take(std::string_view(&letter, 1)))
                    return code;
            if (m_rest.empty() || kEscapable.find(m_rest.front()) == std::string_view::npos)
                return std::nullopt;
        } else if (m_rest.empty() || reserved.find(m_rest.front()) != std::string_view::npos) {
            return std::nullopt;
        }
        const Char next = charAt(m_rest, 0);
        m_rest.remove_prefix(next.size);
        return next.code;
    }

    /// Nothing, +, {n}, {n,}, {n,m}. What may match nothing (*, ?) makes no sense here.
    bool readRepeats(Repeated &one)
    {
        bool fine = true;
        if (take("+")) {
            one.most = std::string_view::npos;
        } else if (take("{")) {
            fine = readNumber(one.least);
            one.most = one.least;
            if (fine && take(",")) {
                one.most = std::string_view::npos;
                fine = m_rest.starts_with('}') || readNumber(one.most);
            }
            fine = fine && take("}");
        }
        return fine && one.least > 0 && one.most >= one.least && !m_rest.starts_with('+') && !m_rest.starts_with('?');
    }

    bool readNumber(std::size_t &number)
    {
        number = 0;
        bool any = false;
        while (!m_rest.empty() && m_rest.front() >= '0' && m_rest.front() <= '9' && number <= kMostRepeats) {
            number = number * 10 + static_cast<std::size_t>(m_rest.front() - '0');
            m_rest.remove_prefix(1);
            any = true;
        }
        return any && number <= kMostRepeats;
    }

    std::string_view m_rest;
};

} // namespace

std::optional<Pattern::Scanner> regexScanner(std::string_view expression)
{
    if (expression == kWordExpression)
        return scanWord;
    if (expression.empty() || firstInvalidUtf8(expression))
        return std::nullopt;
    auto alternatives = Reader(expression).read();
    if (!alternatives)
        return std::nullopt;
    return [alternatives = std::move(*alternatives)](std::string_view text, std::size_t at) -> std::size_t {
        for (const Repeated &one : alternatives)
            if (const std::size_t size = one.scan(text, at))
                return size;
        return 0;
    };
}

} // namespace headscope::pipeline
