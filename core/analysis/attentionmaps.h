#pragma once

#include "core/base/sentencetree.h"
#include "core/model/generate.h"
#include "core/results/attentionresult.h"
#include "core/task/runoptions.h"
#include "core/tokenize/tokenizer.h"

#include <optional>
#include <string>

namespace headscope {

/// Attention of every head of an encoder-decoder on one sentence, under a mask (gates act after the weights, so a
/// masked head keeps its map). The decoder is forced to `target`; empty: to the model's own output under the mask.
/// `settings`: how that output is searched. `tree`: of the source, may be empty.
AttentionResult attentionMaps(const Transformer &model, const Tokenizer &tokenizer, const std::string &source,
                              const std::string &target, const HeadMask &mask, const GenerationSettings &settings,
                              const SentenceTree &tree, Manifest manifest, const JobControl &control);

/// The same of a single stack – an encoder, or a decoder that reads no memory – on a text or, with `pair` (which may be
/// empty), a pair of texts; with what a classifier says of them. `goesOn`: how a language model goes on with the text,
/// whose attention is shown with it as far as positions reach; null: it does not.
AttentionResult attentionMaps(const Transformer &model, const Tokenizer &tokenizer, const std::string &text,
                              const std::optional<std::string> &pair, const HeadMask &mask, const SentenceTree &tree,
                              const GenerationSettings *goesOn, Manifest manifest, const JobControl &control);

} // namespace headscope
