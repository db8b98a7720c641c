
#include "core/analysis/analysisinfo.h"
#include "core/analysis/attentionpass.h"
#include "core/analysis/attentionrows.h"
#include "core/analysis/exampleencoding.h"
#include "core/analysis/input.h"
#include "core/analysis/probespec.h"
#include "core/analysis/randommodel.h"
#include "core/analysis/treeprobe.h"
#include "core/base/random.h"
#include "core/data/wordvectors.h"
#include "core/formats/hash.h"
#include "core/metrics/bootstrap.h"
#include "core/model/transformer.h"
#include "core/results/bestheads.h"
#include "core/results/proberesult.h"
#include "core/results/rolesresult.h"
#include "core/roles/treewords.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

constexpr std::int64_t kFarthest = 10; ///< offsets that the distance probe tells apart
constexpr std::int64_t kRootFeatures = 2;

/// The share of words whose head was found.
class AttachmentScore final : public Metric
{
public:
    std::string name() const override { return "UAS"; }
    std::string signature() const override { return {}; }
    std::size_t statisticsSize() const override { return 2; }
    double score(std::span<const double> sums) const override { return sums[1] > 0 ? sums[0] / sums[1] : 0; }
    Interval possible() const override { return {0, 1}; }
};

/// A sentence for the probes that look at attention and for the one that does not.
struct SentencePair
{
    ProbeSentence byAttention; ///< features: every head's attention from head to dependent, then the other way round
    ProbeSentence byDistance;
    torch::Tensor vectors;       ///< [W, E] of a file, zeros where it has none; undefined: there is no file
    std::int64_t withVector = 0; ///< of the words that accuracy is of
};

/// The words of a sentence that have tokens.
struct KeptWords
{
    std::vector<std::vector<int>> pieces;
    std::vector<int> ofToken;
    torch::Tensor heads;
    torch::Tensor counted;
    std::vector<std::string> forms;

    std::int64_t size() const { return std::ssize(pieces); }
};

KeptWords keptWords(const SentenceTree &tree, const std::vector<int> &wordOfToken)
{
    KeptWords kept;
    const auto pieces = piecesOfWords(wordOfToken, tree.size());
    std::vector<int> place(tree.size(), -1);
    for (std::size_t word = 0; word < tree.size(); ++word) {
        if (pieces[word].empty())
            continue;
        place[word] = static_cast<int>(kept.size());
        kept.pieces.push_back(pieces[word]);
        kept.forms.push_back(tree[word].form);
    }
    for (const int word : wordOfToken)
        kept.ofToken.push_back(word < 0 ? -1 : place[static_cast<std::size_t>(word)]);
    std::vector<std::int64_t> heads;
    std::vector<std::uint8_t> counted;
    for (std::size_t word = 0; word < tree.size(); ++word) {
        if (place[word] < 0)
            continue;
        const int head = tree[word].head;
        heads.push_back(head < 0 ? kept.size() : place[static_cast<std::size_t>(head)]);
        counted.push_back(tree[word].tag != "PUNCT" && heads.back() >= 0 ? 1 : 0);
    }
    kept.heads = torch::tensor(heads, torch::kInt64);
    kept.counted = torch::tensor(counted, torch::kUInt8).to(torch::kBool);
    return kept;
}

/// One-hot offsets of the head from its dependent; what is farther than kFarthest counts as that far.
torch::Tensor distanceFeatures(std::int64_t words)
{
    const auto places = torch::arange(words);
    const auto offsets = (places.unsqueeze(1) - places.unsqueeze(0)).clamp(-kFarthest, kFarthest) + kFarthest;
    return torch::one_hot(offsets, 2 * kFarthest + 1).permute({2, 0, 1}).to(torch::kFloat32).contiguous();
}

/// Makes sentences for probes of the examples of a batch.
class SentenceReader
{
public:
    /// `embeddings`: of tokens [V, E]. `vectors`: of words; null: there are none.
    SentenceReader(const AnalysisData &data, const Tokenizer *tokenizer, torch::Tensor embeddings,
                   const WordVectors *vectors)
        : m_data(data), m_tokenizer(tokenizer), m_embeddings(std::move(embeddings)), m_vectors(vectors)
    {
        for (const HeadRef &head : data.task.layout().heads()) {
            if (head.kind == data.task.textKind())
                m_heads.push_back(head);
        }
    }

