#include "core/tokenize/pipeline/addedtokens.h"

#include <fmt/format.h>

namespace headscope::pipeline {
namespace {

constexpr std::size_t kLongestToken = 1024;

AddedToken readToken(const Part &part, const Vocabulary &pieces)
{
    AddedToken token;
    token.content = part.text("content");
    if (token.content.empty() || token.content.size() > kLongestToken)
        part.fail("\"content\" is empty or unreasonably long");
    token.id = pieces.find(token.content);
    if (token.id < 0) {
        if (!part.has("id"))
            part.fail("\"id\" is missing");
        token.id = part.number("id", 0);
        if (token.id > kLargestTokenId)
            part.fail(fmt::format("the id {} is above {}", token.id, kLargestTokenId));
        if (pieces.hasId(token.id))
            part.fail(fmt::format("the id {} of \"{}\" belongs to the piece \"{}\"", token.id, token.content,
                                  pieces.piece(token.id)));
    }
    token.singleWord = part.flag("single_word", false);
    token.stripLeft = part.flag("lstrip", false);
    token.stripRight = part.flag("rstrip", false);
    token.isSpecial = part.flag("special", false);
    token.isNormalized = part.flag("normalized", !token.isSpecial);
    return token;
}

bool isWord(char32_t code)
{
    return isWordChar(code) || isJoiner(code);
}

} // namespace

AddedTokens::AddedTokens(const Part &tokenizer, const Vocabulary &pieces, const Normalizer *normalizer)
{
    if (!tokenizer.has("added_tokens"))
        return;
    const nlohmann::json &list = tokenizer.inner("added_tokens").json();
    if (!list.is_array())
        tokenizer.fail("\"added_tokens\" must be a list");
    for (std::size_t i = 0; i < list.size(); ++i) {
        const Part part(list[i], fmt::format("{}.added_tokens[{}]", tokenizer.place(), i));
        AddedToken token = readToken(part, pieces);
        const auto [entry, isNew] = m_tokens.try_emplace(token.id, token);
        if (!isNew && entry->second.content != token.content)
            part.fail(fmt::format("the id {} is given to two tokens", token.id));
    }
    std::vector<std::string> normalized;
    normalized.reserve(m_tokens.size());
    std::vector<std::pair<std::string_view, std::int64_t>> rawEntries, normalizedEntries;
    for (const auto &[id, token] : m_tokens) {
        if (!token.isNormalized) {
            rawEntries.emplace_back(token.content, id);
            continue;
        }
        AlignedText content(token.content);
        if (normalizer)
            normalizer->apply(content);
        normalized.push_back(content.text());
        normalizedEntries.emplace_back(normalized.back(), id);
    }
    m_raw = Trie(std::move(rawEntries));
    m_normalized = Trie(std::move(normalizedEntries));
}

std::vector<AddedTokens::Found> AddedTokens::find(std::string_view text, bool isNormalized) const
{
    const Trie &trie = isNormalized ? m_normalized : m_raw;
    std::vector<Found> found;
    std::size_t done = 0;
    for (std::size_t at = 0; at < text.size();) {
        Found match{at, at, -1};
        std::int64_t node = Trie::kRoot;
        for (std::size_t end = at; end < text.size() && node != Trie::kNone;) {
            node = trie.child(node, text[end++]);
            if (node != Trie::kNone && trie.number(node) != Trie::kNone)
                match = {at, end, trie.number(node)};
        }
        at = match.id < 0 ? at + 1 : match.end;
        if (match.id < 0 || match.begin < done)
            continue;
        const auto accepted = accept(text, match, done);
        if (!accepted)
            continue;
        if (done < accepted->begin)
            found.push_back({done, accepted->begin, -1});
        found.push_back(*accepted);
        done = accepted->end;
    }
    if (done < text.size())
        found.push_back({done, text.size(), -1});
    return found;
}

const AddedToken *AddedTokens::token(std::int64_t id) const
{
    const auto found = m_tokens.find(id);
    return found == m_tokens.end() ? nullptr : &found->second;
}

std::optional<AddedTokens::Found> AddedTokens::accept(std::string_view text, Found match, std::size_t done) const
{
    const AddedToken &token = m_tokens.at(match.id);
    if (m_ignoresSpecial && token.isSpecial)
        return std::nullopt;
    if (token.singleWord
        && ((match.begin > 0 && isWord(charBefore(text, match.begin).code))
            || (match.end < text.size() && isWord(charAt(text, match.end).code))))
        return std::nullopt;
    while (token.stripLeft && match.begin > done && isWhiteSpace(charBefore(text, match.begin).code))
        match.begin -= charBefore(text, match.begin).size;
    while (token.stripRight && match.end < text.size() && isWhiteSpace(charAt(text, match.end).code))
        match.end += charAt(text, match.end).size;
    return match;
}

} // namespace headscope::pipeline
