// The goldens of Hugging Face again, through the door that programs use: data with input_ids, scores with and without
// masks, importance.
#include "core/analysis/ablationspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/gatingspec.h"
#include "core/analysis/importancespec.h"
#include "core/analysis/pruningspec.h"
#include "core/data/dataset.h"
#include "core/results/ablationresult.h"
#include "core/results/evaluationresult.h"
#include "core/results/gatingresult.h"
#include "core/results/importanceresult.h"
#include "core/results/results.h"
#include "core/session/session.h"
#include "tests/goldens/classifiergolden.h"

#include <QTemporaryDir>
#include <QTest>

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <fstream>

using namespace headscope;
using namespace headscope::testing;

namespace {

constexpr double kTolerance = 1e-5;

/// One row a batch, a few rows, and all rows.
constexpr std::int64_t kBatchTokens[] = {1, 16, 1024};

torch::Tensor logitsOf(const EvaluationResult &result)
{
    std::vector<torch::Tensor> rows;
    for (const ExampleOutput &output : result.outputs)
        rows.push_back(torch::tensor(output.logits).to(torch::kFloat64));
    return torch::stack(rows);
}

} // namespace

class TestClassifierSession : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QVERIFY(m_folder.isValid()); }
    void cleanupTestCase() { qInfo("Largest differences from Hugging Face:\n%s", m_differences.report().c_str()); }
    void logits_data() { addFolders(); }
    void logits();
    void logitsUnderMasks_data() { addFolders(); }
    void logitsUnderMasks();
    void sweepsEqualPlainRuns_data() { addFolders(); }
    void sweepsEqualPlainRuns();
    void keyGroupsGoTogether();
    void importanceIsMichels_data() { addFolders(); }
    void importanceIsMichels();
    void gatesAreThoseOfAPlainLoop_data();
    void gatesAreThoseOfAPlainLoop();

private:
    static void addFolders();
    /// A session with the golden's rows in the first slot.
    std::shared_ptr<Session> open(const ClassifierGolden &golden);

    LargestDifferences m_differences;
    QTemporaryDir m_folder;
};

#define COMPARE_NUMBERS(what, where, ours, theirs)                                                                     \
    QVERIFY2(m_differences.within(kTolerance, what, where, ours, theirs), m_differences.failure().c_str())

void TestClassifierSession::addFolders()
{
    QTest::addColumn<QString>("folder");
    for (const auto &folder : classifierFolders())
        QTest::newRow(folder.filename().c_str()) << QString::fromStdString(folder.string());
}

std::shared_ptr<Session> TestClassifierSession::open(const ClassifierGolden &golden)
{
    const auto file = (std::filesystem::path(m_folder.path().toStdString()) / "rows.jsonl").string();
    std::ofstream lines(file);
    for (const GoldenRow &row : golden.rows) {
        nlohmann::json line{{"input_ids", row.ids}, {"label", row.label}};
        if (!row.types.empty())
            line["token_type_ids"] = row.types;
        lines << line.dump() << '\n';
    }
    lines.close();
    auto session = Session::open(golden.folder, {}, {}).valueOrThrow();
    DataSource data;
    data.table = file;
    data.labelColumn = "label";
    (void)session->setData(Domain::In, data, {}).valueOrThrow();
    return session;
}

/// What make_gating_goldens.py wrote.
static nlohmann::json gatingGoldens()
{
    std::ifstream file(classifierFolders().front().parent_path().parent_path() / "gating.json");
    return nlohmann::json::parse(file);
}

