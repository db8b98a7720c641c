#pragma once

#include "core/tokenize/pipeline/part.h"

#include <string>

namespace headscope::pipeline {

/// How SentencePiece writes blanks, of the pre-tokenizer and the decoder alike.
struct MetaspaceSettings
{
    enum class Prepend { Always, First, Never };

    std::string mark = "\u2581"; ///< one character
    Prepend prepend = Prepend::Always;
    bool split = true;
};

/// Throws Failure. Files of old libraries say add_prefix_space instead of prepend_scheme.
MetaspaceSettings readMetaspace(const Part &part);

} // namespace headscope::pipeline
