// Patching, Shapley values and interactions of heads: against single evaluations from scratch, and what must hold of
// models that are built for it.
#include "core/analysis/interactions.h"
#include "core/analysis/patching.h"
#include "core/analysis/shapley.h"
#include "core/metrics/pairedtests.h"
#include "core/task/patchedruns.h"
#include "core/task/patchingpairs.h"
#include "tests/support/decidingheads.h"
#include "tests/support/opentask.h"
#include "tests/support/rewrittentensors.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinylanguagemodel.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

namespace {

/// Head 1 of layer 0 made the same as head 0, and nothing of head 2 let through.
void buildIn(const fs::path &folder, std::int64_t width)
{
    rewriteTensors(folder, [&](const std::string &name, torch::Tensor &tensor) {
        if (name.find("layer.0.attention.self.") != std::string::npos)
            tensor.narrow(0, width, width).copy_(tensor.narrow(0, 0, width).clone());
        if (name.find("layer.0.attention.output.dense.weight") != std::string::npos) {
            tensor.narrow(1, width, width).copy_(tensor.narrow(1, 0, width).clone());
            tensor.narrow(1, 2 * width, width).zero_();
        }
    });
}

struct Opened
{
    std::shared_ptr<const Task> task;
    std::shared_ptr<const Tokenizer> tokenizer;
    Dataset dataset;
};

Opened opened(const fs::path &folder, const fs::path &table)
{
    DataSource source;
    source.table = table.string();
    const LoadedModel model = loadModel(folder, torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
    return {openTask(folder, source), openTokenizer(folder, model.config).valueOrThrow(),
            readDataset(source, {}).valueOrThrow()};
}

Result<PatchingPairs> pairsOf(const Opened &of)
{
    return patchingPairs(of.task->model().spec(), of.tokenizer.get(), of.dataset, {});
}

RunOptions byLoss()
{
    RunOptions run;
    run.metric = "loss";
    return run;
}

/// Scores of masks, each by an evaluation from scratch.
class Scores
{
public:
    explicit Scores(const Task &task) : m_task(task) { }

    double under(const HeadMask &mask)
    {
        const std::string key = toText(mask);
        if (const auto known = m_known.find(key); known != m_known.end())
            return known->second;
        std::vector<std::int64_t> ids(static_cast<std::size_t>(m_task.size()));
        std::iota(ids.begin(), ids.end(), 0);
        const std::size_t metric = m_task.primaryMetric(byLoss());
        StatisticsTable table;
        appendStatistics(m_task, metric, m_task.plainOutputs(ids, mask, byLoss(), false, {}), table);
        return m_known[key] = m_task.metrics()[metric]->scoreOf(table);
    }

private:
    const Task &m_task;
    std::map<std::string, double> m_known;
};

HeadRef encoderHead(int layer, int head)
{
    return {HeadKind::Encoder, layer, head};
}

} // namespace

class TestCausal : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    fs::path path(const char *name) const { return fs::path(m_folder.path().toStdString()) / name; }
    /// Pairs for the tiny language models; `mask`: where the answer stands in their middle.
    void writePairs(const char *name, const std::string &mask = {}) const
    {
        std::ofstream out(path(name));
        const char *subjects[][2] = {{"man", "girls"}, {"dog", "film"}, {"park", "man"}};
        for (const auto &subject : subjects) {
            for (const char *place : {"park", "film"}) {
                const auto text = [&](const char *of) {
                    return std::string("the ") + of + (mask.empty() ? "" : " " + mask) + " in the red " + place;
                };
                out << "{\"clean\": \"" << text(subject[0]) << "\", \"corrupt\": \"" << text(subject[1])
                    << "\", \"answer\": \"runs\", \"wrong_answer\": \"good\"}" << '\n';
            }
        }
    }
    /// Three texts so many times, which a model of decidingheads.h is right about.
    void writeOnes(const char *name, int times) const
    {
        std::ofstream out(path(name));
        out << "sentence\tlabel\n";
        for (int i = 0; i < times; ++i)
            out << "the good film\t1\na dull park\t1\nbad\t1\n";
    }
    static PatchResult patched(const Opened &of, const PatchSpec &spec)
    {
        const PatchingPairs pairs = pairsOf(of).valueOrThrow();
        return patch(*of.task, pairs, spec, {}, {}, {});
    }
    static ShapleyResult valued(const Opened &of, const ShapleySpec &spec)
    {
        return shapley(*of.task, spec, {}, nullptr, {}, {});
    }
    static InteractionsResult paired(const Opened &of, const InteractionsSpec &spec)
    {
        return interactions(*of.task, spec, {}, nullptr, {});
    }

private Q_SLOTS:
    void initTestCase()
    {
        writeTinyLanguageModel(path("gpt2"), {.headsAmplitude = 0.3});
        writeTinyLanguageModel(path("soft"), {.headsAmplitude = 0.015});
        writeTinyLanguageModel(path("bert"), {.causal = false, .headsAmplitude = 0.3});
        writePairs("pairs.jsonl");
        writePairs("masked.jsonl", "[MASK]");
        writeTinyClassifier(path("classifier"), {.layers = 1, .heads = 4, .width = 16});
        writeTinyTable(path("table.tsv"), 30, 3);
        writeTinyClassifier(path("built"), {.layers = 1, .heads = 4, .width = 16});
        buildIn(path("built"), 4);
        writeTinyClassifier(path("deep"), {.layers = 3, .heads = 4, .width = 16});
        writeTinyClassifier(path("eight"), {.layers = 2, .heads = 4, .width = 16});
    }

