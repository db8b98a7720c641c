#pragma once

#include "core/tokenize/pipeline/part.h"
#include "core/tokenize/vocabulary.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::pipeline {

/// A piece of a word; bytes begin … end − 1 of it.
struct Token
{
    std::int64_t id = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    bool isUnknown = false;
};

/// Splits words (what the pre-tokenizer leaves) into pieces of a vocabulary.
class PieceModel
{
public:
    virtual ~PieceModel() = default;

    /// Appends to `tokens`. Throws Failure where the text has something unknown and there is no unknown piece.
    virtual void tokenize(std::string_view word, std::vector<Token> &tokens) const = 0;
    virtual const Vocabulary &vocabulary() const = 0;
    /// For the model card.
    virtual std::string name() const = 0;
    virtual bool isBpe() const { return false; }
};

/// The "model" of a tokenizer.json. Throws Failure.
std::unique_ptr<PieceModel> makePieceModel(const Part &part);

std::unique_ptr<PieceModel> makeWordPiece(const Part &part);
std::unique_ptr<PieceModel> makeBpe(const Part &part);
std::unique_ptr<PieceModel> makeUnigram(const Part &part);
std::unique_ptr<PieceModel> makeWordLevel(const Part &part);

/// The object "vocab" of a model: pieces and ids. Throws Failure.
Vocabulary readVocabulary(const Part &model);
/// The id of the unknown piece, which the vocabulary must have; -1 when the model has none.
std::int64_t readUnknown(const Part &model, const Vocabulary &vocabulary);

} // namespace headscope::pipeline