void TestClassifierSession::gatesAreThoseOfAPlainLoop_data()
{
    QTest::addColumn<QString>("name");
    const nlohmann::json goldens = gatingGoldens();
    for (const auto &[name, golden] : goldens.at("models").items())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void TestClassifierSession::gatesAreThoseOfAPlainLoop()
{
    QFETCH(QString, name);
    const nlohmann::json goldens = gatingGoldens();
    const nlohmann::json &golden = goldens.at("models").at(name.toStdString());
    const auto session = open(ClassifierGolden::read(classifierFolders().front().parent_path() / name.toStdString()));
    GatingSpec spec;
    spec.run.seed = goldens.at("seed").get<std::uint64_t>();
    spec.seeds = 1;
    spec.steps = goldens.at("steps").get<std::int64_t>();
    spec.lambda = goldens.at("lambda").get<double>();
    spec.learningRate = goldens.at("learning_rate").get<double>();
    const auto result = session->run<GatingSpec>(Domain::In, spec, {}).valueOrThrow();
    const GatingSeed &seed = result.seeds.front();
    const auto compare = [&](const char *what, const std::vector<double> &ours) {
        const auto theirs = golden.at(what).get<std::vector<double>>();
        QCOMPARE(ours.size(), theirs.size());
        for (std::size_t i = 0; i < ours.size(); ++i)
            QVERIFY2(std::abs(ours[i] - theirs[i]) < kTolerance, qPrintable(QStringLiteral("%1, head %2: %3 and %4")
                                                                                .arg(QString::fromLatin1(what))
                                                                                .arg(i)
                                                                                .arg(ours[i], 0, 'g', 9)
                                                                                .arg(theirs[i], 0, 'g', 9)));
    };
    compare("free", seed.free);
    compare("opened", seed.opened);
    compare("closed", seed.closed);
    for (const auto &[what, ours] :
         {std::pair("loss", result.loss), std::pair("free_loss", seed.freeLoss),
          std::pair("opened_loss", seed.openedLoss), std::pair("closed_loss", seed.closedLoss)})
        QVERIFY2(std::abs(ours - golden.at(what).get<double>()) < kTolerance, what);
}

void TestClassifierSession::logits()
{
    QFETCH(QString, folder);
    const auto golden = ClassifierGolden::read(folder.toStdString());
    const auto session = open(golden);
    QCOMPARE(session->data(Domain::In)->rows, std::ssize(golden.rows));
    EvaluationSpec spec;
    spec.outputs = true;
    spec.resamples = 0;
    for (const bool plain : {false, true}) {
        for (const std::int64_t batchTokens : kBatchTokens) {
            spec.run.plain = plain;
            spec.run.batchTokens = batchTokens;
            const auto result = session->run<EvaluationSpec>(Domain::In, spec, {}).valueOrThrow();
            COMPARE_NUMBERS("logits", golden.folder.filename(), logitsOf(result), golden.logits());
        }
    }
}

void TestClassifierSession::logitsUnderMasks()
{
    QFETCH(QString, folder);
    const auto golden = ClassifierGolden::read(folder.toStdString());
    const auto session = open(golden);
    EvaluationSpec spec;
    spec.outputs = true;
    spec.resamples = 0;
    for (const GoldenMask &mask : golden.masks) {
        spec.mask = mask.mask;
        for (const std::int64_t batchTokens : kBatchTokens) {
            spec.run.batchTokens = batchTokens;
            // The first time from scratch, then from states that were kept.
            for (int time = 0; time < 2; ++time) {
                const auto result = session->run<EvaluationSpec>(Domain::In, spec, {}).valueOrThrow();
                COMPARE_NUMBERS("logits under head masks", golden.folder.filename(), logitsOf(result), mask.logits);
            }
        }
    }
}

void TestClassifierSession::sweepsEqualPlainRuns()
{
    QFETCH(QString, folder);
    const auto golden = ClassifierGolden::read(folder.toStdString());
    const auto session = open(golden);
    AblationSpec spec;
    spec.run.metric = "loss";
    spec.resamples = 0;
    spec.run.plain = true;
    const auto plain = session->run<AblationSpec>(Domain::In, spec, {}).valueOrThrow();
    QVERIFY(std::ranges::any_of(plain.heads, [](const HeadAblation &head) { return std::abs(head.delta) > 1e-4; }));
    spec.run.plain = false;
    for (const ProductChoice products : {ProductChoice::Auto, ProductChoice::Exact, ProductChoice::Library}) {
        spec.run.products = products;
        const auto fast = session->run<AblationSpec>(Domain::In, spec, {}).valueOrThrow();
        QCOMPARE(fast.heads.size(), plain.heads.size());
        for (std::size_t i = 0; i < fast.heads.size(); ++i) {
            QVERIFY(fast.heads[i].head == plain.heads[i].head);
            QVERIFY2(std::abs(fast.heads[i].score - plain.heads[i].score) < 1e-5 * std::max(1.0, plain.heads[i].score),
                     toText(fast.heads[i].head).c_str());
        }
    }
}

/// Two heads on each key-value head.
void TestClassifierSession::keyGroupsGoTogether()
{
    const auto folders = classifierFolders();
    const auto found
        = std::ranges::find_if(folders, [](const auto &folder) { return folder.filename() == "qwen2-topics"; });
    QVERIFY(found != folders.end());
    const auto session = open(ClassifierGolden::read(*found));
    const std::int64_t heads = session->card().layout.size();

    AblationSpec sweep;
    sweep.run.metric = "loss";
    sweep.resamples = 0;
    sweep.by = HeadUnit::KeyGroup;
    const auto groups = session->run<AblationSpec>(Domain::In, sweep, {}).valueOrThrow();
    QCOMPARE(std::ssize(groups.heads), heads / 2);
    EvaluationSpec one;
    one.run.metric = "loss";
    one.resamples = 0;
    for (const HeadAblation &group : groups.heads) {
        QCOMPARE(group.head.head % 2, 0);
        QCOMPARE(group.together, (std::vector{HeadRef{group.head.kind, group.head.layer, group.head.head + 1}}));
        one.by = HeadUnit::Head;
        one.mask = HeadMask{group.head, group.together.front()};
        const double both = session->run<EvaluationSpec>(Domain::In, one, {}).valueOrThrow().primary().value;
        QVERIFY(std::abs(both - group.score) < 1e-5);
        one.by = HeadUnit::KeyGroup;
        one.mask = HeadMask{group.together.front()};
        const auto widened = session->run<EvaluationSpec>(Domain::In, one, {}).valueOrThrow();
        QCOMPARE(widened.primary().value, both);
        QCOMPARE(widened.mask.size(), std::int64_t{2});
    }
    sweep.mask = HeadMask{groups.heads.front().together.front()}; // masks its group
    QCOMPARE(std::ssize(session->run<AblationSpec>(Domain::In, sweep, {}).valueOrThrow().heads), heads / 2 - 1);

    ImportanceSpec importance;
    importance.reduction = ImportanceReduction::Example;
    importance.normalization = ImportanceNormalization::None;
    importance.by = HeadUnit::KeyGroup;
    const auto ofGroups = session->run<ImportanceSpec>(Domain::In, importance, {}).valueOrThrow();
    importance.by = HeadUnit::Head;
    const auto ofHeads = session->run<ImportanceSpec>(Domain::In, importance, {}).valueOrThrow();
    QCOMPARE(2 * ofGroups.heads.size(), ofHeads.heads.size());
    bool cancels = false;
    for (std::size_t g = 0; g < ofGroups.heads.size(); ++g) { // |a + b| of what is |a| and |b|
        const double sum = ofHeads.heads[2 * g].importance + ofHeads.heads[2 * g + 1].importance;
        QVERIFY(ofGroups.heads[g].importance <= sum + 1e-9);
        QVERIFY(ofGroups.heads[g].head == ofHeads.heads[2 * g].head);
        cancels |= ofGroups.heads[g].importance < sum - 1e-6;
    }
    QVERIFY(cancels);

    PruningSpec pruning;
    pruning.run.metric = "loss";
    pruning.step = 1;
    pruning.resamples = 0;
    pruning.by = HeadUnit::KeyGroup;
    for (const char *order : {"importance", "ablation", "greedy", "random"}) {
        pruning.order = order;
        const auto curve = session->run<PruningSpec>(Domain::In, pruning, {}).valueOrThrow().curves.front();
        QCOMPARE(std::ssize(curve.points), heads / 2 + 1);
        for (std::size_t i = 0; i < curve.points.size(); ++i) {
            QCOMPARE(curve.points[i].pruned, 2 * static_cast<std::int64_t>(i));
            for (const HeadRef &head : curve.points[i].mask)
                QVERIFY(curve.points[i].mask.isMasked({head.kind, head.layer, head.head ^ 1}));
        }
        QCOMPARE(curve.points.back().fraction, 1.0);
    }
}

void TestClassifierSession::importanceIsMichels()
{
    QFETCH(QString, folder);
    const auto golden = ClassifierGolden::read(folder.toStdString());
    const auto session = open(golden);
    const double examples = static_cast<double>(golden.rows.size());
    std::vector<torch::Tensor> layers;
    for (const auto &[kind, own] : golden.importance)
        layers.insert(layers.end(), own.begin(), own.end());
    const auto expected = torch::cat(layers) / examples;
    double loss = 0;
    for (const GoldenRow &row : golden.rows)
        loss += row.loss;
    ImportanceSpec spec;
    spec.reduction = ImportanceReduction::Example;
    spec.normalization = ImportanceNormalization::None;
    for (const std::int64_t batchTokens : kBatchTokens) {
        spec.run.batchTokens = batchTokens;
        const auto result = session->run<ImportanceSpec>(Domain::In, spec, {}).valueOrThrow();
        std::vector<double> ours;
        for (const HeadImportance &head : result.heads)
            ours.push_back(head.importance);
        const std::string where = golden.folder.filename();
        QVERIFY2(m_differences.within(golden.gradientTolerance(), "importance", where,
                                      torch::tensor(ours, torch::kFloat64), expected),
                 m_differences.failure().c_str());
        COMPARE_NUMBERS("mean loss", where, torch::tensor({result.meanLoss}, torch::kFloat64),
                        torch::tensor({loss / examples}, torch::kFloat64));
    }
}

QTEST_APPLESS_MAIN(TestClassifierSession)
#include "tst_classifiersession.moc"
