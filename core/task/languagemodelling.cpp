#include "core/metrics/answermetrics.h"
#include "core/metrics/choicemetrics.h"
#include "core/metrics/groups.h"
#include "core/metrics/minimalpairs.h"
#include "core/task/generationrunner.h"
#include "core/task/languagemeasure.h"
#include "core/task/patchingpairs.h"
#include "core/task/scoringrunner.h"
#include "core/task/tasks.h"
#include "core/task/textmeasure.h"
#include "core/tokenize/pipeline/unicode.h"

#include <algorithm>
#include <optional>
#include <string>

namespace headscope {
namespace {

/// How well text was predicted token by token.
class TokenMeasure final : public Measure
{
public:
    TokenMeasure(TokenContext context, const std::string &windows) : m_own(tokenMetrics(context, windows))
    {
        for (const auto &metric : m_own)
            m_metrics.push_back(metric.get());
    }
    const std::vector<const Metric *> &metrics() const override { return m_metrics; }
    void statistics(std::size_t metric, const ExampleOutput &output, std::span<double> out) const override
    {
        m_own[metric]->statistics({-output.score, std::ssize(output.tokens), output.right}, out);
    }
    bool samePrediction(const ExampleOutput &a, const ExampleOutput &b) const override { return a.tokens == b.tokens; }
    bool hasReferences() const override { return true; }
    std::string missingReferences() const override { return {}; }
    bool isDecidedByPredictions(std::size_t) const override { return false; }

private:
    std::vector<std::unique_ptr<TokenMetric>> m_own;
    std::vector<const Metric *> m_metrics; ///< views of m_own
};

/// How many examples a group has, where there are several groups.
std::vector<LabelCount> labelsOf(const ExampleGroups &groups)
{
    std::vector<LabelCount> counts;
    for (const std::string &name : groups.names)
        counts.push_back({name, 0});
    for (const std::size_t member : groups.members)
        ++counts[member].rows;
    return groups.names.size() > 1 ? counts : std::vector<LabelCount>();
}

/// Whether the better sentence of each pair is the likelier one.
class PairMeasure final : public Measure
{
public:
    PairMeasure(const Dataset &dataset, const std::string &setting)
    {
        std::vector<std::string> names;
        for (const Example &example : dataset.examples)
            names.push_back(example.paradigm);
        m_groups = ExampleGroups::of(names);
        m_own = minimalPairMetrics(m_groups.names.size(), setting);
        for (const auto &metric : m_own)
            m_metrics.push_back(metric.get());
    }
    const std::vector<const Metric *> &metrics() const override { return m_metrics; }
    void statistics(std::size_t metric, const ExampleOutput &output, std::span<double> out) const override
    {
        m_own[metric]->statistics(
            {output.score, output.otherScore, m_groups.members[static_cast<std::size_t>(output.index)]}, out);
    }
    bool samePrediction(const ExampleOutput &a, const ExampleOutput &b) const override
    {
        return (a.score > a.otherScore) == (b.score > b.otherScore);
    }
    bool hasReferences() const override { return true; }
    std::string missingReferences() const override { return {}; }
    std::vector<LabelCount> labels() const override { return labelsOf(m_groups); }

