#pragma once

#include "core/model/generate.h"
#include "core/task/runoptions.h"
#include "core/tokenize/tokenizer.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// How a model without encoder goes on with prompts: decodingSettings() with the texts of Decoding::stop, of which
/// each ends an output. `tokenizer`: null where texts are ids as words, which no text ends. Throws Failure (usage) for
/// more new tokens than the model has positions, and for a list of stop texts that is none; (bad input) for settings of
/// the folder that are not computed.
GenerationSettings continuationSettings(const TransformerSpec &spec, const Decoding &decoding,
                                        const std::shared_ptr<const Tokenizer> &tokenizer);

/// The same where nothing but an end token, or a stop text that was asked for, ends what follows: running text, which
/// may go on in another line.
GenerationSettings textContinuationSettings(const TransformerSpec &spec, Decoding decoding,
                                            const std::shared_ptr<const Tokenizer> &tokenizer);

/// The end of a prompt behind which the new tokens find room, as lm-evaluation-harness cuts it.
std::vector<std::int64_t> cutOnTheLeft(std::span<const std::int64_t> prompt, const TransformerSpec &spec,
                                       const GenerationSettings &settings);

/// Continuations of prompts, one result per row, from scratch.
std::vector<Generated> continuations(const Transformer &model, const Prompts &prompts,
                                     const GenerationSettings &settings, const HeadGates &gates, bool withScores,
                                     const JobControl &control);

/// The text of tokens that were said, up to the first stop text. `tokenizer`: null says ids as words.
std::string saidText(const std::vector<std::int64_t> &tokens, const Tokenizer *tokenizer,
                     const GenerationSettings &settings);

} // namespace headscope
