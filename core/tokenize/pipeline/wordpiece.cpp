#include "core/tokenize/pipeline/piecemodel.h"
#include "core/tokenize/pipeline/trie.h"
#include "core/tokenize/pipeline/unicode.h"

namespace headscope::pipeline {
namespace {

Trie trieOf(const Vocabulary &vocabulary)
{
    std::vector<std::pair<std::string_view, std::int64_t>> entries;
    vocabulary.forEach([&](std::string_view piece, std::int64_t id) { entries.emplace_back(piece, id); });
    return Trie(std::move(entries));
}

/// The longest piece that fits, again and again; all but the first begin with a prefix (##). A word that cannot be made
/// up so is unknown as a whole.
class WordPiece final : public PieceModel
{
public:
    explicit WordPiece(const Part &part)
        : m_vocabulary(readVocabulary(part)), m_trie(trieOf(m_vocabulary)),
          m_inner(m_trie.descend(Trie::kRoot, part.text("continuing_subword_prefix", "##"))),
          m_longest(static_cast<std::size_t>(part.number("max_input_chars_per_word", 100))),
          m_unknown(readUnknown(part, m_vocabulary))
    {
        if (m_unknown < 0)
            part.fail("\"unk_token\" is missing");
    }

    void tokenize(std::string_view word, std::vector<Token> &tokens) const override
    {
        const std::size_t before = tokens.size();
        const bool tooLong = word.size() > m_longest && charCount(word) > m_longest;
        for (std::size_t at = 0; at < word.size();) {
            const auto [id, end] = tooLong ? Match{} : longestMatch(word, at);
            if (id < 0) {
                tokens.resize(before);
                tokens.push_back({m_unknown, 0, word.size(), true});
                return;
            }
            tokens.push_back({id, at, end, id == m_unknown});
            at = end;
        }
    }

    const Vocabulary &vocabulary() const override { return m_vocabulary; }
    std::string name() const override { return "WordPiece"; }

private:
    struct Match
    {
        std::int64_t id = -1;
        std::size_t end = 0;
    };

    Match longestMatch(std::string_view word, std::size_t begin) const
    {
        Match best;
        std::int64_t node = begin == 0 ? Trie::kRoot : m_inner;
        for (std::size_t at = begin; at < word.size() && node != Trie::kNone;) {
            node = m_trie.child(node, word[at++]);
            if (node != Trie::kNone && m_trie.number(node) != Trie::kNone)
                best = {m_trie.number(node), at};
        }
        return best;
    }

    Vocabulary m_vocabulary;
    Trie m_trie;
    std::int64_t m_inner; ///< where the trie continues after ##
    std::size_t m_longest;
    std::int64_t m_unknown;
};

} // namespace

std::unique_ptr<PieceModel> makeWordPiece(const Part &part)
{
    return std::make_unique<WordPiece>(part);
}

} // namespace headscope::pipeline
