// Relevance over data sets: shares and their averages, masks, what the decoder is made to say; and the real models
// where they are at hand.
#include "core/analysis/evaluationspec.h"
#include "core/analysis/relevance.h"
#include "core/analysis/relevancespec.h"
#include "core/data/dataset.h"
#include "core/exporting/csv.h"
#include "core/model/loadmodel.h"
#include "core/results/json.h"
#include "core/results/relevanceresult.h"
#include "core/results/results.h"
#include "core/session/session.h"
#include "core/tokenize/tokenizer.h"
#include "tests/support/opentask.h"
#include "tests/support/shareddata.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinymodel.h"
#include "tests/support/tinyspecs.h"

#include <QTemporaryDir>
#include <QTest>
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

using namespace headscope;
using namespace headscope::testing;

namespace {

constexpr RelevanceRule kRules[]
    = {RelevanceRule::AlphaBeta, RelevanceRule::Epsilon, RelevanceRule::AttnLrp, RelevanceRule::CpLrp};

/// Sum of the heads' shares by layer.
std::map<std::pair<HeadKind, int>, double> layerSums(const RelevanceResult &result)
{
    std::map<std::pair<HeadKind, int>, double> sums;
    for (const HeadRelevance &head : result.heads)
        sums[{head.head.kind, head.head.layer}] += head.relevance;
    return sums;
}

double largestDifference(const RelevanceResult &a, const RelevanceResult &b)
{
    double largest = std::abs(a.conserved - b.conserved);
    for (std::size_t i = 0; i < a.heads.size(); ++i)
        largest = std::max({largest, std::abs(a.heads[i].relevance - b.heads[i].relevance),
                            std::abs(a.heads[i].standardError - b.heads[i].standardError)});
    for (std::size_t i = 0; i < a.contributions.size(); ++i)
        largest = std::max(largest, std::abs(a.contributions[i].source - b.contributions[i].source));
    return largest;
}

double sumOf(const std::vector<double> &values)
{
    return std::accumulate(values.begin(), values.end(), 0.0);
}

RelevanceSpec specOf(RelevanceRule rule)
{
    RelevanceSpec spec;
    spec.rule = rule;
    return spec;
}

} // namespace

class TestRelevance : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    DataSource m_pairs;
    std::shared_ptr<const Task> m_translation;
    std::shared_ptr<const Task> m_unreferenced; ///< the same sources
    std::shared_ptr<const Task> m_classification;

    std::filesystem::path path(const char *name) const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    static RelevanceResult compute(const Task &task, const RelevanceSpec &spec)
    {
        return relevance(task, spec, {}, {}, {});
    }

