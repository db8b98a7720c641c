#include "core/tokenize/pipeline/piecemodel.h"

#include "core/formats/utf8.h"

#include <fmt/format.h>

namespace headscope::pipeline {
namespace {

using Maker = std::unique_ptr<PieceModel> (*)(const Part &);

constexpr std::pair<const char *, Maker> kModels[]
    = {{"WordPiece", makeWordPiece}, {"BPE", makeBpe}, {"Unigram", makeUnigram}, {"WordLevel", makeWordLevel}};

/// Files of old libraries leave the type out; the fields tell.
Maker guessModel(const Part &part)
{
    if (part.has("merges"))
        return makeBpe;
    if (part.has("max_input_chars_per_word"))
        return makeWordPiece;
    return part.has("vocab") && part.json()["vocab"].is_array() ? makeUnigram : makeWordLevel;
}

} // namespace

std::unique_ptr<PieceModel> makePieceModel(const Part &part)
{
    return part.has("type") ? factoryOf(part, kModels)(part) : guessModel(part)(part);
}

Vocabulary readVocabulary(const Part &model)
{
    const Part part = model.inner("vocab");
    if (!part.json().is_object() || part.json().empty())
        part.fail("must hold pieces and their ids");
    Vocabulary vocabulary;
    for (const auto &[piece, id] : part.json().items()) {
        switch (vocabulary.add(piece, wholeNumber(id, kLargestTokenId))) {
        case Vocabulary::Added::Yes:
            break;
        case Vocabulary::Added::IdOutOfRange:
            part.fail(fmt::format("the id of \"{}\" is not a whole number from 0 to {}", piece, kLargestTokenId));
        case Vocabulary::Added::IdTaken:
            part.fail(fmt::format("the id {} is given to two pieces", id.dump()));
        }
    }
    return vocabulary;
}

std::int64_t readUnknown(const Part &model, const Vocabulary &vocabulary)
{
    if (!model.has("unk_token"))
        return -1;
    const std::int64_t unknown = vocabulary.find(model.text("unk_token"));
    if (unknown < 0)
        model.fail(fmt::format("the vocabulary lacks the unknown piece \"{}\"", model.text("unk_token")));
    return unknown;
}

} // namespace headscope::pipeline