    const Task &task() const { return m_data.task; }
    const std::vector<HeadRef> &heads() const { return m_heads; }
    std::int64_t features() const { return 2 * std::ssize(m_heads); }
    std::int64_t wordWidth() const { return m_embeddings.size(1); }
    std::int64_t vectorWidth() const { return m_vectors ? m_vectors->width : 0; } ///< 0: there are none
    /// The sentences that can be used.
    std::vector<std::pair<std::int64_t, SentencePair>> read(const SeenBatch &seen) const;

private:
    SentencePair sentence(const KeptWords &words, const std::vector<std::int64_t> &ids,
                          const std::vector<std::uint8_t> &real, const std::vector<HeadAttention> &attention) const;
    torch::Tensor wordVectors(const KeptWords &words, const std::vector<std::int64_t> &ids) const;
    void addVectors(const KeptWords &words, SentencePair &pair) const;

    const AnalysisData &m_data;
    const Tokenizer *m_tokenizer;
    std::vector<HeadRef> m_heads;
    torch::Tensor m_embeddings;
    const WordVectors *m_vectors;
};

std::vector<std::pair<std::int64_t, SentencePair>> SentenceReader::read(const SeenBatch &seen) const
{
    const torch::NoGradGuard noGrad;
    const Task &task = m_data.task;
    std::vector<std::vector<HeadAttention>> attention(seen.ids.size());
    AttentionBatch batch = seen.attention; // tensors are shared
    for (torch::Tensor &layer : batch.kinds.at(task.textKind()).probabilities)
        layer = layer.defined() ? layer.to(torch::kCPU, torch::kFloat32).contiguous() : layer;
    forEachHead(batch, task.layout(), AttentionMeasure::Weights,
                [&](const HeadRef &head, std::size_t row, const HeadAttention &one) {
                    if (head.kind == task.textKind())
                        attention[row].push_back(one);
                });
    std::vector<std::pair<std::int64_t, SentencePair>> sentences;
    for (std::size_t row = 0; row < seen.ids.size(); ++row) {
        const Example &example = m_data.dataset.examples[static_cast<std::size_t>(seen.ids[row])];
        if (example.tree.empty())
            continue;
        const AttentionTokens tokens = attentionTokens(batch, task.textKind(), row);
        const Encoding encoding
            = encodingOf(example, batch.textOf(row), tokens.realKeys, m_tokenizer, task.model().spec());
        const KeptWords words = keptWords(example.tree, tokensInTree(encoding, example.tree));
        if (words.size() > 1)
            sentences.emplace_back(seen.ids[row], sentence(words, tokens.keyIds, tokens.realKeys, attention[row]));
    }
    return sentences;
}

SentencePair SentenceReader::sentence(const KeptWords &words, const std::vector<std::int64_t> &ids,
                                      const std::vector<std::uint8_t> &real,
                                      const std::vector<HeadAttention> &attention) const
{
    const std::int64_t count = words.size();
    const std::int64_t heads = std::ssize(m_heads);
    ProbeSentence byAttention{torch::zeros({2 * heads, count, count}), torch::zeros({kRootFeatures, count}),
                              wordVectors(words, ids), words.heads, words.counted};
    auto root = byAttention.rootFeatures.accessor<float, 2>();
    std::vector<double> sums;
    for (std::int64_t head = 0; head < heads; ++head) {
        const HeadAttention &one = attention[static_cast<std::size_t>(head)];
        addUpWords(one, words.ofToken, words.pieces, sums);
        auto between = torch::from_blob(sums.data(), {count, count}, torch::kFloat64).to(torch::kFloat32);
        for (std::int64_t word = 0; word < count; ++word) { // rows of means over a word's pieces
            const auto &pieces = words.pieces[static_cast<std::size_t>(word)];
            between[word].div_(static_cast<double>(pieces.size()));
            const auto share = static_cast<float>(1.0 / static_cast<double>(pieces.size() * m_heads.size()));
            for (const int piece : pieces) {
                for (std::size_t key = 0; key < real.size(); ++key) {
                    if (!real[key])
                        root[key == 0 ? 0 : 1][word] += one.row(piece)[key] * share;
                }
            }
        }
        byAttention.features[head] = between;
        byAttention.features[heads + head] = between.t();
    }
    const auto places = torch::arange(count, torch::kFloat32) / static_cast<double>(count);
    ProbeSentence byDistance{distanceFeatures(count), torch::stack({torch::ones_like(places), places}),
                             byAttention.words, words.heads, words.counted};
    SentencePair pair{std::move(byAttention), std::move(byDistance), {}};
    addVectors(words, pair);
    return pair;
}

