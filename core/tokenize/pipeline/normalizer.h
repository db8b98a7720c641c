#pragma once

#include "core/tokenize/pipeline/alignedtext.h"
#include "core/tokenize/pipeline/part.h"

#include <memory>

namespace headscope::pipeline {

/// Changes a text before it is split.
class Normalizer
{
public:
    virtual ~Normalizer() = default;
    /// Throws Failure when the text would grow beyond all bounds.
    virtual void apply(AlignedText &text) const = 0;
};

using NormalizerPtr = std::unique_ptr<Normalizer>;

/// The "normalizer" of a tokenizer.json, or one of its members. Throws Failure.
NormalizerPtr makeNormalizer(const Part &part);

NormalizerPtr makeBertNormalizer(const Part &part);
NormalizerPtr makeByteLevelNormalizer(const Part &part);
NormalizerPtr makeNfc(const Part &part);
NormalizerPtr makeNfd(const Part &part);
NormalizerPtr makeNfkc(const Part &part);
NormalizerPtr makeNfkd(const Part &part);
NormalizerPtr makeLowercase(const Part &part);
NormalizerPtr makeStripAccents(const Part &part);
NormalizerPtr makeNmt(const Part &part);
NormalizerPtr makeReplace(const Part &part);
NormalizerPtr makeStrip(const Part &part);
NormalizerPtr makePrepend(const Part &part);
NormalizerPtr makePrecompiled(const Part &part);

} // namespace headscope::pipeline
