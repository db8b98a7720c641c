#include "core/tokenize/spmvocabulary.h"

#include "core/formats/jsonfile.h"
#include "core/formats/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {
namespace {

constexpr std::string_view kWordStart = "\u2581";

Result<Vocabulary> loadVocabulary(const std::filesystem::path &path)
{
    const auto json = readJsonFile(path);
    if (!json.isOk())
        return json.error();
    if (!json.value().is_object() || json.value().empty())
        return badInput(path.string() + " must hold a JSON object from pieces to ids");
    Vocabulary vocabulary;
    for (const auto &[piece, id] : json.value().items()) {
        if (!id.is_number_unsigned() || id.get<std::uint64_t>() > static_cast<std::uint64_t>(kLargestTokenId))
            return badInput(fmt::format("{}: the id of \"{}\" is not a whole number from 0 to {}", path.string(), piece,
                                        kLargestTokenId));
        if (vocabulary.add(piece, id.get<std::int64_t>()) != Vocabulary::Added::Yes)
            return badInput(fmt::format("{}: the id {} is given to two pieces", path.string(), id.dump()));
    }
    return vocabulary;
}

/// Pieces that the model does not know (of the other language's, say) keep their mark when it decodes.
std::string withBlanks(std::string text)
{
    for (std::size_t at = text.find(kWordStart); at != std::string::npos; at = text.find(kWordStart, at + 1))
        text.replace(at, kWordStart.size(), " ");
    return text;
}

std::string_view trimmedStart(std::string_view text)
{
    const std::string_view inner = trimmed(text);
    return inner.empty() ? inner : text.substr(static_cast<std::size_t>(inner.data() - text.data()));
}

std::string_view trimmedEnd(std::string_view text)
{
    const std::string_view inner = trimmed(text);
    return inner.empty() ? inner : text.substr(0, static_cast<std::size_t>(inner.data() - text.data()) + inner.size());
}

} // namespace

Result<SpmVocabulary> SpmVocabulary::open(const std::filesystem::path &model, const std::filesystem::path &vocabulary,
                                          const Special &special)
{
    auto pieces = SentencePiece::load(model);
    if (!pieces.isOk())
        return pieces.error();
    auto ids = loadVocabulary(vocabulary);
    if (!ids.isOk())
        return ids.error();
    if (special.padding.empty())
        return badInput(vocabulary.string() + " lacks the special token \"\"");
    return open(std::move(pieces).value(), std::move(ids).value(), special, vocabulary.string());
}

Result<SpmVocabulary> SpmVocabulary::open(SentencePiece model, Vocabulary vocabulary, const Special &special,
                                          const std::string &name)
{
    SpmVocabulary side(std::move(model), std::move(vocabulary));
    std::vector<std::string> tokens{special.end, special.unknown};
    if (!special.padding.empty())
        tokens.push_back(special.padding);
    for (const std::string &token : tokens) {
        if (token.empty() || side.m_vocabulary.find(token) < 0)
            return badInput(fmt::format("{} lacks the special token \"{}\"", name, token));
        side.markSpecial(token);
    }
    side.m_unknown = side.m_vocabulary.find(special.unknown);
    return side;
}

Result<Done> SpmVocabulary::addSpecial(const std::string &token, std::int64_t id)
{
    if (m_vocabulary.add(token, id) != Vocabulary::Added::Yes)
        return badInput(fmt::format("the id {} of \"{}\" belongs to another piece, or is none", id, token));
    markSpecial(token);
    return Done{};
}

void SpmVocabulary::markSpecial(const std::string &token)
{
    m_special.push_back(token);
    m_specialIds.push_back(m_vocabulary.find(token));
}

Result<Done> SpmVocabulary::addToken(const std::string &token, std::int64_t id)
{
    if (m_vocabulary.find(token) < 0 && m_vocabulary.add(token, id) != Vocabulary::Added::Yes)
        return badInput(fmt::format("the id {} of \"{}\" belongs to another piece, or is none", id, token));
    m_added.push_back(token);
    m_addedIds.push_back(m_vocabulary.find(token));
    return Done{};
}

Result<Done> SpmVocabulary::encode(std::string_view text, Encoding &encoding, Lead lead) const
{
    if (const auto at = firstInvalidUtf8(text))
        return badInput(fmt::format("the text is not UTF-8 at byte {}", *at));
    int words = 0;
    const std::string_view whole = text;
    while (true) {
        const auto [at, token] = findSpecial(text);
        if (!token) {
            addText(text, whole, encoding, words, lead);
            return Done{};
        }
        addText(trimmedEnd(text.substr(0, at)), whole, encoding, words, lead);
        append(*token, encoding);
        text = trimmedStart(text.substr(at + token->size()));
    }
}

void SpmVocabulary::append(const std::string &token, Encoding &encoding) const
{
    const std::int64_t id = m_vocabulary.find(token);
    encoding.ids.push_back(id >= 0 ? id : m_unknown);
    encoding.pieces.push_back(token);
    encoding.words.push_back(-1);
    encoding.spans.emplace_back();
}

std::string SpmVocabulary::decode(std::span<const std::int64_t> ids) const
{
    std::string text;
    std::vector<std::string> pieces;
    // Tokens that were added stand by themselves, between blanks.
    const auto append = [&text](std::string_view part) {
        if (!part.empty())
            text.append(text.empty() ? "" : " ").append(part);
    };
    const auto flush = [&] {
        append(trimmed(withBlanks(m_model.decode(pieces))));
        pieces.clear();
    };
    for (const std::int64_t id : ids) {
        std::string piece = isSpecial(id) ? std::string() : this->piece(id);
        if (piece.empty())
            continue;
        if (std::ranges::find(m_addedIds, id) == m_addedIds.end()) {
            pieces.push_back(std::move(piece));
            continue;
        }
        flush();
        append(piece);
    }
    flush();
    return text;
}

bool SpmVocabulary::isSpecial(std::int64_t id) const
{
    return std::ranges::find(m_specialIds, id) != m_specialIds.end();
}

/// The first special or added token in the text, the longest of those that begin there.
std::pair<std::size_t, const std::string *> SpmVocabulary::findSpecial(std::string_view text) const
{
    std::pair<std::size_t, const std::string *> first{std::string_view::npos, nullptr};
    for (const std::vector<std::string> *tokens : {&m_special, &m_added}) {
        for (const std::string &token : *tokens) {
            const std::size_t at = text.find(token);
            if (at < first.first || (at == first.first && first.second && token.size() > first.second->size()))
                first = {at, &token};
        }
    }
    return first;
}

void SpmVocabulary::addText(std::string_view text, std::string_view whole, Encoding &encoding, int &words,
                            Lead lead) const
{
    if (const std::size_t length = lead ? lead(text) : 0) {
        append(std::string(text.substr(0, length)), encoding);
        text.remove_prefix(length);
    }
    bool first = true;
    const auto offset = static_cast<std::size_t>(text.data() - whole.data());
    for (SentencePiece::Piece &piece : m_model.encode(text)) {
        if (first || piece.text.starts_with(kWordStart))
            ++words;
        first = false;
        const std::int64_t id = m_vocabulary.find(piece.text);
        encoding.ids.push_back(id >= 0 ? id : m_unknown);
        encoding.pieces.push_back(std::move(piece.text));
        encoding.words.push_back(words - 1);
        // The blank before a word is not the word's.
        const std::string_view bytes = text.substr(piece.begin, piece.end - piece.begin);
        const std::size_t blanks = bytes.size() - trimmedStart(bytes).size();
        encoding.spans.push_back({offset + piece.begin + blanks, offset + piece.end});
    }
}

} // namespace headscope
