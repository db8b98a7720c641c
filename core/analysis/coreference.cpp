
#include "core/analysis/analysisinfo.h"
#include "core/analysis/attentionpass.h"
#include "core/analysis/attentionrows.h"
#include "core/analysis/coreferencespec.h"
#include "core/analysis/exampleencoding.h"
#include "core/analysis/input.h"
#include "core/formats/hash.h"
#include "core/metrics/bootstrap.h"
#include "core/model/transformer.h"
#include "core/results/coreferenceresult.h"
#include "core/results/rolesresult.h"
#include "core/roles/antecedents.h"
#include "core/roles/treewords.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

/// Hits by mentions, from sums over documents.
class AntecedentMetric final : public Metric
{
public:
    std::string name() const override { return "antecedents"; }
    std::string signature() const override { return {}; }
    std::size_t statisticsSize() const override { return 2; }
    double score(std::span<const double> sums) const override { return sums[1] > 0 ? sums[0] / sums[1] : 0; }
    Interval possible() const override { return {0, 1}; }
};

/// Findings in one document.
struct DocumentHits
{
    FormSums mentions{};
    FormSums chance{};
    std::array<FormSums, kAntecedentRules> rules{};
    std::vector<FormSums> heads; ///< in the order of the heads that read the text
    std::int64_t leftOut = 0;
};

double total(const FormSums &sums)
{
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

FormSums &operator+=(FormSums &sums, const FormSums &more)
{
    std::ranges::transform(sums, more, sums.begin(), std::plus());
    return sums;
}

/// A document as one head after the other is asked for it.
struct DocumentTokens
{
    AntecedentTask task;
    std::vector<int> wordOfToken; ///< head words of mentions only
    std::vector<std::vector<int>> pieces;

    DocumentTokens(const Coreference &document, const Encoding &encoding)
    {
        wordOfToken = tokensInTree(encoding, document.words);
        std::vector<std::uint8_t> hasTokens(document.words.size(), 0);
        for (const int word : wordOfToken) {
            if (word >= 0)
                hasTokens[static_cast<std::size_t>(word)] = 1;
        }
        task = antecedentTask(document, hasTokens);
        for (int &word : wordOfToken) {
            const auto place = std::ranges::lower_bound(task.words, word);
            word = place != task.words.end() && *place == word ? static_cast<int>(place - task.words.begin()) : -1;
        }
        pieces = piecesOfWords(wordOfToken, task.words.size());
    }
};

class AntecedentCounter
{
public:
    AntecedentCounter(const Task &task, const Dataset &dataset, const Tokenizer &tokenizer)
        : m_task(task), m_dataset(dataset), m_tokenizer(tokenizer)
    {
        std::ranges::copy_if(task.layout().heads(), std::back_inserter(m_heads),
                             [&](const HeadRef &head) { return head.kind == task.textKind(); });
    }

    std::map<std::int64_t, DocumentHits> examine(const SeenBatch &seen) const
    {
        std::vector<DocumentTokens> documents;
        std::map<std::int64_t, DocumentHits> found;
        for (std::size_t row = 0; row < seen.ids.size(); ++row) {
            const Example &example = m_dataset.examples[static_cast<std::size_t>(seen.ids[row])];
            const AttentionTokens tokens = attentionTokens(seen.attention, m_task.textKind(), row);
            documents.emplace_back(example.coreference, encodingOf(example, seen.attention.textOf(row), tokens.realKeys,
                                                                   &m_tokenizer, m_task.model().spec()));
            found[seen.ids[row]] = withoutHeads(documents.back().task);
        }
        std::vector<double> words;
        forEachHead(seen.attention, m_task.layout(), AttentionMeasure::Weights,
                    [&](const HeadRef &head, std::size_t row, const HeadAttention &attention) {
                        if (head.kind != m_task.textKind())
                            return;
                        const DocumentTokens &document = documents[row];
                        addUpWords(attention, document.wordOfToken, document.pieces, words);
                        const auto place = std::ranges::lower_bound(m_heads, head) - m_heads.begin();
                        found[seen.ids[row]].heads[static_cast<std::size_t>(place)]
                            = antecedentHits(document.task, words);
                    });
        return found;
    }

    void add(const std::map<std::int64_t, DocumentHits> &found) { m_found.insert(found.begin(), found.end()); }
    void fill(const CoreferenceSpec &spec, CoreferenceResult &result) const;

private:
    DocumentHits withoutHeads(const AntecedentTask &task) const
    {
        DocumentHits hits;
        hits.heads.resize(m_heads.size());
        hits.leftOut = task.leftOut;
        for (const AntecedentChoice &choice : task.choices) {
            const auto form = static_cast<std::size_t>(choice.form);
            ++hits.mentions[form];
            hits.chance[form] += static_cast<double>(std::ranges::count(choice.isAntecedent, 1))
                               / static_cast<double>(choice.candidates.size());
            for (std::size_t rule = 0; rule < kAntecedentRules; ++rule)
                hits.rules[rule][form] += choice.ruleHits[rule] ? 1 : 0;
        }
        return hits;
    }

    const Task &m_task;
    const Dataset &m_dataset;
    const Tokenizer &m_tokenizer;
    std::vector<HeadRef> m_heads;
    std::map<std::int64_t, DocumentHits> m_found; ///< by document
};

AntecedentAccuracy accuracyOf(const FormSums &hits, const FormSums &mentions)
{
    AntecedentAccuracy accuracy;
    accuracy.all = total(mentions) > 0 ? total(hits) / total(mentions) : 0;
    for (std::size_t form = 0; form < kMentionForms; ++form) {
        if (mentions[form] > 0)
            accuracy.byForm[form] = hits[form] / mentions[form];
    }
    return accuracy;
}

void AntecedentCounter::fill(const CoreferenceSpec &spec, CoreferenceResult &result) const
{
    FormSums mentions{};
    FormSums chance{};
    std::array<FormSums, kAntecedentRules> rules{};
    std::vector<FormSums> heads(m_heads.size());
    for (const auto &[id, document] : m_found) {
        mentions += document.mentions;
        chance += document.chance;
        for (std::size_t rule = 0; rule < kAntecedentRules; ++rule)
            rules[rule] += document.rules[rule];
        for (std::size_t i = 0; i < heads.size(); ++i)
            heads[i] += document.heads[i];
        result.leftOut += document.leftOut;
        result.examples += total(document.mentions) > 0 ? 1 : 0;
    }
    result.mentions = static_cast<std::int64_t>(total(mentions));
    for (std::size_t form = 0; form < kMentionForms; ++form)
        result.byForm[form] = static_cast<std::int64_t>(mentions[form]);
    constexpr std::array<const char *, kAntecedentRules> kNames{"nearest", "head match", "sieves"};
    for (std::size_t rule = 0; rule < kAntecedentRules; ++rule)
        result.baselines.push_back({kNames[rule], accuracyOf(rules[rule], mentions)});
    result.baselines.push_back({"chance", accuracyOf(chance, mentions)});
    const AntecedentMetric metric;
    StatisticsTable table(m_found.size(), 2);
    for (std::size_t i = 0; i < m_heads.size(); ++i) {
        std::size_t row = 0;
        for (const auto &[id, document] : m_found) {
            table.row(row)[0] = total(document.heads[i]);
            table.row(row++)[1] = total(document.mentions);
        }
        result.heads.push_back({m_heads[i], accuracyOf(heads[i], mentions),
                                bootstrapInterval(table, metric, spec.resamples, spec.run.seed)});
    }
}

} // namespace

