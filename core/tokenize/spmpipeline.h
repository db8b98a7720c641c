#pragma once

#include "core/tokenize/tokenizersettings.h"

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

struct SpmFile;

/// How a family puts its own pieces around those of a SentencePiece model.
struct SpmLayout
{
    const char *file;                                  ///< spiece.model
    std::vector<std::pair<std::string, double>> front; ///< with their scores
    std::size_t skipped = 0;                           ///< of SentencePiece's own first pieces
    std::vector<std::string> back;
    std::span<const SpecialToken> special;
    void (*change)(SpmFile &file) = nullptr; ///< the model's own pieces, before all that
    bool isOpen = false; ///< tokens of the family follow, and only then those that files name (addNamedTokens())
};

/// fairseq's <s> <pad> </s> <unk> in front, in place of SentencePiece's first three: XLM-R, mBART, NLLB.
SpmLayout fairseqLayout(std::span<const SpecialToken> special, std::vector<std::string> back);

/// A tokenizer.json of an old folder, all but its post_processor.
struct SpmPipeline
{
    nlohmann::json json;
    nlohmann::json ids; ///< by piece
};

/// The pieces of a Unigram or BPE model as the fast tokenizers take them. Errors: missing or damaged files, other
/// models.
Result<SpmPipeline> readSpmPipeline(const TokenizerFiles &files, const SpmLayout &layout);

/// The pieces among them that are recognised wherever they stand in a text, to "added_tokens".
void addMarkedPieces(nlohmann::json &tokenizer, const SpmFile &file, const nlohmann::json &ids);

/// "model" of a BPE model of SentencePiece; `pieces`: [[text, score], …] by id. Errors: pieces that are none.
Result<nlohmann::json> bpeModel(const nlohmann::json &pieces, const nlohmann::json &ids, const SpmFile &file);

/// Tokens that are special besides those of tokenizersettings.h, to "added_tokens".
void addMoreSpecial(nlohmann::json &tokenizer, std::span<const std::string> tokens);

} // namespace headscope
