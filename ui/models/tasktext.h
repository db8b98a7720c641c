#pragma once

#include "core/results/attentionresult.h"
#include "core/results/results.h"
#include "core/session/session.h"

#include <QStringList>

#include <optional>
#include <vector>

/// What a model's task means for the words and choices of the window.
namespace headscope {

bool isClassifier(const ModelCard &model);
/// The model reads a source and generates a target.
bool isTranslator(const ModelCard &model);
/// The model scores running text, from left to right or with masks.
bool isLanguageModel(const ModelCard &model);
/// "one of 2 labels", "any of 5 labels", "a number"; empty for translation.
QString problemText(const ModelCard &model);
/// "negative, positive"; empty where the model has none.
QString labelNamesText(const ModelCard &model);
/// "positive: 444 · negative: 428"
QString labelCountsText(const std::vector<LabelCount> &labels);

/// The prediction of a classifier for an example: "positive 0.98", "joy 0.91, love 0.77", "no label", "3.41". The
/// numbers are probabilities, those of a regression its value.
QString predictionText(const ExampleOutput &output, const ModelCard &model);
/// The labels that are right, by the model's names; several that count as one are joined by "or". Empty when unknown.
QString rightLabelsText(const ExampleOutput &output, const ModelCard &model);
/// Nothing where it cannot be told: no labels, or a regression.
std::optional<bool> isRight(const ExampleOutput &output, ProblemType problem);
/// Why heads cannot be patched on these data, and what to do; empty where they can.
QString whyNotPatched(const DataCard &data);
/// "cut: 26 tokens fit into the model": of attention on a text of which the end was left out; else empty.
QString cutText(const AttentionResult &attention);

} // namespace headscope