    void patchingAnswers_data();
    void patchingAnswers();
    void attributionAgreesWhereHeadsDoLittle();
    void directionsMeasuresAndMasks();
    void directContributionsAreOfTheLogits();
    void pathsEndSomewhere();
    void circuitsLeadFromOneTextToTheOther();
    void pairsAreOtherAnalysesData();
    void whatCannotBePatchedIsSaid();
    void classifiersAndTranslatorsArePatched();
    void valuesAreThoseOfAllOrders();
    void sampledValuesSumUp();
    void equalHeadsAndIdleOnes();
    void interactionsAreSecondDifferences();
    void anXorOfTwoHeads();
    void eitherOfTwoHeads();
    void withoutResamplesNothingIsInferred();
    void errorsOfOrdersCover();
    void fewerPairsAreTheLikeliest();
};

void TestCausal::patchingAnswers_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("pairs");
    QTest::newRow("causal") << "gpt2"
                            << "pairs.jsonl";
    QTest::newRow("masked") << "bert"
                            << "masked.jsonl";
}

void TestCausal::patchingAnswers()
{
    QFETCH(QString, folder);
    QFETCH(QString, pairs);
    const Opened model = opened(path(folder.toUtf8()), path(pairs.toUtf8()));
    PatchSpec spec{.positions = true};
    const PatchResult fast = patched(model, spec);
    spec.run.plain = true;
    const PatchResult plain = patched(model, spec);
    QCOMPARE(fast.examples, 6);
    QCOMPARE(fast.heads.size(), 8U);
    QCOMPARE(fast.pairs.size(), 6U);
    const std::size_t positions = fast.pairs[0].clean.size();
    QCOMPARE(fast.cells.size(), 8 * positions);
    QCOMPARE(fast.runs, static_cast<std::int64_t>(6 * 8 * (positions + 1)));
    QVERIFY(fast.work < 0.8);
    QCOMPARE(plain.work, 1.0);
    double largest = 0;
    const auto compare = [&](const PatchEffect &a, const PatchEffect &b) {
        QVERIFY(std::abs(a.delta - b.delta) < 1e-4);
        QVERIFY(std::abs(a.effect - b.effect) < 1e-3);
        QVERIFY(std::abs(a.attribution - b.attribution) < 1e-4);
        QVERIFY(a.deltaInterval.low <= a.delta + 1e-9 && a.delta <= a.deltaInterval.high + 1e-9);
        // The effect is delta by the whole difference.
        QVERIFY(std::abs(a.effect * (fast.clean.score - fast.corrupt.score) - a.delta) < 1e-6);
        largest = std::max(largest, std::abs(a.delta));
    };
    for (std::size_t i = 0; i < fast.heads.size(); ++i)
        compare(fast.heads[i].patch, plain.heads[i].patch);
    for (std::size_t i = 0; i < fast.cells.size(); ++i)
        compare(fast.cells[i].patch, plain.cells[i].patch);
    QVERIFY(largest > 1e-3);
    // Scores of the set are the means over its pairs.
    double clean = 0;
    for (const PatchPair &pair : fast.pairs)
        clean += pair.cleanScore / 6;
    QVERIFY(std::abs(clean - fast.clean.score) < 1e-9);
    QCOMPARE(fast.pairs[0].answer, std::string("runs"));
}

void TestCausal::attributionAgreesWhereHeadsDoLittle()
{
    const Opened model = opened(path("soft"), path("pairs.jsonl"));
    const PatchResult result = patched(model, {.positions = true});
    QVERIFY(result.headAgreement.pearson > 0.9);
    QVERIFY(result.cellAgreement.pearson > 0.9);
    QCOMPARE(result.headAgreement.count, 8);
    QCOMPARE(result.cellAgreement.count, std::ssize(result.cells));
}