CoreferenceResult AnalysisOf<CoreferenceSpec>::compute(const CoreferenceSpec &spec, AnalysisInput &input,
                                                       Manifest manifest, const JobControl &control,
                                                       const Publish<CoreferenceResult> &)
{
    const AnalysisData data = input.data();
    if (std::ranges::all_of(data.dataset.examples, [](const Example &example) { return example.coreference.empty(); }))
        throw Failure(
            badInput(fmt::format("{} has no coreference: give a file of CoNLL-2012 by --conllu.", data.name)));
    if (!input.tokenizer())
        throw Failure(badInput("The model folder has no tokenizer: the tokens of mentions cannot be found."));
    CoreferenceResult result;
    result.manifest = std::move(manifest);
    const AttentionPass pass(data.task, {.run = spec.run, .mask = spec.mask}, kPhaseCoreference, control);
    AntecedentCounter counter(data.task, data.dataset, *input.tokenizer());
    pass.run([&](const SeenBatch &seen) { return counter.examine(seen); },
             [&](const auto &found) { counter.add(found); });
    counter.fill(spec, result);
    if (result.mentions == 0)
        throw Failure(badInput(fmt::format("{} has no mention with an antecedent that the model reads.", data.name)));
    return result;
}

std::string AnalysisOf<CoreferenceSpec>::contents(const CoreferenceSpec &, const Dataset &dataset, const JobControl &)
{
    Hasher hasher;
    for (const Example &example : dataset.examples) {
        hasher.add(std::ssize(example.coreference.mentions));
        for (const TreeWord &word : example.coreference.words)
            hasher.add(word.tag);
        for (const Mention &mention : example.coreference.mentions) {
            for (const int number : {mention.first, mention.last, mention.head, mention.entity})
                hasher.add(std::int64_t{number});
        }
    }
    return hasher.hex();
}

} // namespace headscope
