// Training of tasks besides translation: what is made smaller is what the task measures, and it gets smaller.
#include "core/analysis/evaluationspec.h"
#include "core/results/evaluationresult.h"
#include "core/results/results.h"
#include "core/session/session.h"
#include "core/session/training.h"
#include "tests/support/tinyclassifier.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <filesystem>
#include <fstream>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

class TestTaskTraining : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path path(const std::string &name) const { return fs::path(m_folder.path().toStdString()) / name; }

    /// Trained and validated on the same data.
    TrainingConfig config(const std::string &output, const fs::path &model, const DataSource &data) const
    {
        TrainingConfig config;
        config.output = path(output);
        config.startFrom = model;
        config.train = config.validation = data;
        config.dropout = config.labelSmoothing = 0;
        config.batchTokens = 64;
        config.schedule = {ScheduleKind::Constant, 1e-12, 0};
        config.epochs = 1;
        config.dtype = "f32";
        return config;
    }
    DataSource table() const
    {
        DataSource data;
        data.table = path("table.tsv").string();
        return data;
    }
    DataSource text() const
    {
        DataSource data;
        data.table = path("texts.jsonl").string(); // the model has no tokenizer
        return data;
    }
    static fs::path languageModel()
    {
        return fs::path(qEnvironmentVariable("HEADSCOPE_SOURCE_DIR").toStdString()) / "tests/goldens/families/gpt2-hub";
    }
    static TrainingReport run(const TrainingConfig &config)
    {
        auto result = train(config, {});
        if (result.isError())
            qWarning("%s", result.error().message.c_str());
        return result.isOk() ? result.value() : TrainingReport();
    }

