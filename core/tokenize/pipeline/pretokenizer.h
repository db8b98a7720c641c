#pragma once

#include "core/tokenize/pipeline/alignedtext.h"
#include "core/tokenize/pipeline/part.h"

#include <memory>
#include <vector>

namespace headscope::pipeline {

/// Splits a normalised text into words, the stretches that pieces do not reach across.
class PreTokenizer
{
public:
    virtual ~PreTokenizer() = default;
    /// Replaces every text by its parts; empty ones are left out.
    virtual std::vector<AlignedText> split(std::vector<AlignedText> texts) const = 0;
};

using PreTokenizerPtr = std::unique_ptr<PreTokenizer>;

/// The "pre_tokenizer" of a tokenizer.json, or one of its members. Throws Failure.
PreTokenizerPtr makePreTokenizer(const Part &part);

PreTokenizerPtr makeBertPreTokenizer(const Part &part);
PreTokenizerPtr makeByteLevel(const Part &part);
PreTokenizerPtr makeMetaspace(const Part &part);
PreTokenizerPtr makeWhitespace(const Part &part);
PreTokenizerPtr makeWhitespaceSplit(const Part &part);
PreTokenizerPtr makePunctuation(const Part &part);
PreTokenizerPtr makeDigits(const Part &part);
PreTokenizerPtr makeSplit(const Part &part);
PreTokenizerPtr makeCharDelimiterSplit(const Part &part);

} // namespace headscope::pipeline