private Q_SLOTS:
    void initTestCase()
    {
        writeTinyModel(path("model"));
        writeTinyCorpus(path("src"), path("ref"), 40, 3);
        m_pairs.source = path("src");
        m_unreferenced = openTask(path("model"), m_pairs);
        m_pairs.reference = path("ref");
        m_translation = openTask(path("model"), m_pairs);
        writeTinyClassifier(path("bert"));
        writeTinyTable(path("table.tsv"), 30, 5);
        DataSource table;
        table.table = path("table.tsv");
        m_classification = openTask(path("bert"), table);
    }

    void sharesOfALayerSumToOne()
    {
        for (const auto &task : {m_translation, m_classification}) {
            for (const RelevanceRule rule : kRules) {
                for (const bool isSigned : {false, true}) {
                    RelevanceSpec spec = specOf(rule);
                    spec.signedShares = isSigned;
                    const auto result = compute(*task, spec);
                    QCOMPARE(result.absolute, rule != RelevanceRule::AlphaBeta && !isSigned);
                    QCOMPARE(result.examples, task->size());
                    QCOMPARE(std::ssize(result.heads), task->layout().size());
                    for (const auto &[where, sum] : layerSums(result))
                        QVERIFY(std::abs(sum - 1) < (isSigned ? 1e-6 : 1e-9));
                    for (const HeadRelevance &head : result.heads)
                        QVERIFY(isSigned || (head.relevance >= 0 && head.standardError > 0));
                    if (rule == RelevanceRule::AlphaBeta)
                        QVERIFY(std::abs(result.conserved - 1) < 1e-5 && result.largestDeviation < 1e-5);
                }
            }
        }
    }

    void sentencesSumUpToTheWhole()
    {
        for (const RelevanceRule rule : kRules) {
            RelevanceSpec spec = specOf(rule);
            spec.sentences = true;
            const auto result = compute(*m_translation, spec);
            QCOMPARE(std::ssize(result.sentences), m_translation->size());
            QCOMPARE(result.prefix, std::string("reference"));
            std::vector<double> means(result.heads.size());
            std::int64_t steps = 0;
            std::vector<double> sourceShare(32), examples(32);
            for (std::size_t i = 0; i < result.sentences.size(); ++i) {
                const ExampleRelevance &one = result.sentences[i];
                QCOMPARE(one.index, static_cast<std::int64_t>(i));
                QCOMPARE(std::ssize(one.source), one.steps);
                for (std::size_t k = 0; k < one.source.size(); ++k) {
                    QCOMPARE(one.prefix[k].size(), k + 1);
                    QVERIFY(std::abs(sumOf(one.source[k]) + sumOf(one.prefix[k]) - 1) < 1e-9);
                    sourceShare[k] += sumOf(one.source[k]);
                    examples[k] += 1;
                }
                for (std::size_t h = 0; h < means.size(); ++h)
                    means[h] += one.heads[h] * static_cast<double>(one.steps);
                steps += one.steps;
            }
            QCOMPARE(result.steps, steps);
            for (std::size_t h = 0; h < means.size(); ++h)
                QVERIFY(std::abs(means[h] / static_cast<double>(steps) - result.heads[h].relevance) < 1e-9);
            // The curve begins where there is a prefix, and rests on ever fewer sentences.
            QVERIFY(result.contributions.size() > 3);
            for (std::size_t i = 0; i < result.contributions.size(); ++i) {
                const ContributionPoint &point = result.contributions[i];
                QCOMPARE(point.position, static_cast<std::int64_t>(i) + 1);
                QCOMPARE(static_cast<double>(point.examples), examples[i + 1]);
                QVERIFY(std::abs(point.source - sourceShare[i + 1] / examples[i + 1]) < 1e-9);
                QVERIFY(point.sourceEntropy >= 0 && point.prefixEntropy <= std::log(static_cast<double>(i) + 2) + 1e-9);
            }
        }
    }

    // One example by itself is what it is among all of them, and its tokens are spelt.
    void oneExampleHasItsTokens()
    {
        const auto session = Session::open(path("model"), {.threads = 1}, {}).valueOrThrow();
        (void)session->setData(Domain::In, m_pairs, {}).valueOrThrow();
        constexpr std::int64_t kExample = 7;
        const RelevanceSpec spec{.example = kExample};
        const RelevanceResult result = session->run(Domain::In, spec, {}).valueOrThrow();
        const RelevanceResult whole = compute(*m_translation, {.sentences = true});
        QCOMPARE(result.examples, 1);
        QCOMPARE(result.sentences.size(), 1U);
        const ExampleRelevance &one = result.sentences.front();
        const ExampleRelevance &among = whole.sentences[kExample];
        QCOMPARE(one.index, kExample);
        QCOMPARE(one.source, among.source);
        QCOMPARE(one.prefix, among.prefix);
        QCOMPARE(one.heads, among.heads);
        QCOMPARE(one.sourceTokens.size(), one.source.front().size());
        QCOMPARE(one.prefixTokens.size(), one.prefix.back().size());
        QCOMPARE(std::ssize(one.targets), one.steps);
        QVERIFY(one.sourceTokens.front().starts_with("\u2581")); // the first piece of a word
        QVERIFY(among.targets.empty());
        const std::string csv = toCsv(result);
        std::size_t shares = 0;
        for (std::size_t step = 0; step < one.source.size(); ++step)
            shares += one.source[step].size() + one.prefix[step].size();
        QCOMPARE(static_cast<std::size_t>(std::ranges::count(csv, '\n')), 1 + shares);
        const auto refused = session->run(Domain::In, RelevanceSpec{.example = m_translation->size()}, {});
        QVERIFY(refused.isError() && refused.error().message.find("--example") != std::string::npos);
    }

    void aClassifiersTokensContributeToItsLabel()
    {
        const auto session = Session::open(path("bert"), {.threads = 1}, {}).valueOrThrow();
        DataSource table;
        table.table = path("table.tsv");
        (void)session->setData(Domain::In, table, {}).valueOrThrow();
        const auto outputs
            = session->run(Domain::In, EvaluationSpec{.outputs = true, .resamples = 0}, {}).valueOrThrow().outputs;
        for (const std::int64_t example : {0, 5, 9}) {
            const auto result = session->run(Domain::In, RelevanceSpec{.example = example}, {}).valueOrThrow();
            const ExampleRelevance &one = result.sentences.front();
            QCOMPARE(one.targets, std::vector<std::string>{outputs[static_cast<std::size_t>(example)].text});
            QCOMPARE(one.sourceTokens.front(), std::string("[CLS]"));
            QCOMPARE(one.sourceTokens.size(), one.source.front().size());
            QVERIFY(one.prefixTokens.empty() && one.prefix.empty());
        }
    }

    void classifiersHaveOneStepAndNoPrefix()
    {
        RelevanceSpec spec;
        spec.sentences = true;
        const auto result = compute(*m_classification, spec);
        QCOMPARE(result.steps, m_classification->size());
        QVERIFY(result.prefix.empty() && result.contributions.empty());
        for (const ExampleRelevance &one : result.sentences) {
            QCOMPARE(one.source.size(), 1U);
            QVERIFY(std::abs(sumOf(one.source.front()) - 1) < 1e-9 && one.prefix.empty());
        }
        QCOMPARE(result.sentences[0].heads.size(), result.heads.size());
    }

    /// Every token that counts is traced once, but a text's first.
    void languageModelsHaveAPrefixOnly()
    {
        Dataset data;
        data.name = "ids";
        std::int64_t counted = 0;
        for (const std::int64_t length : {5, 20, 9}) {
            Example &example = data.examples.emplace_back();
            for (std::int64_t i = 0; i < length; ++i)
                example.inputIds.push_back(3 + (7 * i + length) % 30);
            example.contextTokens = length == 20 ? 12 : 0;
            counted += length - std::max<std::int64_t>(1, example.contextTokens);
        }
        for (const NamedSpec &named : causalSpecs()) {
            const auto task = makeTask({randomModel(named.spec, 3), nullptr, Execution()}, data, {}).valueOrThrow();
            for (const RelevanceRule rule : kRules) {
                RelevanceSpec spec = specOf(rule);
                spec.sentences = true;
                const auto result = compute(*task, spec);
                QCOMPARE(result.steps, counted);
                QVERIFY(result.prefix.empty() && result.contributions.empty());
                for (const auto &[where, sum] : layerSums(result)) // layers that have heads
                    QVERIFY(std::abs(sum - 1) < 1e-9);
                for (const ExampleRelevance &one : result.sentences) {
                    QVERIFY(one.source.empty());
                    QCOMPARE(std::ssize(one.prefix), one.steps);
                    QCOMPARE(std::ssize(one.prefix.back()), std::ssize(task->examples().prefix(one.index)));
                    for (const auto &shares : one.prefix)
                        QVERIFY(std::abs(sumOf(shares) - 1) < 1e-9);
                }
            }
        }
    }

    void encodersWithoutClassifierAreRefused()
    {
        Dataset data;
        data.examples.emplace_back().inputIds = {3, 4, 5};
        TransformerSpec bare = maskedSpecs().front().spec;
        bare.maskedLm.reset();
        const auto task = makeTask({randomModel(bare, 3), nullptr, Execution()}, data, {}).valueOrThrow();
        QVERIFY_EXCEPTION_THROWN(compute(*task, {}), Failure);
    }

    void withoutReferencesTheModelSpeaks()
    {
        const auto none = compute(*m_unreferenced, {});
        QCOMPARE(none.prefix, std::string("own output"));
        RelevanceSpec spec;
        spec.ownOutput = true;
        QVERIFY(largestDifference(none, compute(*m_translation, spec)) < 1e-12);
        QVERIFY(largestDifference(none, compute(*m_translation, {})) > 1e-6);
        // What it says is the greedy output, whatever the model's own number of beams.
        spec.run.decoding.beams = 3;
        QVERIFY(largestDifference(none, compute(*m_translation, spec)) < 1e-12);
        const auto outputs = [&] {
            RunOptions run;
            run.decoding.beams = 1;
            std::vector<std::int64_t> ids(static_cast<std::size_t>(m_translation->size()));
            std::iota(ids.begin(), ids.end(), 0);
            return m_translation->plainOutputs(ids, HeadMask(), run, false, {});
        }();
        std::size_t tokens = 0;
        for (const ExampleOutput &output : outputs)
            tokens += output.tokens.size();
        QCOMPARE(static_cast<std::size_t>(none.steps), tokens);
    }

    void threadsAndOrderChangeNothing()
    {
        const auto withThreads = [&](int threads) {
            return openTask(path("model"), m_pairs, Execution(torch::kCPU, torch::kFloat32, threads));
        };
        for (const RelevanceRule rule : {RelevanceRule::AlphaBeta, RelevanceRule::AttnLrp}) {
            const auto one = compute(*withThreads(1), specOf(rule));
            const auto three = compute(*withThreads(3), specOf(rule));
            QCOMPARE(largestDifference(one, three), 0.0);
            RelevanceSpec other = specOf(rule); // sentences in another order
            other.run.seed = 99;
            other.run.batchTokens = 7;
            QVERIFY(largestDifference(one, compute(*m_translation, other)) < 1e-9);
        }
    }

    void maskedHeadsHaveNone()
    {
        HeadMask mask{{HeadKind::Encoder, 0, 2}, {HeadKind::Decoder, 1, 0}};
        for (int head = 0; head < 4; ++head)
            mask.set({HeadKind::Cross, 0, head}, true);
        for (const RelevanceRule rule : kRules) {
            RelevanceSpec spec = specOf(rule);
            spec.mask = mask;
            spec.sentences = true;
            const auto result = compute(*m_translation, spec);
            for (std::size_t i = 0; i < result.heads.size(); ++i) {
                QCOMPARE(result.heads[i].relevance == 0, mask.isMasked(result.heads[i].head));
                QVERIFY(std::isfinite(result.heads[i].standardError));
                QCOMPARE(result.sentences[3].heads[i] == 0, mask.isMasked(result.heads[i].head));
            }
            for (const auto &[where, sum] : layerSums(result))
                QVERIFY(std::abs(sum - (where == std::pair(HeadKind::Cross, 0) ? 0 : 1)) < 1e-9);
        }
        // Everything masked: only embeddings and feed-forwards are left.
        RelevanceSpec spec;
        spec.mask = HeadMask(m_translation->layout().heads());
        const auto result = compute(*m_translation, spec);
        for (const HeadRelevance &head : result.heads)
            QCOMPARE(head.relevance, 0.0);
        QVERIFY(result.largestDeviation < 1e-5);
        for (const ContributionPoint &point : result.contributions)
            QVERIFY(point.source < 1e-12 && std::isfinite(point.sourceEntropy));
    }

    void theOnlyHeadOfALayerHasAll()
    {
        TinyModel model;
        model.heads = 1;
        writeTinyModel(path("single"), model);
        DataSource data;
        data.source = path("src");
        data.limit = 6;
        const auto task = openTask(path("single"), data);
        for (const RelevanceRule rule : kRules) {
            for (const HeadRelevance &head : compute(*task, specOf(rule)).heads)
                QVERIFY(std::abs(head.relevance - 1) < 1e-12 && head.standardError < 1e-9);
        }
    }

    void constantAttentionIsAnOption()
    {
        RelevanceSpec spec;
        spec.attentionConstant = true;
        QVERIFY(largestDifference(compute(*m_translation, spec), compute(*m_translation, {})) > 1e-4);
        spec.rule = RelevanceRule::AttnLrp;
        QVERIFY_EXCEPTION_THROWN(compute(*m_translation, spec), Failure);
        spec = {};
        spec.absolute = spec.signedShares = true;
        QVERIFY_EXCEPTION_THROWN(compute(*m_translation, spec), Failure);
    }

    void cancelsAndPublishes()
    {
        std::stop_source stop;
        std::atomic<int> told = 0;
        const JobControl control(stop.get_token(), [&](const Progress &progress) {
            QCOMPARE(progress.total, std::int64_t(40));
            if (++told == 5)
                stop.request_stop();
        });
        QVERIFY_EXCEPTION_THROWN(relevance(*m_translation, {}, {}, control, {}), Cancelled);
        QVERIFY(told < 40);
        std::int64_t published = 0;
        const auto result = relevance(*m_translation, {}, {}, {}, [&](const RelevanceResult &partial) {
            published = partial.examples;
            QVERIFY(std::abs(layerSums(partial).begin()->second - 1) < 1e-9);
        });
        QVERIFY(published > 0 && published <= result.examples);
    }

    void sessionsRememberAndNameTheCommand()
    {
        const auto session = Session::open(path("model"), {.threads = 1}, {}).valueOrThrow();
        DataSource data;
        data.source = path("src");
        data.limit = 8;
        QVERIFY(session->setData(Domain::In, data, {}).isOk());
        RelevanceSpec spec = specOf(RelevanceRule::CpLrp);
        spec.ownOutput = true;
        const auto first = session->run<RelevanceSpec>(Domain::In, spec, {}).valueOrThrow();
        QVERIFY(first.manifest.command.find("headscope-cli relevance") == 0);
        for (const char *part : {"--rule cp-lrp", "--own-output", "--absolute", "--limit 8"})
            QVERIFY2(first.manifest.command.find(part) != std::string::npos, first.manifest.command.c_str());
        QCOMPARE(first.manifest.examples, std::int64_t(8));
        // The same numbers, asked for otherwise.
        spec.absolute = true;
        const auto second = session->run<RelevanceSpec>(Domain::In, spec, {}).valueOrThrow();
        QCOMPARE(second.manifest.seconds, first.manifest.seconds);
        const auto read
            = *resultFromJson(nlohmann::json::parse(toJson(first).dump()), "text").value().as<RelevanceResult>();
        QCOMPARE(largestDifference(read, first), 0.0);
        spec.signedShares = true;
        QVERIFY(session->run<RelevanceSpec>(Domain::In, spec, {}).isError());
    }

    void realModels()
    {
        const auto translator = sharedData("models/marian-multi30k-en-fr");
        const auto classifier = sharedData("models/bert-sst2-mini");
        if (translator.empty() || classifier.empty())
            QSKIP("The real models are not here: set HEADSCOPE_SHARED to the folder that holds models/ and data/.");
        DataSource parallel;
        parallel.source = sharedData("data/multi30k/test_2016_flickr.en.gz");
        parallel.reference = sharedData("data/multi30k/test_2016_flickr.fr.gz");
        parallel.limit = 5;
        DataSource table;
        table.table = sharedData("data/sst2/dev.tsv");
        table.limit = 5;
        for (const auto &task : {openTask(translator, parallel), openTask(classifier, table)}) {
            for (const RelevanceRule rule : kRules) {
                const auto result = compute(*task, specOf(rule));
                QCOMPARE(result.examples, std::int64_t(5));
                for (const HeadRelevance &head : result.heads)
                    QVERIFY(std::isfinite(head.relevance) && head.relevance >= 0 && head.relevance <= 1);
                for (const auto &[where, sum] : layerSums(result))
                    QVERIFY(std::abs(sum - 1) < 1e-9);
                if (rule == RelevanceRule::AlphaBeta)
                    QVERIFY(result.largestDeviation < 1e-5);
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestRelevance)
#include "tst_relevance.moc"