void TestCausal::directionsMeasuresAndMasks()
{
    const Opened model = opened(path("gpt2"), path("pairs.jsonl"));
    const HeadMask mask{{HeadKind::Decoder, 0, 1}};
    const PatchResult all = patched(model, {});
    const PatchResult masked = patched(model, {.mask = mask});
    QCOMPARE(masked.heads.size(), 7U);
    QVERIFY(masked.clean.score != all.clean.score);
    const PatchResult noise = patched(model, {.direction = PatchDirection::Noise});
    QCOMPARE(noise.clean.score, all.clean.score);
    QCOMPARE(noise.corrupt.score, all.corrupt.score);
    for (const HeadPatch &head : noise.heads) // of the same difference, from the other end
        QVERIFY(std::abs(head.patch.effect * (noise.corrupt.score - noise.clean.score) - head.patch.delta) < 1e-6);
    const PatchResult loss = patched(model, {.measure = PatchMeasure::Loss});
    const PatchResult probability = patched(model, {.measure = PatchMeasure::Probability});
    for (std::size_t i = 0; i < loss.pairs.size(); ++i)
        QVERIFY(std::abs(std::exp(-loss.pairs[i].cleanScore) - probability.pairs[i].cleanScore) < 1e-9);
    // By the end, the last position of all pairs is one.
    const PatchResult end = patched(model, {.positions = true, .align = PatchAlignment::End});
    QCOMPARE(end.cells.front().position, -static_cast<std::int64_t>(end.pairs[0].clean.size()));
    QVERIFY(std::ranges::any_of(end.cells, [](const CellPatch &cell) { return cell.position == -1; }));
}

void TestCausal::directContributionsAreOfTheLogits()
{
    const Opened model = opened(path("gpt2"), path("pairs.jsonl"));
    for (const PatchDirection direction : {PatchDirection::Denoise, PatchDirection::Noise}) {
        const PatchResult result = patched(model, {.direction = direction});
        double clean = result.directRestClean;
        double corrupt = result.directRestCorrupt;
        for (const HeadPatch &head : result.heads) {
            clean += head.directClean;
            corrupt += head.directCorrupt;
        }
        QVERIFY(std::abs(clean - result.clean.score) < 1e-5);
        QVERIFY(std::abs(corrupt - result.corrupt.score) < 1e-5);
        QCOMPARE(result.directAgreement.count, 8);
        QVERIFY(!std::isnan(result.directAgreement.spearman));
    }
    // Whatever is measured, they are of the logits. Where heads do little, patching one changes the logits by them.
    const Opened soft = opened(path("soft"), path("pairs.jsonl"));
    const PatchResult of = patched(soft, {});
    const PatchResult loss = patched(soft, {.measure = PatchMeasure::Loss});
    for (std::size_t i = 0; i < of.heads.size(); ++i)
        QCOMPARE(loss.heads[i].directClean, of.heads[i].directClean);
    QVERIFY(of.directAgreement.pearson > 0.5);
}

void TestCausal::pathsEndSomewhere()
{
    const Opened model = opened(path("gpt2"), path("pairs.jsonl"));
    const auto refusal = [&](const PatchSpec &spec) {
        try {
            (void)patched(model, spec);
        } catch (const Failure &failure) {
            return QString::fromStdString(failure.error().message);
        }
        return QString();
    };
    const HeadRef last{HeadKind::Decoder, 1, 3};
    QVERIFY(refusal({.pathsTo = "nowhere"}).contains(QLatin1String("decoder.1.3")));
    QVERIFY(refusal({.pathsTo = "decoder.2.0"}).contains(QLatin1String("decoder.1.3")));
    QVERIFY(refusal({.pathsTo = "decoder.0.1"}).contains(QLatin1String("No head comes before decoder.0.1")));
    QVERIFY(refusal({.mask = HeadMask{last}, .pathsTo = "decoder.1.3"}).contains(QLatin1String("masked")));
    QVERIFY(refusal({.pathsTo = "output", .circuits = true}).contains(QLatin1String("--circuits")));
    const PatchResult all = patched(model, {});
    const PatchResult toOutput = patched(model, {.positions = true, .pathsTo = "output"});
    QCOMPARE(toOutput.pathsTo, std::string("output"));
    QCOMPARE(toOutput.heads.size(), 8U);
    double apart = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        const double difference = std::abs(toOutput.heads[i].patch.delta - all.heads[i].patch.delta);
        if (toOutput.heads[i].head.layer == 1) // no other head comes after these
            QVERIFY(difference < 1e-5);
        else
            apart = std::max(apart, difference);
        QVERIFY(std::isnan(toOutput.heads[i].patch.attribution) && std::isnan(toOutput.heads[i].directClean));
    }
    QVERIFY(apart > 1e-3);
    QCOMPARE(toOutput.headAgreement.count, 0);
    QCOMPARE(toOutput.directAgreement.count, 0);
    QVERIFY(std::isnan(toOutput.directAgreement.pearson) && std::isnan(toOutput.directAgreement.spearman));
    const PatchResult toHead = patched(model, {.pathsTo = "decoder.1.3"});
    QCOMPARE(toHead.heads.size(), 4U);
    double most = 0;
    for (const HeadPatch &head : toHead.heads)
        most = std::max(most, std::abs(head.patch.delta));
    QVERIFY(most > 1e-5);
}