void SentenceReader::addVectors(const KeptWords &words, SentencePair &pair) const
{
    if (!m_vectors)
        return;
    pair.vectors = torch::zeros({words.size(), m_vectors->width});
    auto *row = pair.vectors.data_ptr<float>();
    const auto *counted = words.counted.data_ptr<bool>();
    for (std::size_t word = 0; word < words.forms.size(); ++word, row += m_vectors->width) {
        if (const auto *vector = m_vectors->find(words.forms[word])) {
            std::ranges::copy(*vector, row);
            pair.withVector += counted[word] ? 1 : 0;
        }
    }
}

/// Means of the embeddings of words' pieces.
torch::Tensor SentenceReader::wordVectors(const KeptWords &words, const std::vector<std::int64_t> &ids) const
{
    std::vector<torch::Tensor> vectors;
    for (const std::vector<int> &pieces : words.pieces) {
        std::vector<std::int64_t> tokens;
        for (const int piece : pieces)
            tokens.push_back(ids[static_cast<std::size_t>(piece)]);
        const auto rows = m_embeddings.index_select(0, torch::tensor(tokens, m_embeddings.device()));
        vectors.push_back(rows.to(torch::kFloat32).mean(0));
    }
    return torch::stack(vectors).to(torch::kCPU);
}

/// The guess that every word's head is this many words away; as a word's own place, or outside of the sentence, it is
/// none.
torch::Tensor atOffset(std::int64_t words, std::int64_t offset)
{
    const auto guess = torch::arange(words) + offset;
    return torch::where((guess >= 0).logical_and(guess < words), guess, torch::full_like(guess, -2));
}

/// The word that one feature has most for.
torch::Tensor byFeature(const ProbeSentence &sentence, std::int64_t feature)
{
    const auto itself = torch::eye(sentence.features.size(1), torch::kBool);
    return sentence.features[feature].masked_fill(itself, -1).argmax(0);
}

std::int64_t hits(const ProbeSentence &sentence, const torch::Tensor &guess)
{
    return guess.eq(sentence.heads).logical_and(sentence.counted).sum().item<std::int64_t>();
}

/// Ways of guessing that are trained together on one model's attention, and what is counted meanwhile to choose
/// baselines.
class ProbeComparison
{
public:
    ProbeComparison(const ProbeSpec &spec, const SentenceReader &reader, std::vector<ProbeKind> kinds)
        : m_reader(reader), m_kinds(std::move(kinds)), m_featureHits(static_cast<std::size_t>(reader.features()))
    {
        for (const ProbeKind kind : m_kinds) {
            if (const auto shape = shapeOf(kind))
                m_probes.emplace(kind, TreeProbe(shape->features, kRootFeatures, shape->words, spec.learningRate));
        }
        for (std::int64_t offset = -kFarthest; offset <= kFarthest; ++offset)
            m_offsetHits[offset] = 0;
    }

    const std::vector<ProbeKind> &kinds() const { return m_kinds; }

    void learn(const SentencePair &sentence)
    {
        for (auto &[kind, probe] : m_probes)
            (void)probe.learn(inputOf(kind, sentence));
    }
    /// Baselines have nothing to learn but which of them is best.
    void count(const SentencePair &sentence)
    {
        for (std::size_t feature = 0; feature < m_featureHits.size(); ++feature)
            m_featureHits[feature]
                += hits(sentence.byAttention, byFeature(sentence.byAttention, static_cast<std::int64_t>(feature)));
        for (auto &[offset, found] : m_offsetHits)
            found += hits(sentence.byAttention, atOffset(sentence.byAttention.heads.size(0), offset));
    }

    torch::Tensor guess(ProbeKind kind, const SentencePair &sentence) const
    {
        const std::int64_t words = sentence.byAttention.heads.size(0);
        switch (kind) {
        case ProbeKind::BestHead:
            return byFeature(sentence.byAttention, bestFeature());
        case ProbeKind::FixedOffset:
            return atOffset(words, bestOffset());
        case ProbeKind::Previous:
            return atOffset(words, -1);
        case ProbeKind::Next:
            return atOffset(words, 1);
        default:
            return m_probes.at(kind).guess(inputOf(kind, sentence));
        }
    }

