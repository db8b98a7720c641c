#include "core/roles/rarity.h"

#include "core/base/parsednumber.h"
#include "core/base/phases.h"
#include "core/formats/textlines.h"
#include "core/formats/utf8.h"
#include "core/tokenize/pipeline/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headscope {
namespace {

using pipeline::Char;

bool isSpecial(const Encoding &encoding, std::size_t token)
{
    return encoding.words[token] < 0;
}

class CountedTokens final : public Rarity
{
public:
    CountedTokens(std::unordered_map<std::int64_t, std::int64_t> ranks, std::string name)
        : m_ranks(std::move(ranks)), m_name(std::move(name))
    {
    }

    std::vector<std::int64_t> ranks(const Encoding &encoding, const std::string &) const override
    {
        std::vector<std::int64_t> ranks;
        for (std::size_t token = 0; token < encoding.ids.size(); ++token) {
            const auto known = m_ranks.find(encoding.ids[token]);
            const std::int64_t never = std::ssize(m_ranks);
            ranks.push_back(isSpecial(encoding, token) ? -1 : known == m_ranks.end() ? never : known->second);
        }
        return ranks;
    }
    std::string description() const override { return "tokens of " + m_name; }

private:
    std::unordered_map<std::int64_t, std::int64_t> m_ranks;
    std::string m_name;
};

/// Without the punctuation around it, in lower case.
std::string plainWord(std::string_view word)
{
    std::size_t begin = 0;
    std::size_t end = word.size();
    while (begin < end) {
        const Char c = pipeline::charAt(word, begin);
        if (!pipeline::isPunctuation(c.code))
            break;
        begin += c.size;
    }
    while (end > begin) {
        const Char c = pipeline::charBefore(word, end);
        if (!pipeline::isPunctuation(c.code))
            break;
        end -= c.size;
    }
    std::string plain;
    for (std::size_t at = begin; at < end;) {
        const Char c = pipeline::charAt(word, at);
        for (const char32_t lower : pipeline::lowerCase(c.code))
            pipeline::appendChar(plain, lower);
        at += c.size;
    }
    return plain;
}

class CountedWords final : public Rarity
{
public:
    CountedWords(std::unordered_map<std::string, std::int64_t> ranks, std::string name)
        : m_ranks(std::move(ranks)), m_name(std::move(name))
    {
    }

    std::vector<std::int64_t> ranks(const Encoding &encoding, const std::string &text) const override
    {
        std::vector<std::int64_t> ranks(encoding.ids.size(), -1);
        for (std::size_t token = 0; token < encoding.ids.size();) {
            std::size_t next = token + 1;
            while (next < encoding.ids.size() && encoding.words[next] == encoding.words[token])
                ++next;
            if (!isSpecial(encoding, token))
                std::fill(ranks.begin() + static_cast<std::ptrdiff_t>(token),
                          ranks.begin() + static_cast<std::ptrdiff_t>(next), rankOf(encoding, text, token, next));
            token = next;
        }
        return ranks;
    }
    std::string description() const override { return "words of " + m_name; }

private:
    std::int64_t rankOf(const Encoding &encoding, const std::string &text, std::size_t first, std::size_t next) const
    {
        const std::size_t begin = encoding.spans[first].begin;
        const std::size_t end = std::min(encoding.spans[next - 1].end, text.size());
        const std::string word
            = begin < end ? plainWord(std::string_view(text).substr(begin, end - begin)) : std::string();
        const auto found = m_ranks.find(word);
        return word.empty() ? 0 : found == m_ranks.end() ? std::ssize(m_ranks) : found->second;
    }

    std::unordered_map<std::string, std::int64_t> m_ranks;
    std::string m_name;
};

bool isUnused(std::string_view piece)
{
    return piece.empty() || piece.starts_with("[unused") || piece.starts_with("<unused")
        || piece.starts_with("<extra_id_") || piece.starts_with("madeupword");
}

/// One character, beside the marks of words' beginnings and continuations.
bool isCharacter(std::string_view piece)
{
    for (const std::string_view mark : {"##", "\u2581", "\u0120"}) {
        if (piece.size() > mark.size() && piece.starts_with(mark))
            piece.remove_prefix(mark.size());
    }
    return !piece.empty() && pipeline::charAt(piece, 0).size == piece.size();
}

class VocabularyOrder final : public Rarity
{
public:
    explicit VocabularyOrder(const Tokenizer *tokenizer)
    {
        // Pieces are those of target ids: with two vocabularies nothing is known of the sources'.
        const bool one = tokenizer && tokenizer->vocabularySize() == tokenizer->targetVocabularySize();
        const std::int64_t size = one ? tokenizer->vocabularySize() : 0;
        std::vector<std::string> pieces;
        for (std::int64_t id = 0; id < size; ++id)
            pieces.push_back(tokenizer->isSpecial(id) ? std::string() : tokenizer->pieceText(id));
        const bool alphabet
            = std::ranges::any_of(pieces, [](const std::string &piece) { return !piece.empty() && isUnused(piece); });
        std::int64_t place = 0;
        for (const std::string &piece : pieces) {
            const bool skipped = isUnused(piece) || (alphabet && isCharacter(piece));
            m_places.push_back(skipped ? 0 : place++);
        }
    }