void TestCausal::circuitsLeadFromOneTextToTheOther()
{
    const Opened model = opened(path("gpt2"), path("pairs.jsonl"));
    const PatchResult result = patched(model, {.circuits = true});
    QCOMPARE(result.circuits.size(), 4U);
    const double difference = result.clean.score - result.corrupt.score;
    for (const CircuitCurve &curve : result.circuits) {
        QCOMPARE(curve.points.size(), 10U);
        QCOMPARE(curve.points.back().heads, 8);
        QCOMPARE(curve.points.back().faithfulness, 1.0);
        double area = 0;
        double distance = 0;
        for (std::size_t i = 0; i < curve.points.size(); ++i) {
            const CircuitPoint &point = curve.points[i];
            QCOMPARE(point.heads, static_cast<std::int64_t>(point.share * 8));
            QVERIFY(std::abs(point.faithfulness - (point.score - result.corrupt.score) / difference) < 1e-9);
            if (i == 0)
                continue;
            const CircuitPoint &before = curve.points[i - 1];
            area += (point.share - before.share) * (point.faithfulness + before.faithfulness) / 2;
            distance += (point.share - before.share)
                      * (std::abs(1 - point.faithfulness) + std::abs(1 - before.faithfulness)) / 2;
        }
        QVERIFY(std::abs(curve.area - area) < 1e-12);
        QVERIFY(std::abs(curve.distance - distance) < 1e-12);
        // Four heads of eight, by whole runs of their own.
        QCOMPARE(curve.points[8].heads, 4);
        std::vector<const HeadPatch *> order;
        for (const HeadPatch &head : result.heads)
            order.push_back(&head);
        std::ranges::stable_sort(order, [&](const HeadPatch *a, const HeadPatch *b) {
            const auto value = [&](const HeadPatch *head) {
                const double of = curve.by == CircuitOrder::Patching ? head->patch.delta : head->patch.attribution;
                return curve.absolute ? std::abs(of) : of;
            };
            return value(a) > value(b);
        });
        std::vector<HeadRef> outside;
        for (std::size_t i = 4; i < order.size(); ++i)
            outside.push_back(order[i]->head);
        const PatchingPairs pairs = pairsOf(model).valueOrThrow();
        std::vector<std::int64_t> all(6);
        std::iota(all.begin(), all.end(), 0);
        const PatchedRuns runs(*model.task, pairs, all, true, {}, {}, {});
        double score = 0;
        for (std::int64_t pair = 0; pair < 6; ++pair) {
            const PatchCell cell{pair, &outside};
            const AnswerScores scores = runs.patchedPlainly({&cell, 1}).front();
            score += (scores.answer - scores.wrong) / 6;
        }
        QVERIFY(std::abs(curve.points[8].score - score) < 1e-4);
    }
    // Of a loss, and from the other side, the order is that of what helps.
    const PatchResult loss = patched(model, {.measure = PatchMeasure::Loss, .direction = PatchDirection::Noise});
    const auto best = std::ranges::max_element(loss.heads, {}, [](const HeadPatch &head) { return head.patch.delta; });
    QVERIFY(helpfulness(loss, best->patch.delta) > 0);
    const PatchResult noise = patched(model, {.direction = PatchDirection::Noise});
    QCOMPARE(helpfulness(noise, 1), -1.0);
    QCOMPARE(helpfulness(result, 1), 1.0);
}

