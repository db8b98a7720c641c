// Experiments of the training page: runs that differ in one thing, named as the command line names them, trained one
// after the other, stopped and gone on with.
#include "core/session/training.h"
#include "tests/support/nowarnings.h"
#include "tests/support/reverserun.h"
#include "ui/pages/training/experimentview.h"
#include "ui/views/linechart.h"

#include <QLineEdit>
#include <QPushButton>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace headscope;
using namespace headscope::testing;
using namespace Qt::StringLiterals;

class TestExperiment final : public QObject
{
    Q_OBJECT

    static constexpr int kWait = 120'000;
    QTemporaryDir m_folder;

    std::filesystem::path root() const { return m_folder.path().toStdString(); }
    static QStringList namesOf(const std::vector<ExperimentRun> &runs)
    {
        QStringList names;
        for (const ExperimentRun &run : runs)
            names << run.name;
        return names;
    }

private Q_SLOTS:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        writeReverseCorpus(root(), "train", 120, 1);
        writeReverseCorpus(root(), "valid", 20, 2);
    }
    void init() { failOnQtWarnings(); }

    void runsAreThoseOfTheCommandLine()
    {
        TrainingConfig base = reverseRun(root(), "any");
        const auto heads = experimentRuns(Varied::Heads, base, u"1, 4,4"_s, {}).valueOrThrow();
        QCOMPARE(namesOf(heads), (QStringList{u"heads-1"_s, u"heads-4"_s}));
        QCOMPARE(heads[1].config.model.encoderHeads, 4);
        QCOMPARE(heads[1].config.model.decoderHeads, 4);
        QCOMPARE(heads[1].config.output, base.output / "heads-4");
        QCOMPARE(heads[1].value, std::optional<double>(4));
        const auto begin = experimentRuns(Varied::Beginning, base, {}, {}).valueOrThrow();
        QCOMPARE(namesOf(begin), (QStringList{u"different-heads"_s, u"identical-heads"_s, u"equal-heads"_s}));
        QVERIFY(begin[1].config.initialHeads == InitialHeads::Identical);
        const auto shared = experimentRuns(Varied::SharedWidth, base, u"8"_s, {}).valueOrThrow();
        QCOMPARE(namesOf(shared), (QStringList{u"collaborative-8"_s, u"concatenated-8"_s}));
        QVERIFY(shared[1].config.fixedMixing && !shared[0].config.fixedMixing);
        QCOMPARE(shared[0].config.model.sharedWidth, 8);
        base.gates.method = GateMethod::L0;
        const auto lambdas = experimentRuns(Varied::Lambda, base, u"0.05,1"_s, {}).valueOrThrow();
        QCOMPARE(namesOf(lambdas), (QStringList{u"lambda-0.05"_s, u"lambda-1"_s}));
        QCOMPARE(lambdas[0].config.gates.lambda, 0.05);
        base.startFrom = "/a/model";
        const HeadMask mask{{HeadKind::Encoder, 0, 1}};
        const auto scratch = experimentRuns(Varied::Scratch, base, {}, mask).valueOrThrow();
        QCOMPARE(namesOf(scratch), (QStringList{u"fine-tuned"_s, u"from-scratch"_s}));
        QVERIFY(scratch[1].config.freshWeights && !scratch[0].config.freshWeights);
        QCOMPARE(scratch[0].config.removedHeads, mask);
        const auto tuned = experimentRuns(Varied::SharedWidth, base, u"8"_s, {}).valueOrThrow();
        QCOMPARE(namesOf(tuned), (QStringList{u"original"_s, u"collaborative-8"_s, u"concatenated-8"_s}));
        QVERIFY(tuned[0].config.model.sharedWidth == 0 && !tuned[0].value);
        base.freshWeights = true;
        QVERIFY(experimentRuns(Varied::SharedWidth, base, u"8"_s, {}).isError());
    }

    void scoresBeforeAndAfterTraining()
    {
        TrainingConfig base = reverseRun(root(), "any");
        base.startFrom = "/a/model";
        const auto runs = experimentRuns(Varied::SharedWidth, base, u"8,16"_s, {}).valueOrThrow();
        QCOMPARE(runs.size(), std::size_t{5});
        ExperimentController::Reports reports;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            TrainingReport report;
            TrainingEpoch epoch;
            epoch.score = 10.0 + static_cast<double>(i);
            report.before = epoch;
            epoch.epoch = 1;
            epoch.score = 20.0 + static_cast<double>(i);
            report.epochs.push_back(epoch);
            reports.push_back(std::make_shared<const TrainingReport>(report));
        }
        const LineSeries series = makeExperimentSeries(runs, reports, u"columns"_s);
        QCOMPARE(series.lines.size(), std::size_t{4});
        QCOMPARE(series.lines[0].name, u"collaborative"_s);
        QCOMPARE(series.lines[1].name, u"collaborative, before training"_s);
        QVERIFY(series.lines[1].hollow && !series.lines[0].hollow);
        QCOMPARE(series.lines[0].style, series.lines[1].style);
        QVERIFY(series.lines[2].style != series.lines[1].style);
        QCOMPARE(series.lines[1].points[0].y, 11.0);
        QCOMPARE(series.lines[0].points[1].y, 23.0);
        QCOMPARE(series.reference, std::optional<double>(20.0));
        QCOMPARE(series.axes.xTitle, u"columns"_s);
        QVERIFY(experimentCsv(runs, reports).find("collaborative-8,8,collaborative,unfinished,1,0,,,BLEU,21,11,")
                != std::string::npos);
        ExperimentModel model;
        model.setRuns(runs, reports, false);
        QCOMPARE(model.index(1, ExperimentModel::BeforeColumn).data().toString(), u"11.00"_s);
    }

    void distanceOfHeadsIsALineForEachRun()
    {
        const auto runs = experimentRuns(Varied::Beginning, reverseRun(root(), "any"), {}, {}).valueOrThrow();
        TrainingReport report;
        report.points = {{.step = 20, .spread = 0.8}, {.step = 40, .spread = 0.9}};
        TrainingReport old; // of an earlier version
        old.points = {{.step = 20}};
        const ExperimentController::Reports reports{std::make_shared<const TrainingReport>(report),
                                                    std::make_shared<const TrainingReport>(old), nullptr};
        const LineSeries series = makeSpreadSeries(runs, reports);
        QCOMPARE(series.lines.size(), std::size_t{1});
        QCOMPARE(series.lines[0].name, u"different-heads"_s);
        QCOMPARE(series.lines[0].points[1].y, 0.9);
        QCOMPARE(series.axes.xHigh, 40.0);
        QCOMPARE(spreadCsv(runs, reports),
                 std::string("run,update,spread\ndifferent-heads,20,0.8\ndifferent-heads,40,0.9\n"));
    }

    void whatDoesNotFitIsSaid_data()
    {
        QTest::addColumn<int>("varied");
        QTest::addColumn<QString>("values");
        QTest::addColumn<QString>("says");
        QTest::newRow("no value") << int(Varied::Heads) << u" , "_s << u"Give the values"_s;
        QTest::newRow("no number") << int(Varied::Heads) << u"2,x"_s << u"“x”"_s;
        QTest::newRow("no whole number") << int(Varied::Heads) << u"2.5"_s << u"“2.5”"_s;
        QTest::newRow("below 1") << int(Varied::SharedWidth) << u"0"_s << u"“0”"_s;
        QTest::newRow("does not divide") << int(Varied::Heads) << u"5"_s << u"width 32"_s;
        QTest::newRow("no gates") << int(Varied::Lambda) << u"0.1"_s << u"L0 gates"_s;
        QTest::newRow("no model") << int(Varied::Scratch) << QString() << u"trained model"_s;
    }
    void whatDoesNotFitIsSaid()
    {
        QFETCH(int, varied);
        QFETCH(QString, values);
        QFETCH(QString, says);
        const auto runs = experimentRuns(static_cast<Varied>(varied), reverseRun(root(), "any"), values, {});
        QVERIFY(runs.isError());
        const QString message = QString::fromStdString(runs.error().message);
        QVERIFY2(message.contains(says), qPrintable(message));
    }

    void chartAndTableGrowAndGoOn()
    {
        TrainingConfig form = reverseRun(root(), "experiment");
        form.epochs = 2;
        StudyState state;
        JobQueue queue;
        ExperimentView view(state, queue, [&] { return form; });
        view.show();
        view.setVaried(Varied::Heads);
        QCOMPARE(view.values().text(), u"1,2,4,8,16"_s); // of width 32
        view.values().setText(u"1,2"_s);
        QTRY_VERIFY(queue.isIdle());
        QCOMPARE(view.model().rowCount(), 2);
        QCOMPARE(view.model().index(0, ExperimentModel::StateColumn).data().toString(), u"not begun"_s);
        QVERIFY(view.startButton().isEnabled() && !view.stopButton().isEnabled());
        QVERIFY(view.exportItems().isEmpty());

        // Stopped in the first run; the second one has not begun.
        QTest::mouseClick(&view.startButton(), Qt::LeftButton);
        QVERIFY(view.experiment().isRunning() && !view.startButton().isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(view.experiment().reports()[0] && !view.experiment().reports()[0]->points.empty(),
                                 kWait);
        QTest::mouseClick(&view.stopButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!view.experiment().isRunning(), kWait);
        QVERIFY2(view.experiment().error().isEmpty(), qPrintable(view.experiment().error()));

        // Started again, it goes on and ends; what another view shows of it is what is on disk.
        QTest::mouseClick(&view.startButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!view.experiment().isRunning(), kWait);
        QVERIFY2(view.experiment().error().isEmpty(), qPrintable(view.experiment().error()));
        const auto &reports = view.experiment().reports();
        for (std::size_t i = 0; i < 2; ++i) {
            QVERIFY(reports[i] && reports[i]->state == TrainingState::Finished);
            QCOMPARE(reports[i]->epochs.size(), 2U);
            QCOMPARE(view.model().index(static_cast<int>(i), ExperimentModel::StateColumn).data().toString(),
                     u"finished"_s);
        }
        QCOMPARE(view.chart().series().lines.size(), 1U);
        QCOMPARE(view.chart().series().axes.xTitle, u"heads in each layer"_s);
        const auto &points = view.chart().series().lines[0].points;
        QCOMPARE(points.size(), 2U);
        QCOMPARE(points[0].x, 1.0);
        QCOMPARE(points[1].x, 2.0);
        const TrainingEpoch &best = reports[1]->epochs[reports[1]->bestEpoch.value_or(1)];
        QCOMPARE(points[1].y, *best.score);
        const QString folder = view.model().index(1, 0).data(ExperimentModel::kFolderRole).toString();
        QCOMPARE(std::filesystem::path(folder.toStdString()), form.output / "heads-2" / best.folder);
        QCOMPARE(view.exportItems().size(), 1);
        const std::string csv = view.exportItems().front().csv();
        QCOMPARE(std::ranges::count(csv, '\n'), 3);
        QVERIFY(csv.find("\nheads-2,2,,finished,2,") != std::string::npos);

        ExperimentView again(state, queue, [&] { return form; });
        again.show();
        again.values().setText(u"1,2"_s);
        QTRY_COMPARE(again.chart().series().lines.size(), std::size_t{1});
        QCOMPARE(again.model().index(1, ExperimentModel::ScoreColumn).data().toString(),
                 view.model().index(1, ExperimentModel::ScoreColumn).data().toString());
    }

    void runsWithoutNumbersAreLinesOverEpochs()
    {
        const TrainingConfig base = reverseRun(root(), "any");
        const auto runs = experimentRuns(Varied::Beginning, base, {}, {}).valueOrThrow();
        TrainingReport report;
        for (const std::int64_t number : {1, 2}) {
            TrainingEpoch epoch;
            epoch.epoch = number;
            epoch.score = 10.0 * static_cast<double>(number);
            report.epochs.push_back(std::move(epoch));
        }
        const ExperimentController::Reports reports{std::make_shared<const TrainingReport>(report), nullptr, nullptr};
        const LineSeries series = makeExperimentSeries(runs, reports, u"heads"_s);
        QCOMPARE(series.lines.size(), 1U);
        QCOMPARE(series.lines[0].name, u"different-heads"_s);
        QCOMPARE(series.lines[0].points.size(), 2U);
        QCOMPARE(series.lines[0].points[1].x, 2.0);
        QCOMPARE(series.lines[0].points[1].y, 20.0);
        QCOMPARE(series.axes.xTitle, u"epochs"_s);
    }
};

QTEST_MAIN(TestExperiment)
#include "tst_experiment.moc"
