#pragma once

#include "core/tokenize/pipeline/addedtokens.h"
#include "core/tokenize/pipeline/decoder.h"
#include "core/tokenize/pipeline/normalizer.h"
#include "core/tokenize/pipeline/piecemodel.h"
#include "core/tokenize/pipeline/postprocessor.h"
#include "core/tokenize/pipeline/pretokenizer.h"
#include "core/tokenize/tokenizer.h"

#include <memory>

namespace headscope::pipeline {

/// What a fast tokenizer is put together from.
struct Components
{
    NormalizerPtr normalizer;       ///< may be null
    PreTokenizerPtr preTokenizer;   ///< may be null: the text is one word
    std::unique_ptr<PieceModel> model;
    AddedTokens added;
    PostProcessor postProcessor;
    DecoderPtr decoder;
    bool cleansUp = true; ///< decoded text
};

/// Text → added tokens → normaliser → words → pieces → special tokens around them, as Hugging Face's tokenizers library
/// does it.
std::unique_ptr<Tokenizer> makePipelineTokenizer(Components components);

} // namespace headscope::pipeline
