#pragma once

#include "core/task/task.h"

#include <memory>
#include <string>
#include <vector>

namespace headscope {

/// A model that was opened, and where it computes.
struct OpenModel
{
    std::shared_ptr<const Transformer> transformer;
    std::shared_ptr<const Tokenizer> tokenizer; ///< may be null when every example brings its ids
    Execution execution;
    std::vector<ModelCopy> copies{}; ///< of the model, on other devices
};

/// The task of a model, derived from its spec alone. Each kind has its own file and an entry in the table of tasks.cpp.
struct TaskKind
{
    const char *name; ///< "translation"
    bool (*suits)(const TransformerSpec &);
    /// Names of the metrics that heads of the model can be judged by, the first choice first.
    std::vector<std::string> (*judgingMetrics)(const TransformerSpec &);
    Result<TaskParts> (*make)(const OpenModel &, const Dataset &, const JobControl &);
};

/// Translations by greedy or beam search, measured by BLEU and chrF2. Texts of models without tokenizer are the ids as
/// words.
extern const TaskKind kTranslation;
/// Labels of texts or text pairs by an encoder's first position, measured as their problem asks.
extern const TaskKind kClassification;
/// How well a decoder without encoder predicts running text, by perplexity, loss and accuracy, or tells the sentences
/// of minimal pairs apart.
extern const TaskKind kLanguageModelling;
/// Measures an encoder that predicts masked tokens, each masked by itself.
extern const TaskKind kMaskFilling;
/// Texts through an encoder without any head: nothing is measured, all that needs no labels works.
extern const TaskKind kEncoding;

/// The kind that the model was made for.
const TaskKind &taskKind(const TransformerSpec &spec);

/// Errors: a data set that the model cannot take (no ids, ids outside the vocabulary, labels that it does not know).
Result<std::shared_ptr<const Task>> makeTask(OpenModel model, const Dataset &dataset, const JobControl &control);

} // namespace headscope
