#include "core/train/objective.h"

#include "core/task/classificationrunner.h"
#include "core/task/tasks.h"
#include "core/train/smoothedloss.h"

#include <torch/types.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace headscope {

namespace {

std::vector<ExampleLength> bothLengths(const Examples &examples)
{
    std::vector<ExampleLength> lengths;
    for (std::int64_t id = 0; id < examples.size(); ++id) {
        const std::int64_t target = std::ssize(examples.target(id));
        lengths.emplace_back(examples.sources.empty() ? target : std::ssize(examples.source(id)), target);
    }
    return lengths;
}

std::vector<ExampleLength> textLengths(const Examples &examples)
{
    std::vector<ExampleLength> lengths;
    for (std::int64_t id = 0; id < examples.size(); ++id)
        lengths.emplace_back(examples.length(id), examples.length(id));
    return lengths;
}

} // namespace

TokenObjective::TokenObjective(Examples examples, double smoothing, bool plain)
    : Objective(bothLengths(examples)), m_examples(std::move(examples)), m_smoothing(smoothing), m_plain(plain)
{
}

std::int64_t TokenObjective::targets(const std::vector<std::int64_t> &ids) const
{
    std::int64_t tokens = 0;
    for (const std::int64_t id : ids)
        tokens += std::ssize(m_examples.target(id)) - m_examples.firstCountedOf(id);
    return tokens;
}

ObjectiveLoss TokenObjective::loss(const Transformer &model, const std::vector<std::int64_t> &ids,
                                   const HeadGates &gates, Dropout &dropout, const LayerListener &onLayer) const
{
    const ForcedOutput output = forcedOutput(model, m_examples, ids, gates, &dropout, onLayer);
    const TransformerWeights &weights = model.weights();
    const SmoothedLoss loss = (m_plain ? plainSmoothedLoss : fusedSmoothedLoss)(
        model.outputHidden(output.hidden), weights.outputWeight, weights.outputBias, weights.outputHalf, output.wanted,
        m_smoothing);
    return {loss.smoothed, loss.crossEntropy};
}

LabelObjective::LabelObjective(Examples examples, LabelReading labels, double smoothing)
    : Objective(textLengths(examples)), m_examples(std::move(examples)), m_labels(std::move(labels)),
      m_smoothing(smoothing)
{
}

std::int64_t LabelObjective::targets(const std::vector<std::int64_t> &ids) const
{
    if (m_labels.exampleClasses.empty()) // numbers
        return std::ssize(ids);
    return std::ranges::count_if(
        ids, [this](std::int64_t id) { return !m_labels.exampleClasses[static_cast<std::size_t>(id)].empty(); });
}

ObjectiveLoss LabelObjective::loss(const Transformer &model, const std::vector<std::int64_t> &ids,
                                   const HeadGates &gates, Dropout &dropout, const LayerListener &onLayer) const
{
    const ClassifierSpec &classifier = *model.spec().classifier;
    const TransformerWeights &weights = model.weights();
    const auto output = classifiedOutput(model, m_examples, ids, gates, &dropout, onLayer);
    const auto read = dropout(model.classifierInput(output));
    const auto logits = weights.classifierOut(read).to(torch::kFloat32); // [B, K]
    const auto exact = labelLoss(m_labels, classifier.problem, ids, logits).loss;
    const double crossEntropy = exact.detach().sum(torch::kFloat64).item<double>();
    if (m_smoothing == 0 || classifier.problem != ProblemType::SingleLabel)
        return {exact.sum(), crossEntropy};
    const auto spread = -torch::log_softmax(logits, 1).mean(1) * (exact.detach() > 0);
    return {((1 - m_smoothing) * exact + m_smoothing * spread).sum(), crossEntropy};
}

namespace {

std::unique_ptr<const Objective> makeLabelObjective(const TransformerSpec &spec, const Tokenizer *tokenizer,
                                                    const Dataset &data, const TrainingConfig &config,
                                                    std::vector<std::string> &warnings, const JobControl &control)
{
    LabelReading labels = readLabels(data, spec.classifier->problem, spec.classifier->labels).valueOrThrow();
    if (!labels.known)
        throw Failure(
            badInput(data.name + " has no labels to train by. Name the column that holds them (\"label_column\")."));
    Examples examples = textExamples(spec, tokenizer, data, control).valueOrThrow();
    for (const auto *all : {&labels.warnings, &examples.warnings})
        std::ranges::copy(*all, std::back_inserter(warnings));
    return std::make_unique<const LabelObjective>(std::move(examples), std::move(labels), config.labelSmoothing);
}

} // namespace

std::unique_ptr<const Objective> makeObjective(const TransformerSpec &spec, const Tokenizer *tokenizer,
                                               const Dataset &data, const TrainingConfig &config,
                                               std::vector<std::string> &warnings, const JobControl &control)
{
    const TaskKind &kind = taskKind(spec);
    if (&kind == &kClassification)
        return makeLabelObjective(spec, tokenizer, data, config, warnings, control);
    if (&kind != &kTranslation && &kind != &kLanguageModelling)
        throw Failure(
            usageError(std::string("Training: models for ") + kind.name
                       + " are not trained here; translation models, classifiers and causal language models are."));
    Examples examples
        = (&kind == &kTranslation ? translationExamples : languageExamples)(spec, tokenizer, data, control)
              .valueOrThrow();
    std::ranges::copy(examples.warnings, std::back_inserter(warnings));
    return std::make_unique<const TokenObjective>(std::move(examples), config.labelSmoothing, config.plain);
}

} // namespace headscope
