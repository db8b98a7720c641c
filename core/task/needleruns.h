#pragma once

#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/model/generate.h"
#include "core/model/transformer.h"
#include "core/tensor/execution.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace headscope {

/// Tokens first … end − 1 of a prompt.
struct TokenRange
{
    std::int64_t first = 0;
    std::int64_t end = 0;

    std::int64_t size() const { return end - first; }
    bool contains(std::int64_t position) const { return position >= first && position < end; }
    bool operator==(const TokenRange &) const = default;
};

/// A text that hides a needle, and a question behind it, as a language model reads them.
struct NeedlePrompt
{
    std::vector<std::int64_t> ids{}; ///< up to where the answer begins
    TokenRange needle{};
    TokenRange answer{};                 ///< the tokens of the needle that copies are counted of
    TokenRange question{};               ///< behind the needle
    std::vector<std::int64_t> nullIds{}; ///< the same text with a question that asks for nothing, up to its end
    TokenRange nullQuestion{};
};

/// The copies and the attention of a head in a run.
struct NeedleHead
{
    std::vector<std::uint8_t>
        copied{};           ///< [answer] 1: the token is said at a step at which the largest weight is on it
    std::int64_t steps = 0; ///< at which that is so of any of them
    double question = 0;    ///< attention of the question's tokens to the needle, sum over keys, mean over tokens
    double nullQuestion = 0;
};

struct NeedleRun
{
    std::vector<std::int64_t> said;
    HeadTable<NeedleHead> heads;
};

/// Hears how many more runs are done, from any thread.
using NeedlesDone = std::function<void(std::int64_t)>;

/// Greedy continuations of prompts by a decoder without encoder, and the attention behind them (Wu et al. 2024,
/// section 2; Zhang et al. 2025, section 3): a text is read once, questions and answers token by token behind it, so
/// that only single rows of attention are kept. `settings`: those of greedy search. Preconditions: a prompt and the new
/// tokens find room in the model's positions; something stands before the question, the needle in it. Throws Failure
/// where the model gives no numbers.
std::vector<NeedleRun> needleRuns(const Transformer &model, const Execution &execution,
                                  const std::vector<NeedlePrompt> &prompts, const GenerationSettings &settings,
                                  const NeedlesDone &done, const JobControl &control);

/// Only what is said, without the heads of `masked`.
std::vector<std::vector<std::int64_t>> needleAnswers(const Transformer &model, const Execution &execution,
                                                     const std::vector<NeedlePrompt> &prompts,
                                                     const GenerationSettings &settings, const HeadMask &masked,
                                                     const NeedlesDone &done, const JobControl &control);

} // namespace headscope
