// The goldens of Hugging Face again, through the door that programs use: data with input_ids, scores with and without
// masks, importance.
#include "core/session/session.h"
#include "tests/goldens/classifiergolden.h"

#include <QTemporaryDir>
#include <QTest>

#include <torch/types.h>

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
    void importanceIsMichels_data() { addFolders(); }
    void importanceIsMichels();

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

void TestClassifierSession::importanceIsMichels()
{
    QFETCH(QString, folder);
    const auto golden = ClassifierGolden::read(folder.toStdString());
    const auto session = open(golden);
    const double examples = static_cast<double>(golden.rows.size());
    const auto expected = torch::cat(golden.importance) / examples;
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
        COMPARE_NUMBERS("importance", where, torch::tensor(ours, torch::kFloat64), expected);
        COMPARE_NUMBERS("mean loss", where, torch::tensor({result.meanLoss}, torch::kFloat64),
                        torch::tensor({loss / examples}, torch::kFloat64));
    }
}

QTEST_APPLESS_MAIN(TestClassifierSession)
#include "tst_classifiersession.moc"
