#include "core/tokenize/pipeline/cachedmodel.h"
#include "core/tokenize/pipeline/trie.h"
#include "core/tokenize/pipeline/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::pipeline {
namespace {

constexpr double kUnknownPenalty = 10;

/// The pieces whose scores (log probabilities) have the largest sum.
class Unigram final : public PieceModel
{
public:
    explicit Unigram(const Part &part)
        : m_unknown(part.number("unk_id", -1)), m_byteFallback(part.flag("byte_fallback", false)),
          m_fuseUnknown(part.flag("fuse_unk", true))
    {
        readPieces(part);
        if (m_unknown >= m_vocabulary.size())
            part.fail("\"unk_id\" is no id of the vocabulary");
        std::vector<std::pair<std::string_view, std::int64_t>> entries;
        m_vocabulary.forEach([&](std::string_view piece, std::int64_t id) { entries.emplace_back(piece, id); });
        m_trie = Trie(std::move(entries));
    }

    void tokenize(std::string_view word, std::vector<Token> &tokens) const override
    {
        std::vector<Token> found; // from the end
        const std::vector<Node> best = search(word);
        for (std::size_t end = word.size(); end > 0; end = best[end].begin) {
            const Node &node = best[end];
            if (m_fuseUnknown && node.id == m_unknown && !found.empty() && found.back().id == m_unknown)
                found.back().begin = node.begin;
            else
                found.push_back({node.id, node.begin, end, node.id == m_unknown});
        }
        for (auto token = found.rbegin(); token != found.rend(); ++token)
            addToken(word, *token, tokens);
    }

    const Vocabulary &vocabulary() const override { return m_vocabulary; }
    std::string name() const override { return "Unigram"; }

private:
    struct Node
    {
        std::int64_t id = -1;
        double score = 0;
        std::size_t begin = 0;
    };

    void readPieces(const Part &part)
    {
        const nlohmann::json &list = part.inner("vocab").json();
        if (!list.is_array() || list.empty() || list.size() > static_cast<std::size_t>(kLargestTokenId))
            part.fail("\"vocab\" must be a list of pieces with their scores");
        for (const nlohmann::json &entry : list) {
            const auto id = static_cast<std::int64_t>(m_scores.size());
            if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number()
                || !std::isfinite(entry[1].get<double>()))
                part.fail(fmt::format("the piece {} of \"vocab\" is not a text and its score", id));
            m_scores.push_back(entry[1].get<double>());
            m_least = std::min(m_least, m_scores.back());
        }
        // From the end: of equal pieces the last one counts.
        for (std::size_t id = list.size(); id-- > 0;)
            (void)m_vocabulary.add(list[id][0].get<std::string>(), static_cast<std::int64_t>(id));
    }

    /// For every end of a character, the last piece of the best way to get there. Among equals the longer piece stays.
    std::vector<Node> search(std::string_view word) const
    {
        std::vector<Node> best(word.size() + 1);
        for (std::size_t begin = 0; begin < word.size();) {
            const std::size_t next = begin + charAt(word, begin).size;
            bool isCharKnown = false;
            std::int64_t node = Trie::kRoot;
            for (std::size_t end = begin; end < word.size();) {
                node = m_trie.child(node, word[end++]);
                if (node == Trie::kNone)
                    break;
                if (const std::int64_t id = m_trie.number(node); id != Trie::kNone) {
                    improve(best[end], {id, best[begin].score + m_scores[static_cast<std::size_t>(id)], begin});
                    isCharKnown = isCharKnown || end == next;
                }
            }
            if (!isCharKnown) {
                requireUnknown();
                improve(best[next], {m_unknown, best[begin].score + m_least - kUnknownPenalty, begin});
            }
            begin = next;
        }
        return best;
    }

    static void improve(Node &node, const Node &other)
    {
        if (node.id < 0 || other.score > node.score)
            node = other;
    }

    /// An unknown stretch whose text is a piece after all is that piece, as in the original library.
    void addToken(std::string_view word, Token token, std::vector<Token> &tokens) const
    {
        if (!token.isUnknown) {
            tokens.push_back(token);
            return;
        }
        const std::string_view text = word.substr(token.begin, token.end - token.begin);
        const std::int64_t id = m_vocabulary.find(text);
        if (id >= 0) {
            tokens.push_back({id, token.begin, token.end, id == m_unknown});
        } else if (!m_byteFallback || !addBytes(text, token, tokens)) {
            requireUnknown();
            tokens.push_back({m_unknown, token.begin, token.end, true});
        }
    }

    bool addBytes(std::string_view text, Token token, std::vector<Token> &tokens) const
    {
        const std::size_t before = tokens.size();
        for (const char byte : text) {
            token.id = m_vocabulary.find(fmt::format("<0x{:02X}>", static_cast<unsigned char>(byte)));
            token.isUnknown = false;
            if (token.id < 0) {
                tokens.resize(before);
                return false;
            }
            tokens.push_back(token);
        }
        return true;
    }

    void requireUnknown() const
    {
        if (m_unknown < 0)
            throw Failure(badInput("the text has a character that is not in the vocabulary, and the tokenizer has no "
                                   "unknown piece"));
    }

    Vocabulary m_vocabulary;
    std::vector<double> m_scores; ///< by id
    double m_least = std::numeric_limits<double>::infinity();
    Trie m_trie;
    std::int64_t m_unknown;
    bool m_byteFallback;
    bool m_fuseUnknown;
};

} // namespace

std::unique_ptr<PieceModel> makeUnigram(const Part &part)
{
    return makeCachedModel(std::make_unique<Unigram>(part));
}

} // namespace headscope::pipeline