    std::vector<std::int64_t> ranks(const Encoding &encoding, const std::string &) const override
    {
        std::vector<std::int64_t> ranks;
        for (std::size_t token = 0; token < encoding.ids.size(); ++token)
            ranks.push_back(isSpecial(encoding, token) ? -1 : placeOf(encoding.ids[token]));
        return ranks;
    }
    std::string description() const override { return "order of the vocabulary"; }
    bool isApproximate() const override { return true; }

private:
    std::int64_t placeOf(std::int64_t id) const
    {
        return id >= 0 && id < std::ssize(m_places) ? m_places[static_cast<std::size_t>(id)] : id;
    }

    std::vector<std::int64_t> m_places; ///< of every id
};

/// Ranks from counts: the most frequent first, equals in the order of the keys.
template<typename Key>
std::unordered_map<Key, std::int64_t> ranked(const std::unordered_map<Key, std::int64_t> &counts)
{
    std::vector<std::pair<std::int64_t, Key>> order;
    for (const auto &[key, count] : counts)
        order.emplace_back(-count, key);
    std::ranges::sort(order);
    std::unordered_map<Key, std::int64_t> ranks;
    for (std::size_t i = 0; i < order.size(); ++i)
        ranks[order[i].second] = static_cast<std::int64_t>(i);
    return ranks;
}

} // namespace

Result<std::unique_ptr<Rarity>> Rarity::fromCorpus(const std::filesystem::path &file, const Tokenizer &tokenizer,
                                                   bool translation, const JobControl &control)
{
    const auto lines = readLines(file, control);
    if (!lines.isOk())
        return lines.error();
    std::unordered_map<std::int64_t, std::int64_t> counts;
    for (std::size_t i = 0; i < lines.value().size(); ++i) {
        if (i % 64 == 0) {
            control.checkpoint();
            control.progress({kPhaseTokens, "lines", static_cast<std::int64_t>(i), std::ssize(lines.value())});
        }
        const std::string &line = lines.value()[i];
        const auto encoding = translation ? tokenizer.encodeSource(line)
                                          : tokenizer.encodePair(line, {}, std::numeric_limits<std::int32_t>::max());
        if (!encoding.isOk())
            return badInput(fmt::format("{}, line {}: {}", file.string(), i + 1, encoding.error().message));
        for (std::size_t token = 0; token < encoding.value().ids.size(); ++token) {
            if (!isSpecial(encoding.value(), token))
                ++counts[encoding.value().ids[token]];
        }
    }
    if (counts.empty())
        return badInput(file.string() + " has no text whose tokens could be counted");
    return std::unique_ptr<Rarity>(std::make_unique<CountedTokens>(ranked(counts), file.filename().string()));
}

Result<std::unique_ptr<Rarity>> Rarity::fromWordCounts(const std::filesystem::path &file, const JobControl &control)
{
    const auto lines = readLines(file, control);
    if (!lines.isOk())
        return lines.error();
    std::unordered_map<std::string, std::int64_t> counts;
    for (std::size_t i = 0; i < lines.value().size(); ++i) {
        const std::string_view line = trimmed(lines.value()[i]);
        const std::size_t gap = line.find_last_of(" \t");
        if (line.empty())
            continue;
        const std::string_view digits = gap == std::string_view::npos ? std::string_view() : line.substr(gap + 1);
        const auto count = parsedNumber<std::int64_t>(digits);
        if (!count || *count < 0)
            return badInput(fmt::format("{}: line {} is \"{}\"; a word and how often it occurs were expected (\"house "
                                        "1204\"). Text whose tokens are to be counted is a corpus.",
                                        file.string(), i + 1, line));
        counts[plainWord(trimmed(line.substr(0, gap)))] += *count;
    }
    counts.erase(std::string());
    if (counts.empty())
        return badInput(file.string() + " has no words; lines with a word and its count were expected");
    return std::unique_ptr<Rarity>(std::make_unique<CountedWords>(ranked(counts), file.filename().string()));
}

std::unique_ptr<Rarity> Rarity::fromVocabulary(const Tokenizer *tokenizer)
{
    return std::make_unique<VocabularyOrder>(tokenizer);
}

RarestTokens rarestTokens(const std::vector<std::int64_t> &ranks, const std::vector<std::uint8_t> &real)
{
    std::int64_t first = -1;
    std::int64_t second = -1;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (!real[i] || ranks[i] == first)
            continue;
        if (ranks[i] > first) {
            second = first;
            first = ranks[i];
        } else {
            second = std::max(second, ranks[i]);
        }
    }
    RarestTokens tokens;
    tokens.eligible = first >= kFrequentTokens && second >= 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        tokens.rarest.push_back(real[i] && ranks[i] == first);
        tokens.twoRarest.push_back(real[i] && (ranks[i] == first || (second >= 0 && ranks[i] == second)));
    }
    return tokens;
}

} // namespace headscope