void TestCausal::pairsAreOtherAnalysesData()
{
    const Opened model = opened(path("gpt2"), path("pairs.jsonl"));
    const PatchResult result = patched(model, {.measure = PatchMeasure::Accuracy});
    const Metric &metric = *model.task->metrics().front();
    QCOMPARE(metric.name(), std::string("accuracy"));
    StatisticsTable table;
    appendStatistics(*model.task, 0, model.task->plainOutputs({0, 1, 2, 3, 4, 5}, HeadMask(), {}, false, {}), table);
    QVERIFY(std::abs(metric.scoreOf(table) - result.clean.score) < 1e-9);
}

void TestCausal::whatCannotBePatchedIsSaid()
{
    const auto refusal = [&](const char *line) {
        std::ofstream(path("bad.jsonl")) << line << '\n';
        const Opened model = opened(path("gpt2"), path("bad.jsonl"));
        const auto result = pairsOf(model);
        return result.isOk() ? QString() : QString::fromStdString(result.error().message);
    };
    const QString lengths = refusal(
        "{\"clean\": \"the man in\", \"corrupt\": \"the red man in\", \"answer\": \"park\", \"wrong_answer\": \"film\"}");
    QVERIFY2(lengths.contains(QLatin1String("row 1"))
                 && lengths.contains(QLatin1String("the clean text has 3 tokens, the corrupt one 4")),
             qPrintable(lengths));
    const QString same = refusal(
        "{\"clean\": \"the man in\", \"corrupt\": \"the dog in\", \"answer\": \"park\", \"wrong_answer\": \"park\"}");
    QVERIFY2(same.contains(QLatin1String("differ in no token")), qPrintable(same));
    const QString none = refusal("{\"text\": \"the man in\"}");
    QVERIFY2(none.contains(QLatin1String("wrong_answer")), qPrintable(none));
}

void TestCausal::classifiersAndTranslatorsArePatched()
{
    std::ofstream(path("labels.tsv")) << "clean\tcorrupt\tanswer\twrong_answer\n"
                                         "the good film\tthe bad film\tpositive\tnegative\n"
                                         "a red park\ta dull park\t1\t0\n";
    const Opened classifier = opened(path("classifier"), path("labels.tsv"));
    const PatchResult ofLabels = patched(classifier, {.positions = true});
    QCOMPARE(ofLabels.pairs[1].answer, std::string("positive"));
    QCOMPARE(ofLabels.heads.size(), 4U);
    writeTinyModel(path("marian"));
    writeTinyCorpus(path("a.en"), path("a.fr"), 2, 3);
    std::ifstream in(path("a.fr"));
    std::string first, second, source;
    std::getline(in, first);
    std::getline(in, second);
    std::ifstream sources(path("a.en"));
    std::getline(sources, source);
    std::ofstream(path("translations.tsv")) << "clean\tcorrupt\tanswer\twrong_answer\n"
                                            << source << '\t' << source << '\t' << first << '\t' << second << '\n';
    const Opened translator = opened(path("marian"), path("translations.tsv"));
    const PatchResult result = patched(translator, {.positions = true});
    QCOMPARE(result.heads.size(), 24U);
    QVERIFY(!result.pairs[0].written.empty());
    for (const HeadPatch &head : result.heads) { // patched with itself
        QVERIFY(std::abs(head.patch.delta) < 1e-5);
        QVERIFY(std::isnan(head.patch.effect) || std::abs(result.clean.score - result.corrupt.score) > 0);
    }
}

/// Four heads: 24 orders, 16 sets.
void TestCausal::valuesAreThoseOfAllOrders()
{
    const Opened model = opened(path("classifier"), path("table.tsv"));
    const ShapleyResult result = valued(model, {.run = byLoss(), .orders = 20});
    QVERIFY(result.exact);
    QCOMPARE(result.masks, 15);
    Scores scores(*model.task);
    std::vector<int> order{0, 1, 2, 3};
    std::vector<double> values(4, 0);
    do {
        HeadMask removed;
        for (const int head : order) {
            const double before = scores.under(removed);
            removed.set(encoderHead(0, head), true);
            values[static_cast<std::size_t>(head)] += (before - scores.under(removed)) / 24;
        }
    } while (std::ranges::next_permutation(order).found);
    for (std::size_t i = 0; i < 4; ++i) {
        QVERIFY(std::abs(result.heads[i].value - values[i]) < 1e-6);
        QVERIFY(result.heads[i].interval.low <= result.heads[i].value);
        QVERIFY(result.heads[i].value <= result.heads[i].interval.high);
    }
    QVERIFY(std::abs(result.sum - (result.all - result.none)) < 1e-9);
    QVERIFY(std::abs(result.all - scores.under({})) < 1e-6);
}

