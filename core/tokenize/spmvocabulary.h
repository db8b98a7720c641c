#pragma once

#include "core/tokenize/sentencepiece.h"
#include "core/tokenize/tokenizer.h"
#include "core/tokenize/vocabulary.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

/// A SentencePiece model whose pieces get their ids from a vocab.json, as Marian and M2M-100 have it: one language
/// side, or
/// both.
class SpmVocabulary
{
public:
    /// The tokens that every such tokenizer has.
    struct Special
    {
        std::string end;
        std::string unknown;
        std::string padding;
    };
    /// Bytes at the beginning of a text that are a token by themselves, 0 for none.
    using Lead = std::size_t (*)(std::string_view text);

    /// Errors: missing or damaged files, a vocabulary without the special tokens.
    static Result<SpmVocabulary> open(const std::filesystem::path &model, const std::filesystem::path &vocabulary,
                                      const Special &special);

    /// The same with a vocabulary that was read already, which errors call `name`; an empty padding token: there is
    /// none.
    static Result<SpmVocabulary> open(SentencePiece model, Vocabulary vocabulary, const Special &special,
                                      const std::string &name);

    /// One more special token; an id that is taken already, or none at all, is an error.
    Result<Done> addSpecial(const std::string &token, std::int64_t id);
    /// One that the vocabulary has.
    void markSpecial(const std::string &token);
    /// A token that was added after training, found in texts before they are cut into pieces; its text is part of
    /// what is decoded. One that the vocabulary has keeps its id.
    Result<Done> addToken(const std::string &token, std::int64_t id);

    /// The pieces of a text after what `encoding` has. Special tokens written in the text count as such; the blanks
    /// around them belong to them. Errors: invalid UTF-8.
    Result<Done> encode(std::string_view text, Encoding &encoding, Lead lead = nullptr) const;
    void append(const std::string &token, Encoding &encoding) const;
    void appendEnd(Encoding &encoding) const { append(m_special.front(), encoding); }

    std::string decode(std::span<const std::int64_t> ids) const;
    std::string piece(std::int64_t id) const { return m_vocabulary.piece(id); }
    bool isSpecial(std::int64_t id) const;
    std::int64_t size() const { return m_vocabulary.size(); }
    std::int64_t find(std::string_view token) const { return m_vocabulary.find(token); }
    std::int64_t pieceCount() const { return m_model.pieceCount(); }

private:
    SpmVocabulary(SentencePiece model, Vocabulary vocabulary)
        : m_model(std::move(model)), m_vocabulary(std::move(vocabulary))
    {
    }

    std::pair<std::size_t, const std::string *> findSpecial(std::string_view text) const;
    /// `text`: a part of `whole`.
    void addText(std::string_view text, std::string_view whole, Encoding &encoding, int &words, Lead lead) const;

    SentencePiece m_model;
    Vocabulary m_vocabulary;
    std::vector<std::string> m_special; ///< the end token first
    std::vector<std::int64_t> m_specialIds;
    std::vector<std::string> m_added; ///< tokens that are found in texts like special ones, but are no such
    std::vector<std::int64_t> m_addedIds;
    std::int64_t m_unknown = 0;
};

} // namespace headscope