private Q_SLOTS:
    void initTestCase()
    {
        writeTinyClassifier(path("bert"));
        writeTinyTable(path("table.tsv"), 60, 5);
        std::ofstream text(path("texts.jsonl"));
        for (int line = 0; line < 30; ++line)
            text << (line % 2 == 0 ? R"({"input_ids": [5, 9, 12, 7, 5, 20, 12, 9]})"
                                   : R"({"input_ids": [6, 3, 17, 30, 11]})")
                 << '\n';
    }

    void lossIsThatOfTheTask_data()
    {
        QTest::addColumn<bool>("classifier");
        QTest::newRow("labels") << true;
        QTest::newRow("running text") << false;
    }
    void lossIsThatOfTheTask()
    {
        QFETCH(bool, classifier);
        // Nothing moves: what is trained by is what evaluating measures.
        const TrainingReport report
            = run(classifier ? config("still", path("bert"), table()) : config("still-text", languageModel(), text()));
        QCOMPARE(report.epochs.size(), 1U);
        const TrainingEpoch &epoch = report.epochs.front();
        QVERIFY(std::abs(epoch.trainLoss - *epoch.validationLoss) < 1e-4);
        const auto session = Session::open(report.folder / epoch.folder, {}, {}).valueOrThrow();
        (void)session->setData(Domain::In, classifier ? table() : text(), {}).valueOrThrow();
        const EvaluationResult score = session->run(Domain::In, EvaluationSpec{.resamples = 0}, {}).valueOrThrow();
        QCOMPARE(epoch.metric, score.primary().name);
        QVERIFY(epoch.better == score.primary().better);
        QVERIFY(std::abs(*epoch.score - score.primary().value) < 1e-6 * std::max(1.0, std::abs(*epoch.score)));
        for (const MetricValue &metric : score.metrics) {
            if (metric.name == "loss")
                QVERIFY(std::abs(metric.value - *epoch.validationLoss) < 1e-4);
        }
    }

    void classifierLearnsItsLabels()
    {
        TrainingConfig wanted = config("learns", path("bert"), table());
        wanted.freshWeights = true;
        wanted.schedule = {ScheduleKind::Constant, 0.005, 0};
        wanted.epochs = 40;
        const TrainingReport report = run(wanted);
        QCOMPARE(report.epochs.size(), 40U);
        QVERIFY(*report.epochs.back().validationLoss < 0.5 * *report.epochs.front().validationLoss);
        QVERIFY(*report.epochs[*report.bestEpoch].score > 0.9); // made-up labels, by heart
        // It is read again as it was written, metric and all.
        const TrainingRun read = readTrainingRun(report.folder).valueOrThrow();
        QVERIFY(read.report.epochs == report.epochs);
        QVERIFY(read.config.freshWeights);
    }

    /// From labelled texts alone: vocabulary, labels, configuration and weights are made.
    void newClassifierLearns()
    {
        std::ofstream file(path("subjects.tsv"));
        file << "sentence\tlabel\n";
        for (const char *place : {"here", "in the garden", "by the old houses", "with the girl", "near some boats"}) {
            for (const char *one : {"sailor", "king", "gardener"}) {
                file << "The " << one << " sings " << place << ".\tone\n";
                file << "The " << one << "s sing " << place << ".\tseveral\n";
            }
        }
        file.close();
        DataSource data;
        data.table = path("subjects.tsv").string();
        TrainingConfig wanted = config("new", {}, data);
        wanted.model = {.family = "bert",
                        .width = 16,
                        .encoderLayers = 2,
                        .encoderHeads = 2,
                        .feedForward = 32,
                        .maxPositions = 32,
                        .activation = "gelu"};
        wanted.vocabulary = {.size = 90};
        wanted.schedule = {ScheduleKind::Constant, 0.005, 0};
        wanted.epochs = 15;
        const TrainingReport report = run(wanted);
        QCOMPARE(report.epochs.size(), 15U);
        QVERIFY(*report.epochs[*report.bestEpoch].score > 0.9);
        const auto session
            = Session::open(report.folder / report.epochs[*report.bestEpoch].folder, {}, {}).valueOrThrow();
        QCOMPARE(session->card().layout.size(), 4);
        QVERIFY(session->card().labels == (std::vector<std::string>{"one", "several"}));
        (void)session->setData(Domain::In, data, {}).valueOrThrow();
        const EvaluationResult score = session->run(Domain::In, EvaluationSpec{.resamples = 0}, {}).valueOrThrow();
        QVERIFY(std::abs(score.primary().value - *report.epochs[*report.bestEpoch].score) < 1e-9);
    }

    void languageModelLearnsItsText()
    {
        TrainingConfig wanted = config("language", languageModel(), text());
        wanted.schedule = {ScheduleKind::Constant, 0.02, 0};
        wanted.epochs = 20;
        const TrainingReport report = run(wanted);
        QCOMPARE(report.epochs.size(), 20U);
        QVERIFY(*report.epochs.back().validationLoss < 0.5 * *report.epochs.front().validationLoss);
        QVERIFY(report.epochs.back().better == Better::Lower);
        QVERIFY(*report.bestEpoch > 0); // by perplexity: lower is better
    }

    void headsOfAClassifierLearnToClose()
    {
        TrainingConfig wanted = config("gated", path("bert"), table());
        wanted.schedule = {ScheduleKind::Constant, 0.001, 0};
        wanted.gates = {.method = GateMethod::L0, .kinds = {}, .lambda = 20};
        wanted.epochs = 20;
        const TrainingReport report = run(wanted);
        QCOMPARE(report.epochs.back().mask->size(), 8);
    }

    void refusesWhatIsNotTrained()
    {
        const auto masked = train(config("masked", languageModel().parent_path() / "bert-mlm", text()), {});
        QVERIFY(masked.isError() && masked.error().message.find("not trained") != std::string::npos);
        TrainingConfig fresh = config("nothing", path("bert"), table());
        fresh.startFrom.clear(); // "marian" has no labels
        QVERIFY(train(fresh, {}).error().message.find("bert") != std::string::npos);
        std::ofstream(path("alike.tsv")) << "sentence\tlabel\nThis is all.\tyes\nThis is it.\tyes\n";
        fresh.model.family = "bert";
        fresh.train.table = path("alike.tsv").string();
        fresh.vocabulary.size = 40;
        QVERIFY(train(fresh, {}).error().message.find("one label only") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestTaskTraining)
#include "tst_tasktraining.moc"
