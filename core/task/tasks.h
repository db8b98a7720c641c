#pragma once

#include "core/task/task.h"

#include <memory>

namespace headscope {

/// Each task is its examples, its runner and its measure; makeTask() chooses by what the model is.

/// Translations by greedy or beam search, measured by BLEU and chrF2 (translation.cpp). `tokenizer` may be null when every
/// example brings its ids; texts are then the ids as words.
Result<std::shared_ptr<const Task>> makeTranslation(std::shared_ptr<const Transformer> model,
                                                    std::shared_ptr<const Tokenizer> tokenizer, const Dataset &dataset,
                                                    const JobControl &control);
/// Labels of texts or text pairs by an encoder's first position, measured as their problem asks (classification.cpp).
Result<std::shared_ptr<const Task>> makeClassification(std::shared_ptr<const Transformer> model,
                                                       std::shared_ptr<const Tokenizer> tokenizer,
                                                       const Dataset &dataset, const JobControl &control);

/// How well a decoder without encoder predicts running text, by perplexity, loss and accuracy, or tells the sentences of
/// minimal pairs apart (languagemodelling.cpp).
Result<std::shared_ptr<const Task>> makeLanguageModelling(std::shared_ptr<const Transformer> model,
                                                          std::shared_ptr<const Tokenizer> tokenizer,
                                                          const Dataset &dataset, const JobControl &control);
/// The same of an encoder that guesses masked tokens, each masked by itself.
Result<std::shared_ptr<const Task>> makeMaskFilling(std::shared_ptr<const Transformer> model,
                                                    std::shared_ptr<const Tokenizer> tokenizer, const Dataset &dataset,
                                                    const JobControl &control);
/// Texts through an encoder without any head: nothing is measured, all that needs no labels works (encoding.cpp).
Result<std::shared_ptr<const Task>> makeEncoding(std::shared_ptr<const Transformer> model,
                                                 std::shared_ptr<const Tokenizer> tokenizer, const Dataset &dataset,
                                                 const JobControl &control);

/// The model's own settings with what `decoding` sets; never longer than the model's positions.
GenerationSettings decodingSettings(const TransformerSpec &spec, const Decoding &decoding);

} // namespace headscope