    bool isDecidedByPredictions(std::size_t) const override { return false; }
    const ExampleGroups *groups() const override { return m_groups.names.size() > 1 ? &m_groups : nullptr; }

private:
    ExampleGroups m_groups;
    std::vector<std::unique_ptr<MinimalPairMetric>> m_own;
    std::vector<const Metric *> m_metrics; ///< views of m_own
};

/// Which choice of each question the model takes, or whether it says the word that a cloze asks for.
class ChoiceMeasure final : public Measure
{
public:
    ChoiceMeasure(const Dataset &dataset, const std::string &setting)
    {
        std::vector<std::string> subjects;
        bool isCloze = true;
        for (const Example &example : dataset.examples) {
            subjects.push_back(example.paradigm);
            m_answers.push_back(static_cast<std::size_t>(example.answer));
            isCloze = isCloze && example.choices.size() == 1;
            Lengths lengths;
            for (const std::string &choice : example.choices) {
                lengths.bytes.push_back(static_cast<double>(choice.size()));
                lengths.characters.push_back(static_cast<double>(pipeline::charCount(choice)));
            }
            m_lengths.push_back(std::move(lengths));
        }
        m_groups = ExampleGroups::of(subjects);
        m_own = isCloze ? clozeMetrics(setting) : choiceMetrics(setting);
        for (const auto &metric : m_own)
            m_metrics.push_back(metric.get());
    }
    const std::vector<const Metric *> &metrics() const override { return m_metrics; }
    void statistics(std::size_t metric, const ExampleOutput &output, std::span<double> out) const override
    {
        const auto row = static_cast<std::size_t>(output.index);
        m_own[metric]->statistics({output.choices, output.unconditional, m_lengths[row].characters,
                                   m_lengths[row].bytes, m_answers[row], output.right == std::ssize(output.tokens)},
                                  out);
    }
    bool samePrediction(const ExampleOutput &a, const ExampleOutput &b) const override
    {
        if (a.choices.size() == 1)
            return a.tokens == b.tokens;
        const auto taken
            = [](const ExampleOutput &of) { return std::ranges::max_element(of.choices) - of.choices.begin(); };
        return taken(a) == taken(b);
    }
    bool hasReferences() const override { return true; }
    std::string missingReferences() const override { return {}; }
    std::vector<LabelCount> labels() const override { return labelsOf(m_groups); }
    bool isDecidedByPredictions(std::size_t) const override { return false; }
    const ExampleGroups *groups() const override { return m_groups.names.size() > 1 ? &m_groups : nullptr; }

private:
    struct Lengths
    {
        std::vector<double> characters, bytes;
    };
    std::vector<std::size_t> m_answers;
    std::vector<Lengths> m_lengths;
    ExampleGroups m_groups;
    std::vector<std::unique_ptr<ChoiceMetric>> m_own;
    std::vector<const Metric *> m_metrics; ///< views of m_own
};

bool hasPairs(const Dataset &dataset)
{
    return !dataset.examples.empty() && !dataset.examples.front().worse.empty();
}

/// Prompts with texts of which one should follow.
bool hasPrompts(const Dataset &dataset)
{
    return !dataset.examples.empty() && !dataset.examples.front().accepted.empty();
}

bool hasQuestions(const Dataset &dataset)
{
    return !dataset.examples.empty() && !dataset.examples.front().choices.empty();
}

std::unique_ptr<Measure> measureOf(const Dataset &dataset, TokenContext context, const std::string &setting = {})
{
    if (hasQuestions(dataset))
        return std::make_unique<ChoiceMeasure>(dataset, setting);
    if (hasPrompts(dataset)) {
        std::vector<std::vector<std::string>> accepted;
        for (const Example &example : dataset.examples)
            accepted.push_back(example.accepted);
        return std::make_unique<TextMeasure>(answerMetrics(setting), accepted, std::string());
    }
    if (hasPairs(dataset))
        return std::make_unique<PairMeasure>(dataset, setting);
    return tokenMeasure(context, setting);
}

/// The signature of a causal model: of minimal pairs whether something stands before the first token, so that
/// it counts too; of texts how many tokens of a window are predicted, and what it begins with.
std::string settingOf(const Dataset &dataset, const Examples &examples, const GenerationSettings &settings)
{
    if (hasQuestions(dataset) || hasPrompts(dataset))
        return dataset.origin.shots > 0 ? "shots:" + std::to_string(dataset.origin.shots) : std::string();
    if (!hasPairs(dataset))
        return std::string(toText(dataset.origin.windowPredictions))
             + "|window-start:" + std::string(toText(dataset.origin.windowStart));
    const bool counts = std::ranges::all_of(examples.prefixes, [&](const Examples::Tokens &prefix) {
        return !prefix.empty() && prefix.front() == settings.startId;
    });
    return counts ? "first-token:counted" : "first-token:not counted";
}

/// The data as they are, or what pairs for patching ask a language model; `kept` is what that lies in.
const Dataset &asked(const Dataset &dataset, const std::optional<std::string> &mask, Dataset &kept)
{
    if (!arePatchingPairs(dataset))
        return dataset;
    return kept = asMinimalPairs(dataset, mask);
}

Result<TaskParts> makeLanguageModelling(const OpenModel &model, const Dataset &data, const JobControl &control)
{
    Dataset kept;
    const Dataset &dataset = asked(data, std::nullopt, kept);
    auto examples = languageExamples(model.transformer->spec(), model.tokenizer.get(), dataset, control);
    if (!examples.isOk())
        return examples.error();
    auto measure = measureOf(dataset, TokenContext::Before,
                             settingOf(dataset, examples.value(), model.transformer->spec().generation));
    std::unique_ptr<Runner> runner;
    if (hasPrompts(dataset))
        runner = std::make_unique<GenerationRunner>(model.tokenizer, model.transformer->spec().generation);
    else
        runner = std::make_unique<ScoringRunner>(std::nullopt, model.tokenizer);
    return TaskParts{std::move(examples).value(), std::move(runner), std::move(measure)};
}

Result<TaskParts> makeMaskFilling(const OpenModel &model, const Dataset &data, const JobControl &control)
{
    const auto mask = model.tokenizer ? maskToken(*model.tokenizer) : std::nullopt;
    if (!mask)
        return badInput("The model predicts masked tokens, but its tokenizer has no [MASK] or <mask> token.");
    Dataset kept;
    const Dataset &dataset = asked(data, model.tokenizer->pieceText(*mask), kept);
    auto examples = textExamples(model.transformer->spec(), model.tokenizer.get(), dataset, control);
    if (!examples.isOk())
        return examples.error();
    return TaskParts{std::move(examples).value(), std::make_unique<ScoringRunner>(mask, model.tokenizer),
                     measureOf(dataset, TokenContext::Around)};
}

std::vector<std::string> namesOf(TokenContext context)
{
    std::vector<std::string> names;
    for (const auto &metric : tokenMetrics(context))
        names.push_back(metric->name());
    return names;
}

} // namespace

std::unique_ptr<Measure> tokenMeasure(TokenContext context, const std::string &windows)
{
    return std::make_unique<TokenMeasure>(context, windows);
}

const TaskKind kLanguageModelling{
    "language-modelling", [](const TransformerSpec &spec) { return spec.decoder && !spec.encoder; },
    [](const TransformerSpec &) { return namesOf(TokenContext::Before); }, makeLanguageModelling};

const TaskKind kMaskFilling{"masked-language-modelling",
                            [](const TransformerSpec &spec) { return spec.maskedLm && !spec.classifier; },
                            [](const TransformerSpec &) { return namesOf(TokenContext::Around); }, makeMaskFilling};

} // namespace headscope
