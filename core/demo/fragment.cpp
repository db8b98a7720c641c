#include "core/demo/fragment.h"

namespace headscope::demo {

namespace {

constexpr int kPending = -1;

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> pieces;
    while (true) {
        const std::size_t end = text.find(separator);
        pieces.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return pieces;
        text.remove_prefix(end + 1);
    }
}

} // namespace

Fragment::Fragment(std::string_view form, std::string_view lemma, std::string_view upos, std::string_view features)
    : m_tokens{{std::string(form), std::string(lemma), std::string(upos), std::string(features), "root"}}, m_head(1)
{
}

int Fragment::append(const Fragment &part)
{
    const int offset = static_cast<int>(m_tokens.size());
    for (DemoToken token : part.m_tokens) {
        if (token.head > 0)
            token.head += offset;
        m_tokens.push_back(std::move(token));
    }
    return offset + part.m_head;
}

void Fragment::add(const Fragment &part, std::string_view relation)
{
    if (part.isEmpty())
        return;
    DemoToken &root = m_tokens[static_cast<std::size_t>(append(part) - 1)];
    root.relation = relation;
    root.head = m_head > 0 ? m_head : kPending;
}

void Fragment::addHead(const Fragment &part)
{
    m_head = append(part);
    for (DemoToken &token : m_tokens) {
        if (token.head == kPending)
            token.head = m_head;
    }
}

Fragment fixedExpression(std::string_view words, std::string_view upos)
{
    Fragment expression;
    for (const std::string_view word : wordsOf(words)) {
        const Fragment next(word, word, upos);
        if (expression.isEmpty())
            expression.addHead(next);
        else
            expression.add(next, "fixed");
    }
    return expression;
}

Fragment parsePhrase(std::string_view notation)
{
    Fragment phrase;
    for (const std::string_view item : wordsOf(notation)) {
        const auto fields = split(item, ':');
        const auto forms = split(fields[0], '=');
        const Fragment word(forms[0], forms.back(), fields.at(1));
        if (fields.size() == 2)
            phrase.addHead(word);
        else
            phrase.add(word, fields[2]);
    }
    return phrase;
}

std::vector<std::string_view> wordsOf(std::string_view text)
{
    return split(text, ' ');
}

} // namespace headscope::demo
