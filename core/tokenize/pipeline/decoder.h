#pragma once

#include "core/tokenize/pipeline/part.h"

#include <memory>
#include <string>
#include <vector>

namespace headscope::pipeline {

/// Pieces back to text: their concatenation after all steps.
class Decoder
{
public:
    virtual ~Decoder() = default;
    /// True where pieces spell bytes by printable characters (bytechars.h).
    virtual bool spellsBytes() const { return false; }
    virtual std::vector<std::string> decode(std::vector<std::string> pieces) const = 0;
};

using DecoderPtr = std::unique_ptr<Decoder>;

/// The "decoder" of a tokenizer.json, or one of its members. Throws Failure.
DecoderPtr makeDecoder(const Part &part);
/// Blanks between the pieces, of a file that names no decoder.
DecoderPtr makeJoiningDecoder();

} // namespace headscope::pipeline
