#pragma once

#include "core/tokenize/pipeline/addedtokens.h"
#include "core/tokenize/pipeline/decoder.h"
#include "core/tokenize/pipeline/normalizer.h"
#include "core/tokenize/pipeline/piecemodel.h"
#include "core/tokenize/pipeline/postprocessor.h"
#include "core/tokenize/pipeline/pretokenizer.h"
#include "core/tokenize/tokenizer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace headscope::pipeline {

/// The parts of a fast tokenizer.
struct Components
{
    NormalizerPtr normalizer;     ///< may be null
    PreTokenizerPtr preTokenizer; ///< may be null: the text is one word
    std::unique_ptr<PieceModel> model;
    AddedTokens added;
    PostProcessor postProcessor;
    std::optional<PostProcessor> targetPostProcessor{}; ///< none: as the source's
    Languages languages{};
    DecoderPtr decoder;
    bool cleansUp = true; ///< decoded text

    /// A token for a post-processor. Throws Failure where there is none of that spelling.
    PostProcessor::Item special(const std::string &token, std::int64_t typeId = 0) const;
};

/// Text → added tokens → normaliser → words → pieces → special tokens around them, as Hugging Face's tokenizers library
/// does it.
std::unique_ptr<Tokenizer> makePipelineTokenizer(Components components);

} // namespace headscope::pipeline
