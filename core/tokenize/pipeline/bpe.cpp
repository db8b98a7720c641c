#include "core/tokenize/pipeline/cachedmodel.h"
#include "core/tokenize/pipeline/unicode.h"

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <queue>

namespace headscope::pipeline {
namespace {

struct Merge
{
    std::int64_t rank = 0;
    std::int64_t result = 0;
};

/// Which two neighbours become one, best rank first: a hash table in one piece of memory, since nearly all time of BPE
/// goes into looking up pairs that are not in it.
class Merges
{
public:
    explicit Merges(std::size_t count) : m_slots(std::bit_ceil(2 * count + 2)) { }

    /// The last one of equal pairs counts. Precondition: not more often than `count` times.
    void add(std::int64_t left, std::int64_t right, Merge merge)
    {
        m_slots[slotOf(key(left, right))] = {key(left, right), merge};
    }
    const Merge *find(std::int64_t left, std::int64_t right) const
    {
        const Slot &slot = m_slots[slotOf(key(left, right))];
        return slot.key == kFree ? nullptr : &slot.merge;
    }

private:
    static constexpr std::uint64_t kFree = ~std::uint64_t{0};
    struct Slot
    {
        std::uint64_t key = kFree;
        Merge merge;
    };

    static std::uint64_t key(std::int64_t left, std::int64_t right)
    {
        return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint64_t>(right);
    }

    /// Where a pair is, or would be.
    std::size_t slotOf(std::uint64_t key) const
    {
        std::size_t slot = (key * 0x9E3779B97F4A7C15u >> 20) & (m_slots.size() - 1);
        while (m_slots[slot].key != key && m_slots[slot].key != kFree)
            slot = (slot + 1) & (m_slots.size() - 1);
        return slot;
    }

    std::vector<Slot> m_slots;
};

/// "a b" or ["a", "b"].
std::pair<std::string, std::string> readMerge(const nlohmann::json &merge, const Part &part)
{
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string())
        return {merge[0].get<std::string>(), merge[1].get<std::string>()};
    const std::string line = merge.is_string() ? merge.get<std::string>() : std::string();
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos || blank == 0 || blank + 1 == line.size()
        || line.find(' ', blank + 1) != std::string::npos)
        part.fail(fmt::format("the merge {} is not two pieces", merge.dump().substr(0, 200)));
    return {line.substr(0, blank), line.substr(blank + 1)};
}

Merges readMerges(const Part &part, const Vocabulary &vocabulary, const std::string &innerPrefix)
{
    const nlohmann::json &list = part.inner("merges").json();
    if (!list.is_array())
        part.fail("\"merges\" must be a list");
    Merges merges(list.size());
    for (std::size_t rank = 0; rank < list.size(); ++rank) {
        const auto [left, right] = readMerge(list[rank], part);
        const std::int64_t leftId = vocabulary.find(left);
        const std::int64_t rightId = vocabulary.find(right);
        // A merge of pieces that do not exist never happens; GPT-2's own reader does not mind either.
        if (leftId < 0 || rightId < 0)
            continue;
        const bool isInner = !innerPrefix.empty() && right.starts_with(innerPrefix);
        const std::int64_t result = vocabulary.find(left + (isInner ? right.substr(innerPrefix.size()) : right));
        if (result < 0)
            part.fail(fmt::format("the vocabulary lacks what the merge of \"{}\" and \"{}\" gives", left, right));
        merges.add(leftId, rightId, {static_cast<std::int64_t>(rank), result});
    }
    return merges;
}

/// The symbols of a word as a linked list in a vector, and the merges that are possible in it.
class Word
{
public:
    explicit Word(const Merges &merges) : m_merges(merges) { }

    void add(const Token &token)
    {
        const auto index = static_cast<std::ptrdiff_t>(m_symbols.size());
        m_symbols.push_back({token, index - 1, index + 1});
    }

    /// In n log n: all neighbours wait in a heap; entries that are out of date when their turn comes are passed over.
    void mergeAll()
    {
        if (m_symbols.empty())
            return;
        m_symbols.back().next = -1;
        for (std::size_t i = 0; i + 1 < m_symbols.size(); ++i)
            consider(static_cast<std::ptrdiff_t>(i));
        while (!m_waiting.empty()) {
            const Candidate best = m_waiting.top();
            m_waiting.pop();
            Symbol &left = at(best.left);
            if (!left.isAlive || left.next < 0)
                continue;
            Symbol &right = at(left.next);
            const Merge *merge = m_merges.find(left.token.id, right.token.id);
            if (!merge || merge->rank != best.rank)
                continue;
            left.token = {merge->result, left.token.begin, right.token.end, false};
            left.next = right.next;
            right.isAlive = false;
            if (left.next >= 0) {
                at(left.next).previous = best.left;
                consider(best.left);
            }
            if (left.previous >= 0)
                consider(left.previous);
        }
    }

