#pragma once

#include "core/analysis/retrievalspec.h"
#include "core/base/jobcontrol.h"
#include "core/model/spec.h"
#include "core/results/retrievalresult.h"
#include "core/task/needleruns.h"
#include "core/tokenize/tokenizer.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// The facts to hide, and the text that hides them.
struct NeedleTexts
{
    std::vector<RetrievalNeedle> needles;
    std::vector<std::string> sentences; ///< of the haystack, each with the white space behind it
    std::string hash;                   ///< of both
};

/// The table and the text of a spec; those of the program lie in ../share/headscope/needles beside it. Throws Failure:
/// files that cannot be read, a needle, question or answer that is empty, a text without sentences.
NeedleTexts readNeedleTexts(const RetrievalSpec &spec, const JobControl &control);

/// A text cut behind ends of sentences and at ends of lines.
std::vector<std::string> sentencesOf(std::string_view text);

/// A needle at one place of a text.
struct PlacedNeedle
{
    std::int64_t needle = 0;
    std::int64_t length = 0; ///< tokens that the prompt may have
    double depth = 0;
    NeedlePrompt prompt{};
};

/// All prompts of a spec: every needle stands between two sentences of a text that begins at a random one of them.
/// Equal seeds give equal prompts. `newTokens`: that must find room behind a prompt. Throws Failure: lengths without
/// room for a needle and a sentence.
std::vector<PlacedNeedle> placedNeedles(const NeedleTexts &texts, const RetrievalSpec &spec,
                                        const TransformerSpec &model, const Tokenizer &tokenizer,
                                        std::int64_t newTokens, const JobControl &control);

} // namespace headscope