void TestCausal::sampledValuesSumUp()
{
    const Opened model = opened(path("deep"), path("table.tsv"));
    for (const double truncate : {0.0, 0.5}) {
        const ShapleyResult result
            = valued(model, {.run = byLoss(), .orders = 12, .truncate = truncate, .resamples = 100});
        QVERIFY(!result.exact);
        QCOMPARE(result.orders, 12);
        QCOMPARE(result.truncated > 0, truncate > 0);
        QVERIFY(std::abs(result.sum - (result.all - result.none)) < 1e-9);
        QCOMPARE(result.heads.size(), 12U);
    }
    // Sampling comes near what all 4,096 sets would say: two samples agree within their intervals.
    ShapleySpec spec{.run = byLoss(), .orders = 200, .resamples = 100};
    const ShapleyResult one = valued(model, spec);
    spec.run.seed = 99;
    const ShapleyResult other = valued(model, spec);
    int apart = 0;
    for (std::size_t i = 0; i < one.heads.size(); ++i) {
        const Interval &a = one.heads[i].interval;
        const Interval &b = other.heads[i].interval;
        apart += a.low > b.high || b.low > a.high;
    }
    QVERIFY(apart <= 1);
}

void TestCausal::equalHeadsAndIdleOnes()
{
    const Opened model = opened(path("built"), path("table.tsv"));
    const ShapleyResult result = valued(model, {.run = byLoss()});
    QVERIFY(result.exact);
    QVERIFY(std::abs(result.heads[0].value - result.heads[1].value) < 1e-6); // symmetry
    QVERIFY(std::abs(result.heads[0].value) > 1e-5);
    QVERIFY(std::abs(result.heads[2].value) < 1e-6); // dummy
    const auto pairs = paired(model, {.run = byLoss()});
    for (const HeadInteraction &pair : pairs.pairs) {
        if (pair.head == encoderHead(0, 2) || pair.other == encoderHead(0, 2))
            QVERIFY(std::abs(pair.interaction) < 1e-6);
    }
}

void TestCausal::interactionsAreSecondDifferences()
{
    const Opened model = opened(path("classifier"), path("table.tsv"));
    const auto result = paired(model, {.run = byLoss()});
    QCOMPARE(result.pairs.size(), 6U);
    QCOMPARE(result.possible, 6);
    Scores scores(*model.task);
    double before = INFINITY, sum = 0;
    std::int64_t redundant = 0, synergetic = 0;
    for (const HeadInteraction &pair : result.pairs) {
        const double wanted = scores.under({pair.head, pair.other}) - scores.under({pair.head})
                            - scores.under({pair.other}) + scores.under({});
        QVERIFY(std::abs(pair.interaction - wanted) < 1e-6);
        QVERIFY(std::abs(pair.together - (scores.under({pair.head, pair.other}) - scores.under({}))) < 1e-6);
        QVERIFY(std::abs(pair.interaction) <= before);
        QVERIFY(pair.interval.low <= pair.interaction && pair.interaction <= pair.interval.high);
        QVERIFY(pair.discoveryP >= pair.p);
        before = std::abs(pair.interaction);
        sum += pair.interaction;
        if (pair.discoveryP < 0.05)
            ++(pair.interaction > 0 ? redundant : synergetic); // of a loss, more without both is worse
    }
    QVERIFY(std::abs(result.mean.interaction - sum / 6) < 1e-9);
    QVERIFY(result.mean.interval.low < result.mean.interaction && result.mean.interaction < result.mean.interval.high);
    QCOMPARE(result.mean.redundant, redundant);
    QCOMPARE(result.mean.synergetic, synergetic);
    const bool worse = result.mean.interval.low > 0, better = result.mean.interval.high < 0;
    QVERIFY(result.triples.empty());
    const auto more = paired(model, {.run = byLoss(), .triples = true});
    QCOMPARE(more.triples.size(), 4U);
    before = INFINITY;
    for (const TripleInteraction &triple : more.triples) {
        const HeadRef a = triple.head, b = triple.other, c = triple.third;
        const double wanted = scores.under({a, b, c}) - scores.under({a, b}) - scores.under({a, c})
                            - scores.under({b, c}) + scores.under({a}) + scores.under({b}) + scores.under({c})
                            - scores.under({});
        QVERIFY(std::abs(triple.interaction - wanted) < 1e-6);
        QVERIFY(std::abs(triple.together - (scores.under({a, b, c}) - scores.under({}))) < 1e-6);
        QVERIFY(std::abs(triple.interaction) <= before && triple.discoveryP >= triple.p);
        QVERIFY(triple.interval.low <= triple.interaction && triple.interaction <= triple.interval.high);
        before = std::abs(triple.interaction);
    }
    for (std::size_t i = 0; i < 6; ++i)
        QVERIFY(std::abs(more.pairs[i].interaction - result.pairs[i].interaction) < 1e-6);
    QVERIFY_THROWS_EXCEPTION(Failure, (void)paired(model, {.run = byLoss(), .most = 5, .triples = true}));
    QCOMPARE(result.mean.single, worse    ? SingleAblation::Understates
                                 : better ? SingleAblation::Overstates
                                          : SingleAblation::Unclear);
}