    ProbeScore describe(ProbeKind kind) const
    {
        ProbeScore score{.kind = kind, .chosen = {}};
        if (kind == ProbeKind::BestHead) {
            const std::int64_t heads = std::ssize(m_reader.heads());
            score.chosen = toText(m_reader.heads()[static_cast<std::size_t>(bestFeature() % heads)])
                         + (bestFeature() < heads ? ", head to dependent" : ", dependent to head");
        } else if (kind == ProbeKind::FixedOffset) {
            score.chosen = fmt::format("{:+}", bestOffset());
        }
        if (const auto probe = m_probes.find(kind); probe != m_probes.end())
            score.weights = probe->second.weightCount();
        return score;
    }

    void fillWeights(ProbeResult &result) const
    {
        const TreeProbe &attention = m_probes.at(ProbeKind::Attention);
        const auto weight = attention.weights().detach();
        const std::int64_t heads = std::ssize(m_reader.heads());
        for (std::int64_t i = 0; i < heads; ++i)
            result.heads.push_back({m_reader.heads()[static_cast<std::size_t>(i)], weight[heads + i].item<double>(),
                                    weight[i].item<double>()});
        result.rootFirst = attention.rootWeights()[0].item<double>();
        result.rootLast = attention.rootWeights()[1].item<double>();
    }

private:
    struct Shape
    {
        std::int64_t features = 0;
        std::int64_t words = 0; ///< numbers of a word; 0: weights do not depend on words
    };
    /// Nothing for what is not trained.
    std::optional<Shape> shapeOf(ProbeKind kind) const
    {
        constexpr std::int64_t kDistances = 2 * kFarthest + 1;
        switch (kind) {
        case ProbeKind::Attention:
        case ProbeKind::RandomAttention:
            return Shape{m_reader.features(), 0};
        case ProbeKind::AttentionWords:
            return Shape{m_reader.features(), m_reader.wordWidth()};
        case ProbeKind::DistanceWords:
            return Shape{kDistances, m_reader.wordWidth()};
        case ProbeKind::AttentionVectors:
            return Shape{m_reader.features(), m_reader.vectorWidth()};
        case ProbeKind::DistanceVectors:
            return Shape{kDistances, m_reader.vectorWidth()};
        case ProbeKind::RandomWords:
            return Shape{m_reader.features(),
                         m_reader.vectorWidth() > 0 ? m_reader.vectorWidth() : m_reader.wordWidth()};
        default:
            return std::nullopt;
        }
    }
    static ProbeSentence inputOf(ProbeKind kind, const SentencePair &sentence)
    {
        const bool byDistance = kind == ProbeKind::DistanceWords || kind == ProbeKind::DistanceVectors;
        ProbeSentence input = byDistance ? sentence.byDistance : sentence.byAttention; // tensors are shared
        const bool byVectors = kind == ProbeKind::AttentionVectors || kind == ProbeKind::DistanceVectors
                            || (kind == ProbeKind::RandomWords && sentence.vectors.defined());
        if (byVectors)
            input.words = sentence.vectors;
        return input;
    }
    std::int64_t bestFeature() const { return std::ranges::max_element(m_featureHits) - m_featureHits.begin(); }
    std::int64_t bestOffset() const
    {
        return std::ranges::max_element(m_offsetHits, {}, [](const auto &one) { return one.second; })->first;
    }

    const SentenceReader &m_reader;
    std::vector<ProbeKind> m_kinds;
    std::map<ProbeKind, TreeProbe> m_probes;
    std::vector<std::int64_t> m_featureHits;
    std::map<std::int64_t, std::int64_t> m_offsetHits;
};

/// Which examples are trained on and which are judged; ascending.
struct Split
{
    std::vector<std::int64_t> trained;
    std::vector<std::int64_t> judged;
};

std::vector<std::int64_t> allOf(const AnalysisData &data)
{
    std::vector<std::int64_t> ids;
    for (std::int64_t id = 0; id < data.task.size(); ++id)
        ids.push_back(id);
    return ids;
}

Split splitOf(const AnalysisData &data, const std::optional<AnalysisData> &second, const ProbeSpec &spec)
{
    std::vector<std::int64_t> ids = allOf(data);
    if (second)
        return {allOf(*second), std::move(ids)};
    Random random(spec.run.seed);
    shuffle(ids, random);
    const auto judged = std::clamp<std::ptrdiff_t>(std::lround(spec.testShare * static_cast<double>(ids.size())), 1,
                                                   std::max<std::ptrdiff_t>(1, std::ssize(ids) - 1));
    Split split{{ids.begin() + judged, ids.end()}, {ids.begin(), ids.begin() + judged}};
    std::ranges::sort(split.trained);
    std::ranges::sort(split.judged);
    return split;
}

