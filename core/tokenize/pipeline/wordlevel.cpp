#include "core/tokenize/pipeline/piecemodel.h"

#include <fmt/format.h>

namespace headscope::pipeline {
namespace {

/// Every word is a piece, or unknown.
class WordLevel final : public PieceModel
{
public:
    explicit WordLevel(const Part &part)
        : m_vocabulary(readVocabulary(part)), m_unknown(readUnknown(part, m_vocabulary))
    {
    }

    void tokenize(std::string_view word, std::vector<Token> &tokens) const override
    {
        const std::int64_t id = m_vocabulary.find(word);
        if (id < 0 && m_unknown < 0)
            throw Failure(
                badInput(fmt::format("\"{}\" is not in the vocabulary, and the tokenizer has no unknown piece", word)));
        tokens.push_back({id < 0 ? m_unknown : id, 0, word.size(), id < 0});
    }

    const Vocabulary &vocabulary() const override { return m_vocabulary; }
    std::string name() const override { return "whole words"; }

private:
    Vocabulary m_vocabulary;
    std::int64_t m_unknown;
};

} // namespace

std::unique_ptr<PieceModel> makeWordLevel(const Part &part)
{
    return std::make_unique<WordLevel>(part);
}

} // namespace headscope::pipeline