/// Either head alone is worse than both and than none: single ablation blames both, Shapley values neither.
void TestCausal::anXorOfTwoHeads()
{
    writeDecidingHeads(path("xor"), Deciding::Same);
    writeOnes("ones.tsv", 4);
    const Opened model = opened(path("xor"), path("ones.tsv"));
    const InteractionsResult pairs = paired(model, {});
    QCOMPARE(pairs.metric, std::string("accuracy"));
    QCOMPARE(pairs.baseline, 1.0);
    QCOMPARE(pairs.pairs.size(), 6U);
    QCOMPARE(pairs.pairs[0].head, encoderHead(0, 0));
    QCOMPARE(pairs.pairs[0].other, encoderHead(0, 1));
    QCOMPARE(pairs.pairs[0].interaction, 2.0);
    QCOMPARE(pairs.pairs[0].together, 0.0);
    for (std::size_t i = 1; i < 6; ++i)
        QCOMPARE(pairs.pairs[i].interaction, 0.0);
    QCOMPARE(pairs.mean.interaction, 2.0 / 6);
    QCOMPARE(pairs.mean.synergetic, 1);
    QCOMPARE(pairs.mean.redundant, 0);
    QCOMPARE(pairs.mean.single, SingleAblation::Overstates);
    const ShapleyResult values = valued(model, {});
    for (const HeadShapley &head : values.heads)
        QCOMPARE(head.value, 0.0);
    QCOMPARE(values.all, 1.0);
    QCOMPARE(values.none, 1.0);
}

/// Either head is enough: single ablation finds neither.
void TestCausal::eitherOfTwoHeads()
{
    writeDecidingHeads(path("either"), Deciding::Either);
    writeOnes("either.tsv", 4);
    const InteractionsResult pairs = paired(opened(path("either"), path("either.tsv")), {});
    QCOMPARE(pairs.pairs[0].interaction, -1.0);
    // No resample says anything else: by the rule of three, 3 of 12 examples may.
    QVERIFY(std::abs(pairs.pairs[0].interval.low + 1.25) < 1e-9
            && std::abs(pairs.pairs[0].interval.high + 0.75) < 1e-9);
    // The two are one cluster before any others are.
    QVERIFY(isDendrogram(4, pairs.clusters.merges, pairs.clusters.order));
    const auto &heads = pairs.clusters.heads;
    const ClusterMerge &first = pairs.clusters.merges.front();
    QCOMPARE(heads[static_cast<std::size_t>(first.first)], pairs.pairs[0].head);
    QCOMPARE(heads[static_cast<std::size_t>(first.second)], pairs.pairs[0].other);
    QCOMPARE(first.height, 0.0);
    QCOMPARE(pairs.clusters.merges.back().height, 1.0);
    for (const HeadAlone &head : pairs.heads)
        QCOMPARE(head.delta, 0.0);
    QCOMPARE(pairs.mean.redundant, 1);
    QCOMPARE(pairs.mean.synergetic, 0);
    QCOMPARE(pairs.mean.single, SingleAblation::Understates);
    // p of ten resamples is .18 at least; the clear pair is drawn again.
    const InteractionsResult coarse = paired(opened(path("either"), path("either.tsv")), {.resamples = 10});
    QVERIFY(coarse.pairs[0].p < 2.0 / 11 && coarse.pairs[0].p >= std::ldexp(1.0, -11)); // of twelve signs
    QCOMPARE(coarse.mean.redundant, 1);
    for (std::size_t i = 1; i < 6; ++i)
        QCOMPARE(coarse.pairs[i].p, 1.0);
    // Three texts say the same, and prove nothing.
    writeOnes("three.tsv", 1);
    const InteractionsResult few = paired(opened(path("either"), path("three.tsv")), {});
    QCOMPARE(few.pairs[0].interaction, -1.0);
    QCOMPARE(few.pairs[0].p, 0.25);
    QVERIFY(few.pairs[0].interval.high >= 0);
    QCOMPARE(few.mean.redundant, 0);
    QCOMPARE(few.mean.single, SingleAblation::Withheld);
}