    void appendTo(std::vector<Token> &tokens) const
    {
        for (const Symbol &symbol : m_symbols)
            if (symbol.isAlive)
                tokens.push_back(symbol.token);
    }

private:
    struct Symbol
    {
        Token token;
        std::ptrdiff_t previous = -1;
        std::ptrdiff_t next = -1;
        bool isAlive = true;
    };
    struct Candidate
    {
        std::int64_t rank;
        std::ptrdiff_t left;
        /// The heap's top is its largest: best rank, then leftmost.
        bool operator<(const Candidate &other) const
        {
            return rank != other.rank ? rank > other.rank : left > other.left;
        }
    };

    Symbol &at(std::ptrdiff_t index) { return m_symbols[static_cast<std::size_t>(index)]; }

    void consider(std::ptrdiff_t left)
    {
        const Symbol &symbol = at(left);
        if (const Merge *merge = m_merges.find(symbol.token.id, at(symbol.next).token.id))
            m_waiting.push({merge->rank, left});
    }

    const Merges &m_merges;
    std::vector<Symbol> m_symbols;
    std::priority_queue<Candidate> m_waiting;
};

class Bpe final : public PieceModel
{
public:
    explicit Bpe(const Part &part)
        : m_vocabulary(readVocabulary(part)), m_innerPrefix(part.text("continuing_subword_prefix", "")),
          m_endSuffix(part.text("end_of_word_suffix", "")), m_merges(readMerges(part, m_vocabulary, m_innerPrefix)),
          m_unknown(readUnknown(part, m_vocabulary)), m_fuseUnknown(part.flag("fuse_unk", false)),
          m_byteFallback(part.flag("byte_fallback", false)), m_ignoreMerges(part.flag("ignore_merges", false))
    {
    }

    void tokenize(std::string_view word, std::vector<Token> &tokens) const override
    {
        const std::int64_t whole = m_ignoreMerges ? m_vocabulary.find(word) : -1;
        if (whole >= 0) {
            tokens.push_back({whole, 0, word.size(), false});
            return;
        }
        Word symbols(m_merges);
        addSymbols(word, symbols);
        symbols.mergeAll();
        symbols.appendTo(tokens);
    }

    const Vocabulary &vocabulary() const override { return m_vocabulary; }
    std::string name() const override { return "byte pair encoding"; }
    bool isBpe() const override { return true; }

private:
    /// One symbol per character. What is unknown waits for its neighbours, which may be unknown too.
    void addSymbols(std::string_view word, Word &symbols) const
    {
        std::optional<Token> unknown;
        for (std::size_t at = 0; at < word.size();) {
            const std::size_t end = at + charAt(word, at).size;
            const std::string symbol = spelling(word, at, end);
            const std::vector<std::int64_t> ids = idsOf(symbol);
            if (unknown && (!ids.empty() || !m_fuseUnknown))
                symbols.add(*std::exchange(unknown, std::nullopt));
            for (const std::int64_t id : ids)
                symbols.add({id, at, end, id == m_unknown});
            if (ids.empty() && m_unknown >= 0)
                unknown = Token{m_unknown, unknown ? unknown->begin : at, end, true};
            at = end;
        }
        if (unknown)
            symbols.add(*unknown);
    }

    std::string spelling(std::string_view word, std::size_t at, std::size_t end) const
    {
        std::string symbol(word.substr(at, end - at));
        if (at > 0)
            symbol.insert(0, m_innerPrefix);
        if (end == word.size())
            symbol += m_endSuffix;
        return symbol;
    }

    /// Its piece, else those of its bytes; none when it is unknown.
    std::vector<std::int64_t> idsOf(const std::string &symbol) const
    {
        if (const std::int64_t id = m_vocabulary.find(symbol); id >= 0)
            return {id};
        std::vector<std::int64_t> ids;
        for (std::size_t i = 0; m_byteFallback && i < symbol.size(); ++i) {
            ids.push_back(m_vocabulary.find(fmt::format("<0x{:02X}>", static_cast<unsigned char>(symbol[i]))));
            if (ids.back() < 0)
                return {};
        }
        return ids;
    }

    Vocabulary m_vocabulary;
    std::string m_innerPrefix;
    std::string m_endSuffix;
    Merges m_merges;
    std::int64_t m_unknown;
    bool m_fuseUnknown;
    bool m_byteFallback;
    bool m_ignoreMerges;
};

} // namespace

std::unique_ptr<PieceModel> makeBpe(const Part &part)
{
    if (part.has("dropout") && part.json()["dropout"] != 0.0)
        part.fail("BPE with dropout gives other pieces every time; set \"dropout\" to null");
    return makeCachedModel(std::make_unique<Bpe>(part));
}

} // namespace headscope::pipeline
