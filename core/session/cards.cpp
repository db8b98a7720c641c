#include "core/session/cards.h"

#include "core/analysis/headunits.h"
#include "core/model/removeheads.h"
#include "core/task/patchingpairs.h"
#include "core/task/tasks.h"
#include "core/tensor/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace headscope {
namespace {

std::string generationText(const GenerationSettings &settings)
{
    return settings.beams == 1 ? fmt::format("greedy, at most {} tokens", settings.maxLength)
                               : fmt::format("{} beams, length penalty {}, at most {} tokens", settings.beams,
                                             settings.lengthPenalty, settings.maxLength);
}

/// How many heads share a key–value head.
std::int64_t headsPerKey(const TransformerSpec &spec)
{
    std::int64_t most = 1;
    for (const Side side : kBothSides) {
        for (std::size_t i = 0; spec.stack(side) && i < spec.stack(side)->subLayers.size(); ++i) {
            if (const AttentionSpec *attention = spec.stack(side)->subLayers[i].attention())
                most = std::max(most, attention->headsPerKey);
        }
    }
    return most;
}

/// References that are few and many times the same are hardly translations.
void warnOfLabels(const Dataset &dataset, std::vector<std::string> &warnings)
{
    constexpr std::size_t kFewest = 20;
    std::set<std::string> different;
    for (const Example &example : dataset.examples) {
        if (example.reference.empty() || different.size() * 10 > dataset.examples.size())
            return;
        different.insert(example.reference);
    }
    if (dataset.examples.size() < kFewest || different.size() * 10 > dataset.examples.size())
        return;
    warnings.push_back(fmt::format("{}: the {} references are only {} different texts (\"{}\" is one). Are these "
                                   "labels? Scores of a translation model against them mean nothing.",
                                   dataset.name, dataset.examples.size(), different.size(), *different.begin()));
}

} // namespace

ModelCard modelCard(const LoadedModel &model, const Tokenizer *tokenizer)
{
    const TransformerSpec &spec = model.transformer->spec();
    const torch::ScalarType dtype = model.transformer->dtype();
    ModelCard card;
    card.family = spec.family;
    card.task = taskKind(spec).name;
    card.parameters = model.parameters;
    card.memoryBytes = model.memoryBytes;
    card.width = static_cast<int>(spec.width);
    card.layout = model.transformer->layout();
    if (const HeadUnits groups(spec, HeadUnit::KeyGroup); groups.firsts().size() < card.layout.size())
        card.keyGroups = groups.firsts().heads();
    card.device = model.transformer->device().str();
    card.dtype = dtypeName(dtype);
    if (spec.classifier) {
        card.problem = spec.classifier->problem;
        card.labels = spec.classifier->labels;
    } else if (spec.isEncoderDecoder()) {
        card.generation = generationText(spec.generation);
        std::string known;
        for (const auto &[name, task] : spec.generation.tasks) {
            card.tasks.emplace(name, task.prefix);
            known += (known.empty() ? "" : ", ") + name
                   + (task.prefix.empty() ? std::string() : fmt::format(" (\"{}\")", task.prefix));
        }
        if (!known.empty())
            card.warnings.push_back(fmt::format("config.json has beams, lengths or prefixes for tasks: {}. They count "
                                                "with --task NAME only; a prefix by itself is --source-prefix.",
                                                known));
    }
    card.metrics = taskKind(spec).judgingMetrics(spec);
    card.primaryMetric = card.metrics.empty() ? std::string() : card.metrics.front();
    card.warnings.insert(card.warnings.begin(), model.warnings.begin(), model.warnings.end());
    std::ranges::copy(headWarnings(card.layout), std::back_inserter(card.warnings));
    if (const std::int64_t shared = headsPerKey(spec); shared > 1)
        card.warnings.push_back(
            fmt::format("{} heads share each key–value head: heads here are query heads, and so are "
                        "masks of them.",
                        shared));
    if (tokenizer) {
        card.tokenizer = tokenizer->description();
        std::ranges::copy(tokenizer->notes(), std::back_inserter(card.warnings));
        const Languages &known = tokenizer->languages();
        card.languages = known.known;
        card.sourceLanguage = known.source;
        card.targetLanguage = known.target;
        if (const auto chosen = known.requireBoth(); spec.saysTokens() && !chosen.isOk())
            card.warnings.push_back(chosen.error().message);
    } else {
        card.warnings.emplace_back(
            "The folder has no tokenizer files, or not all of them: only data with input_ids (.jsonl) can be "
            "used.");
    }
    if (dtype != torch::kFloat32)
        card.warnings.emplace_back("Computing in bf16: outputs can differ from those in f32.");
    return card;
}

DataCard dataCard(const Dataset &dataset, const Task &task)
{
    const DataFacts facts = task.facts();
    DataCard card = {.name = dataset.name,
                     .origin = dataset.origin,
                     .hash = dataset.hash,
                     .rows = task.size(),
                     .meanWords = dataset.meanWords,
                     .pairs = facts.pairs,
                     .labels = facts.labels,
                     .warnings = dataset.warnings};
    card.references = task.hasReferences();
    card.trees = !dataset.treesHash.empty();
    card.patchingPairs = arePatchingPairs(dataset);
    card.sourceHash = dataset.sourceHash;
    card.referenceHash = dataset.referenceHash;
    card.treesHash = dataset.treesHash;
    std::ranges::copy(facts.warnings, std::back_inserter(card.warnings));
    std::vector<std::string> judging;
    for (const Metric *metric : task.metrics()) {
        if (supportsPairedTests(*metric))
            judging.push_back(metric->name());
    }
    if (judging != taskKind(task.model().spec()).judgingMetrics(task.model().spec()))
        card.metrics = std::move(judging);
    if (task.model().spec().translates())
        warnOfLabels(dataset, card.warnings);
    return card;
}

} // namespace headscope