void requireTrees(const AnalysisData &data)
{
    if (std::ranges::none_of(data.dataset.examples, [](const Example &example) { return !example.tree.empty(); }))
        throw Failure(badInput(fmt::format(
            "{} has no dependency trees, which probes are trained to find: give them by --conllu.", data.name)));
}

/// All words of the trees.
std::set<std::string> wordsOf(std::initializer_list<const Dataset *> datasets)
{
    std::set<std::string> words;
    for (const Dataset *dataset : datasets) {
        for (const Example &example : dataset->examples) {
            for (const TreeWord &word : example.tree)
                words.insert(word.form);
        }
    }
    return words;
}

/// Accuracy of trained probes, and of how much.
struct Judged
{
    std::map<ProbeKind, StatisticsTable> tables; ///< a row per judged sentence: words whose head was found, words
    std::int64_t trained = 0;                    ///< sentences
    std::int64_t examples = 0;
    std::int64_t words = 0;
    std::int64_t withVector = 0;
};

using Sentences = std::vector<std::pair<std::int64_t, SentencePair>>;

/// Returns the number of sentences that probes were trained on.
std::int64_t train(ProbeComparison &comparison, const SentenceReader &reader, const std::vector<std::int64_t> &examples,
                   const ProbeSpec &spec, const JobControl &control)
{
    std::int64_t trained = 0;
    for (std::int64_t epoch = 0; epoch < spec.epochs; ++epoch) {
        const AttentionPass pass(reader.task(), {.run = spec.run, .mask = spec.mask, .examples = examples},
                                 kPhaseTrainingProbes, control);
        pass.run([&](const SeenBatch &seen) { return reader.read(seen); },
                 [&](const Sentences &sentences) {
                     for (const auto &[id, sentence] : sentences) {
                         comparison.learn(sentence);
                         if (epoch == 0) {
                             comparison.count(sentence);
                             ++trained;
                         }
                     }
                 });
    }
    return trained;
}

Judged trainAndJudge(ProbeComparison &comparison, const SentenceReader &trainingReader, const SentenceReader &reader,
                     const Split &split, const ProbeSpec &spec, const JobControl &control)
{
    Judged judged;
    judged.trained = train(comparison, trainingReader, split.trained, spec, control);
    for (const ProbeKind kind : comparison.kinds())
        judged.tables.emplace(kind, StatisticsTable(split.judged.size(), 2));
    const AttentionPass pass(reader.task(), {.run = spec.run, .mask = spec.mask, .examples = split.judged},
                             kPhaseJudgingProbes, control);
    pass.run([&](const SeenBatch &seen) { return reader.read(seen); },
             [&](const Sentences &sentences) {
                 for (const auto &[id, sentence] : sentences) {
                     const auto row
                         = static_cast<std::size_t>(std::ranges::lower_bound(split.judged, id) - split.judged.begin());
                     const auto words = sentence.byAttention.counted.sum().item<std::int64_t>();
                     ++judged.examples;
                     judged.words += words;
                     judged.withVector += sentence.withVector;
                     for (auto &[kind, table] : judged.tables) {
                         table.row(row)[0]
                             = static_cast<double>(hits(sentence.byAttention, comparison.guess(kind, sentence)));
                         table.row(row)[1] = static_cast<double>(words);
                     }
                 }
             });
    return judged;
}

void addScores(const ProbeComparison &comparison, const Judged &judged, const ProbeSpec &spec, ProbeResult &result)
{
    const AttachmentScore uas;
    for (const ProbeKind kind : comparison.kinds()) {
        ProbeScore score = comparison.describe(kind);
        score.accuracy = uas.scoreOf(judged.tables.at(kind));
        if (spec.resamples > 0)
            score.interval = bootstrapInterval(judged.tables.at(kind), uas, spec.resamples, spec.run.seed);
        result.probes.push_back(std::move(score));
    }
}

/// Probes of the heads of a data set, and those of a model of random weights that they are compared with.
class Probing
{
public:
    /// Keeps references.
    Probing(const ProbeSpec &spec, AnalysisInput &input, const JobControl &control)
        : m_spec(spec), m_input(input), m_control(control), m_judged(input.data()), m_second(input.second()),
          m_trained(m_second.value_or(m_judged)), m_split(splitOf(m_judged, m_second, spec))
    {
        requireTrees(m_judged);
        requireTrees(m_trained);
        const Transformer &model = m_judged.task.model();
        m_embeddings = (model.spec().encoder ? model.weights().encoder : model.weights().decoder).embedding;
    }

