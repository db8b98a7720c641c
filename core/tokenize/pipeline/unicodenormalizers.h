#pragma once

#include "core/tokenize/pipeline/alignedtext.h"

#include <string_view>

namespace headscope::pipeline {

void lowerCase(AlignedText &text);
/// NFD, with `compatibility` NFKD.
void decompose(AlignedText &text, bool compatibility);
/// NFC, with `compatibility` NFKC.
void compose(AlignedText &text, bool compatibility);

/// Leaves only the characters that `isKept` holds for.
template<typename IsKept>
void filter(AlignedText &text, IsKept isKept)
{
    Rewriter rewriter(text);
    while (!rewriter.atEnd())
        isKept(rewriter.peek().code) ? rewriter.keep() : rewriter.skip();
    rewriter.finish();
}

bool isAscii(std::string_view text);

} // namespace headscope::pipeline