/// Without resamples nothing is known of other examples.
void TestCausal::withoutResamplesNothingIsInferred()
{
    const Opened model = opened(path("classifier"), path("table.tsv"));
    const auto isUnknown = [](const auto &one) {
        return std::isnan(one.p) && std::isnan(one.discoveryP) && std::isnan(one.interval.low)
            && std::isnan(one.interval.high);
    };
    const InteractionsResult pairs = paired(model, {.run = byLoss(), .resamples = 0});
    QVERIFY(std::ranges::all_of(pairs.pairs, isUnknown));
    QVERIFY(std::isnan(pairs.mean.p) && std::isnan(pairs.mean.interval.low));
    QCOMPARE(pairs.mean.redundant + pairs.mean.synergetic, 0);
    QVERIFY(std::ranges::all_of(valued(model, {.run = byLoss(), .resamples = 0}).heads, isUnknown));
}

/// Eight heads, whose exact values all 254 sets give: Student's interval by the orders alone holds them as often as it
/// says, where 1.96 standard errors of five pairs of orders do not.
void TestCausal::errorsOfOrdersCover()
{
    const Opened model = opened(path("eight"), path("table.tsv"));
    const ShapleyResult exact = valued(model, {.run = byLoss(), .orders = 40, .resamples = 0});
    QVERIFY(exact.exact);
    int byStudent = 0, byNormal = 0, values = 0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        ShapleySpec spec{.run = byLoss(), .orders = 10, .resamples = 0};
        spec.run.seed = seed;
        const ShapleyResult sampled = valued(model, spec);
        QVERIFY(!sampled.exact);
        for (std::size_t i = 0; i < sampled.heads.size(); ++i) {
            const double off = std::abs(sampled.heads[i].value - exact.heads[i].value);
            byStudent += off <= studentsT(4) * sampled.heads[i].orderError;
            byNormal += off <= 1.96 * sampled.heads[i].orderError;
            ++values;
        }
    }
    QVERIFY2(byStudent > 0.92 * values && byStudent < 0.99 * values, qPrintable(QString::number(byStudent)));
    QVERIFY2(byNormal < 0.9 * values, qPrintable(QString::number(byNormal)));
    // --order-precision goes on until the wider one is narrow enough.
    const auto widest = [](const ShapleyResult &of) {
        double error = 0;
        for (const HeadShapley &head : of.heads)
            error = std::max(error, head.orderError);
        return studentsT(static_cast<double>(of.orders / 2 - 1)) * error;
    };
    const Opened deep = opened(path("deep"), path("table.tsv"));
    ShapleySpec spec{.run = byLoss(), .orders = 16, .resamples = 0};
    spec.orderPrecision = 0.7 * widest(valued(deep, spec));
    spec.orders = 300;
    const ShapleyResult precise = valued(deep, spec);
    QVERIFY(!precise.exact && precise.orders > 16 && precise.orders < 300);
    QVERIFY(widest(precise) <= spec.orderPrecision);
    // A pair of orders does not say how much orders differ.
    const ShapleyResult pair = valued(deep, {.run = byLoss(), .orders = 2});
    for (const HeadShapley &head : pair.heads)
        QVERIFY(std::isnan(head.orderError) && std::isnan(head.p) && std::isnan(head.interval.low));
}

void TestCausal::fewerPairsAreTheLikeliest()
{
    const Opened model = opened(path("deep"), path("table.tsv"));
    const auto all = paired(model, {.run = byLoss()});
    const auto few = paired(model, {.run = byLoss(), .most = 20});
    QCOMPARE(all.pairs.size(), 66U);
    QCOMPARE(few.pairs.size(), 20U);
    QCOMPARE(few.possible, 66);
    // Those with the largest derivatives are no sample of all.
    QVERIFY(all.mean.single != SingleAblation::Withheld);
    QCOMPARE(few.mean.single, SingleAblation::Withheld);
    const auto meanOf = [](const InteractionsResult &result) {
        double sum = 0;
        for (const HeadInteraction &pair : result.pairs)
            sum += std::abs(pair.interaction) / static_cast<double>(result.pairs.size());
        return sum;
    };
    QVERIFY(meanOf(few) > meanOf(all));
    InteractionsSpec among{.run = byLoss()};
    among.among = "encoder.0.0,encoder.1.1,encoder.2.3";
    QCOMPARE(paired(model, among).pairs.size(), 3U);
}

QTEST_APPLESS_MAIN(TestCausal)
#include "tst_causal.moc"