    ProbeResult run(Manifest manifest)
    {
        ProbeResult result;
        result.manifest = std::move(manifest);
        result.epochs = m_spec.epochs;
        result.learningRate = m_spec.learningRate;
        result.trainedOn = m_second ? m_second->name : std::string();
        std::vector<ProbeKind> kinds{ProbeKind::Attention, ProbeKind::AttentionWords, ProbeKind::DistanceWords,
                                     ProbeKind::BestHead,  ProbeKind::FixedOffset,    ProbeKind::Previous,
                                     ProbeKind::Next};
        if (!m_spec.vectors.empty()) {
            readVectors(result);
            kinds.insert(kinds.end(), {ProbeKind::AttentionVectors, ProbeKind::DistanceVectors});
        }
        addOwn(kinds, result);
        if (m_spec.randomModel)
            addRandom(result);
        return result;
    }

private:
    void readVectors(ProbeResult &result)
    {
        m_control.progress({kPhaseWordVectors, "files", 0, 1});
        m_vectors = readWordVectors(m_spec.vectors, wordsOf({&m_judged.dataset, &m_trained.dataset}), m_control)
                        .valueOrThrow();
        result.vectors = m_spec.vectors;
        result.vectorWidth = m_vectors->width;
    }

    SentenceReader readerOf(const AnalysisData &data) const
    {
        return {data, m_input.tokenizer(), m_embeddings, m_vectors ? &*m_vectors : nullptr};
    }

    void addOwn(const std::vector<ProbeKind> &kinds, ProbeResult &result) const
    {
        const SentenceReader training = readerOf(m_trained);
        ProbeComparison comparison(m_spec, training, kinds);
        const Judged own = trainAndJudge(comparison, training, readerOf(m_judged), m_split, m_spec, m_control);
        result.trained = own.trained;
        result.examples = own.examples;
        result.words = own.words;
        result.wordsWithVector = own.withVector;
        if (result.trained == 0 || result.words == 0)
            throw Failure(
                badInput("There is no sentence to train or evaluate probes on: the words of the trees were not found "
                         "among the tokens."));
        result.left = std::ssize(m_split.trained) + std::ssize(m_split.judged) - result.trained - result.examples;
        addScores(comparison, own, m_spec, result);
        comparison.fillWeights(result);
    }

    void addRandom(ProbeResult &result) const
    {
        const auto random = withRandomWeights(m_judged.task.model(), m_spec.run.seed);
        const auto judgedTask = m_input.taskOf(random, false, m_control);
        const auto trainedTask = m_second ? m_input.taskOf(random, true, m_control) : judgedTask;
        const AnalysisData judged{*judgedTask, m_judged.dataset, m_judged.name, m_judged.hash};
        const AnalysisData trained{*trainedTask, m_trained.dataset, m_trained.name, m_trained.hash};
        const SentenceReader training = readerOf(trained);
        ProbeComparison baseline(m_spec, training, {ProbeKind::RandomAttention, ProbeKind::RandomWords});
        addScores(baseline, trainAndJudge(baseline, training, readerOf(judged), m_split, m_spec, m_control), m_spec,
                  result);
    }

    const ProbeSpec &m_spec;
    AnalysisInput &m_input;
    const JobControl &m_control;
    AnalysisData m_judged;
    std::optional<AnalysisData> m_second;
    AnalysisData m_trained;
    Split m_split;
    torch::Tensor m_embeddings;
    std::optional<WordVectors> m_vectors;
};

} // namespace

ProbeResult AnalysisOf<ProbeSpec>::compute(const ProbeSpec &spec, AnalysisInput &input, Manifest manifest,
                                           const JobControl &control, const Publish<ProbeResult> &)
{
    return Probing(spec, input, control).run(std::move(manifest));
}

std::string AnalysisOf<ProbeSpec>::contents(const ProbeSpec &spec, const Dataset &dataset, const JobControl &control)
{
    // A file of vectors is what is in it, whatever its name.
    return dataset.treesHash + (spec.vectors.empty() ? std::string() : hashFile(spec.vectors, control).valueOrThrow());
}

} // namespace headscope
