#include "core/tokenize/pipeline/regexreader.h"

#include <algorithm>
#include <array>
#include <string>

namespace headscope::pipeline {
namespace {

constexpr std::size_t kMostRepeats = 256;
constexpr std::size_t kMostAlternatives = 32;
constexpr std::size_t kMostItems = 16;

using Items = std::vector<RegexItem>;

/// Reads one alternative after the other; every function returns false at what it does not know.
class Reader
{
public:
    explicit Reader(std::string_view expression) : m_rest(expression) { }

    std::optional<std::vector<Items>> read()
    {
        std::vector<Items> alternatives;
        do {
            Items items;
            if (alternatives.size() >= kMostAlternatives || !readItems(items))
                return std::nullopt;
            alternatives.push_back(std::move(items));
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

    /// What matches nothing at all makes no sense here.
    bool readItems(Items &items)
    {
        while (!m_rest.empty() && !m_rest.starts_with('|')) {
            RegexItem item;
            if (items.size() >= kMostItems || !readItem(item))
                return false;
            items.push_back(std::move(item));
        }
        return std::any_of(items.begin(), items.end(),
                           [](const RegexItem &item) { return item.kind != RegexItem::Kind::Ahead && item.least > 0; });
    }

    bool readItem(RegexItem &item)
    {
        if (take("(?i:"))
            return readTexts(item);
        const bool isNot = take("(?!");
        if (isNot || take("(?=")) {
            item.kind = RegexItem::Kind::Ahead;
            item.isWanted = !isNot;
            return readClass(item.chars) && take(")");
        }
        return readClass(item.chars) && readRepeats(item);
    }

    bool readTexts(RegexItem &item)
    {
        item.kind = RegexItem::Kind::Texts;
        do {
            std::u32string text;
            while (const auto code = readChar("|.()^$*+?{}[]"))
                text += foldedCase(*code);
            if (text.empty() || item.texts.size() >= kMostAlternatives)
                return false;
            item.texts.push_back(std::move(text));
        } while (take("|"));
        if (!take(")"))
            return false;
        item.least = take("?") ? 0 : 1;
        return m_rest.find_first_of("*+?{") != 0;
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
        static constexpr std::array<std::pair<std::string_view, CharClass::IsOne>, 14> kKinds{
            {{"\\s", isWhiteSpace},
             {"\\d", isDigit},
             {"\\w", isWordChar},
             {"\\p{L}", isLetter},
             {"\\p{N}", isNumber},
             {"\\p{M}", isMark},
             {"\\p{Nd}", isDigit},
             {"\\p{Lu}", isUpperCase},
             {"\\p{Ll}", isLowerCase},
             {"\\p{Lt}", isTitleCase},
             {"\\p{Lm}", isModifierLetter},
             {"\\p{Lo}", isOtherLetter},
             {"\\p{P}", isUnicodePunctuation},
             {"\\p{S}", isSymbol}}};
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

    /// Nothing, ?, *, +, {n}, {n,}, {n,m}; the first three with a + after them give nothing back.
    bool readRepeats(RegexItem &item)
    {
        if (take("{"))
            return readCounts(item) && m_rest.find_first_of("+?") != 0;
        const bool isOptional = take("?");
        const bool isAny = !isOptional && take("*");
        const bool isSome = !isOptional && !isAny && take("+");
        item.least = isOptional || isAny ? 0 : 1;
        item.most = isAny || isSome ? std::string_view::npos : 1;
        item.isPossessive = (isOptional || isAny || isSome) && take("+");
        return m_rest.find_first_of("*+?{") != 0;
    }

    bool readCounts(RegexItem &item)
    {
        if (!readNumber(item.least))
            return false;
        item.most = item.least;
        if (take(",")) {
            item.most = std::string_view::npos;
            if (!m_rest.starts_with('}') && !readNumber(item.most))
                return false;
        }
        return take("}") && item.least > 0 && item.most >= item.least;
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

bool CharClass::contains(char32_t code) const
{
    const auto isInside = [code](const auto &range) { return code >= range.first && code <= range.second; };
    const auto isOfKind = [code](const auto &kind) { return kind.first(code) != kind.second; };
    const bool found
        = std::any_of(ranges.begin(), ranges.end(), isInside) || std::any_of(kinds.begin(), kinds.end(), isOfKind);
    return found != negated;
}

std::optional<std::vector<std::vector<RegexItem>>> readRegex(std::string_view expression)
{
    return Reader(expression).read();
}

char32_t foldedCase(char32_t code)
{
    constexpr char32_t kLongS = U'\u017F'; // folds to s, though it is lower case itself
    if (code == kLongS)
        return U's';
    const std::vector<char32_t> lower = lowerCase(code);
    return lower.size() == 1 ? lower.front() : code;
}

} // namespace headscope::pipeline
