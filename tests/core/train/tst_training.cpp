#include "core/analysis/collaboratespec.h"
#include "core/analysis/evaluationspec.h"
#include "core/formats/atomicfile.h"
#include "core/formats/textlines.h"
#include "core/session/session.h"
#include "core/session/training.h"
#include "tests/support/reverserun.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fstream>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

namespace {

std::string messageOf(const auto &result)
{
    return result.isError() ? result.error().message : "";
}

/// What must be the same however a run came to its end.
void compareReports(const TrainingReport &a, const TrainingReport &b)
{
    QCOMPARE(a.points.size(), b.points.size());
    for (std::size_t i = 0; i < a.points.size(); ++i) {
        QCOMPARE(a.points[i].step, b.points[i].step);
        QCOMPARE(a.points[i].loss, b.points[i].loss);
        QCOMPARE(a.points[i].gradientNorm, b.points[i].gradientNorm);
    }
    QCOMPARE(a.epochs.size(), b.epochs.size());
    for (std::size_t i = 0; i < a.epochs.size(); ++i) {
        QCOMPARE(a.epochs[i].trainLoss, b.epochs[i].trainLoss);
        QCOMPARE(a.epochs[i].score, b.epochs[i].score);
    }
}

} // namespace

/// Whole runs on a corpus of a few words, through the door.
class TestTraining : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path path(const std::string &name) const { return fs::path(m_folder.path().toStdString()) / name; }

    TrainingConfig config(const std::string &output) const { return reverseRun(path(""), output); }

    static TrainingReport run(const TrainingConfig &config)
    {
        auto result = train(config, {});
        if (!result.isOk())
            qWarning("%s", messageOf(result).c_str());
        return result.isOk() ? result.value() : TrainingReport();
    }

    /// Stops a run at its n-th report.
    static Result<TrainingReport> stopAfter(const TrainingConfig &config, int reports)
    {
        std::stop_source stop;
        return train(config, JobControl(stop.get_token()), [&](const TrainingReport &) {
            if (--reports <= 0)
                stop.request_stop();
        });
    }

private Q_SLOTS:
    void initTestCase();
    void learnsAndWritesCompleteFolders();
    void goesOnExactlyWhereItWasStopped();
    void finishedRunAnswersAtOnce();
    void threadsDoNotChangeTheNumbers();
    void plainAgreesWithFast();
    void stopsEarly();
    void savesInHalfPrecision();
    void goesOnFromAModel();
    void otherConfigurationIsRefused();
    void otherTextIsRefused();
    void foldersOfOthersAreLeftAlone();
    void halfWrittenFilesAreRemoved();
    void runsAreRead();
    void separateVocabulariesAndBpe();
    void sharedProjectionsLearn();
    void sharedProjectionsOfATrainedModel();
};

void TestTraining::initTestCase()
{
    writeReverseCorpus(path(""), "train", 600, 1);
    writeReverseCorpus(path(""), "valid", 40, 99);
}

void TestTraining::learnsAndWritesCompleteFolders()
{
    TrainingConfig wanted = config("learns");
    wanted.epochs = 6;
    const TrainingReport report = run(wanted);
    QCOMPARE(report.state, TrainingState::Finished);
    QCOMPARE(report.epochs.size(), std::size_t{6});
    QVERIFY(report.epochs.back().trainLoss < 0.5 * report.epochs.front().trainLoss);
    QVERIFY(*report.epochs.back().validationLoss < *report.epochs.front().validationLoss);
    QVERIFY(*report.epochs[*report.bestEpoch].score > 30);
    for (const TrainingEpoch &epoch : report.epochs) {
        const auto session = Session::open(report.folder / epoch.folder, {}, {});
        QVERIFY2(session.isOk(), messageOf(session).c_str());
        QVERIFY(session.value()->card().warnings.empty());
    }
    // What the trainer said of an epoch, its folder says again.
    const TrainingEpoch &best = report.epochs[*report.bestEpoch];
    const auto session = Session::open(report.folder / best.folder, {}, {}).valueOrThrow();
    (void)session->setData(Domain::In, wanted.validation, {}).valueOrThrow();
    const auto score = session->run<EvaluationSpec>(Domain::In, {}, {}).valueOrThrow();
    QVERIFY(std::abs(score.primary().value - *best.score) < 1e-9);
}

void TestTraining::sharedProjectionsLearn()
{
    TrainingConfig wanted = config("collaborative");
    wanted.model.sharedWidth = 12;
    wanted.epochs = 6;
    const TrainingReport report = run(wanted);
    QVERIFY(report.epochs.back().trainLoss < 0.6 * report.epochs.front().trainLoss);
    const TrainingEpoch &best = report.epochs[*report.bestEpoch];
    const auto session = Session::open(report.folder / best.folder, {}, {}).valueOrThrow();
    QVERIFY(session->card().warnings.empty());
    (void)session->setData(Domain::In, wanted.validation, {}).valueOrThrow();
    EvaluationSpec plain;
    plain.run.plain = true;
    const auto score = session->run(Domain::In, plain, {}).valueOrThrow();
    QVERIFY(std::abs(score.primary().value - *best.score) < 1e-9);

    TrainingConfig fixed = config("concatenated");
    fixed.model.sharedWidth = 12;
    fixed.fixedMixing = true;
    fixed.epochs = 1;
    QCOMPARE(report.parameters - run(fixed).parameters, 3 * 2 * 12); // the mixing matrices
    TrainingConfig own = config("own");
    own.epochs = 1;
    // Of each of three attentions: two projections of 32 rows with biases, or of 12 with mixing and content.
    QCOMPARE(run(own).parameters - report.parameters, 3 * (2 * 32 * 33 - 2 * 12 * 32 - 2 * 12 - 2 * 32));
}

/// The model to go on from is factorized first, and measured as it then is.
void TestTraining::sharedProjectionsOfATrainedModel()
{
    TrainingConfig first = config("to-share");
    first.epochs = 6;
    const TrainingReport trained = run(first);
    QVERIFY(!trained.before);
    const TrainingEpoch &best = trained.epochs[*trained.bestEpoch];
    TrainingConfig further = config("shared-further");
    further.startFrom = trained.folder / best.folder;
    further.epochs = 1;
    TrainingConfig original = further;
    original.output = path("whole-further");
    const TrainingReport whole = run(original);
    QVERIFY(whole.before && std::abs(*whole.before->score - *best.score) < 1e-9);
    further.model.sharedWidth = 4;
    const TrainingReport shared = run(further);
    QVERIFY(shared.before && *shared.before->validationLoss > *whole.before->validationLoss);
    QVERIFY(*shared.epochs[0].validationLoss < *shared.before->validationLoss);
    QVERIFY(shared.parameters < whole.parameters);
    // The same as what `collaborate --export` writes.
    const auto session = Session::open(further.startFrom, {}, {}).valueOrThrow();
    CollaborateSpec spec;
    spec.ranks = {4};
    (void)session->exportShared(spec, path("exported"), {}).valueOrThrow();
    const auto exported = Session::open(path("exported"), {}, {}).valueOrThrow();
    (void)exported->setData(Domain::In, further.validation, {}).valueOrThrow();
    const auto score = exported->run<EvaluationSpec>(Domain::In, {}, {}).valueOrThrow();
    QVERIFY(std::abs(score.primary().value - *shared.before->score) < 1e-9);
    // A finished run says what it began with.
    QVERIFY(readTrainingRun(further.output).valueOrThrow().report.before == shared.before);
    TrainingConfig fresh = further;
    fresh.output = path("fresh-shared");
    fresh.freshWeights = true;
    const auto refused = train(fresh, {});
    QVERIFY(refused.isError() && refused.error().message.find("shared_projections") != std::string::npos);
}

void TestTraining::goesOnExactlyWhereItWasStopped()
{
    const TrainingReport whole = run(config("whole"));
    for (const int reports : {1, 2, 4, 6}) {
        const TrainingConfig parted = config("parted-" + std::to_string(reports));
        QVERIFY(stopAfter(parted, reports).isCancelled());
        const TrainingReport resumed = run(parted);
        QVERIFY(resumed.resumedFrom > 0);
        compareReports(resumed, whole);
    }
}

void TestTraining::finishedRunAnswersAtOnce()
{
    const TrainingReport first = run(config("twice"));
    const TrainingReport again = run(config("twice"));
    QCOMPARE(again.resumedFrom, first.step);
    QCOMPARE(again.state, TrainingState::Finished);
    compareReports(again, first);
    TrainingConfig longer = config("twice");
    longer.epochs = 4;
    QCOMPARE(run(longer).epochs.size(), std::size_t{4});
}

void TestTraining::threadsDoNotChangeTheNumbers()
{
    TrainingConfig one = config("one");
    one.batchTokens = 4096; // several parts
    one.threads = 1;
    TrainingConfig three = one;
    three.output = path("three");
    three.threads = 3;
    compareReports(run(three), run(one));
}

void TestTraining::plainAgreesWithFast()
{
    TrainingConfig fast = config("fast");
    fast.epochs = 1;
    TrainingConfig plain = fast;
    plain.output = path("plain");
    plain.plain = true;
    const TrainingReport a = run(fast);
    const TrainingReport b = run(plain);
    QCOMPARE(a.points.size(), b.points.size());
    for (std::size_t i = 0; i < a.points.size(); ++i)
        QVERIFY(std::abs(a.points[i].loss - b.points[i].loss) < 1e-3);
}

void TestTraining::stopsEarly()
{
    TrainingConfig stuck = config("stuck");
    stuck.schedule = {ScheduleKind::Constant, 1e-9, 0};
    stuck.epochs = 20;
    stuck.patience = 2;
    const TrainingReport report = run(stuck);
    QCOMPARE(report.state, TrainingState::StoppedEarly);
    QCOMPARE(report.epochs.size(), std::size_t{3});
    QCOMPARE(*report.bestEpoch, std::size_t{0});
}

void TestTraining::savesInHalfPrecision()
{
    TrainingConfig half = config("half");
    half.epochs = 1;
    half.saveDtype = "f16";
    const TrainingReport report = run(half);
    const auto sizeOf
        = [&](const std::string &folder) { return fs::file_size(report.folder / folder / "model.safetensors"); };
    QVERIFY(sizeOf("epoch-001") < 0.6 * static_cast<double>(sizeOf("epoch-000")));
    QVERIFY(Session::open(report.folder / "epoch-001", {}, {}).isOk());
}

void TestTraining::goesOnFromAModel()
{
    writeTinyModel(path("tiny"));
    TrainingConfig further = config("further");
    further.startFrom = path("tiny");
    further.epochs = 1;
    writeTinyCorpus(path("tiny.src"), path("tiny.ref"), 50, 3);
    further.train.source = path("tiny.src");
    further.train.reference = path("tiny.ref");
    const TrainingReport report = run(further);
    QCOMPARE(report.epochs.size(), std::size_t{1});
    QVERIFY(fs::exists(report.folder / "epoch-001" / "source.spm"));
}

void TestTraining::otherConfigurationIsRefused()
{
    TrainingConfig first = config("refused");
    first.epochs = 1;
    (void)run(first);
    first.dropout = 0.2;
    const auto second = train(first, {});
    QVERIFY(second.isError());
    QVERIFY(messageOf(second).find("another configuration") != std::string::npos);
}

void TestTraining::otherTextIsRefused()
{
    TrainingConfig first = config("othertext");
    first.train.source = path("changing.src");
    fs::copy_file(path("train.src"), first.train.source);
    first.epochs = 1;
    (void)run(first);
    first.epochs = 2;
    {
        std::fstream text(first.train.source, std::ios::in | std::ios::out | std::ios::binary);
        text << "changed";
    }
    const auto second = train(first, {});
    QVERIFY(second.isError());
    QVERIFY2(messageOf(second).find("training text") != std::string::npos, messageOf(second).c_str());
    fs::copy_file(path("train.src"), first.train.source, fs::copy_options::overwrite_existing);
    QVERIFY(train(first, {}).isOk());
}

void TestTraining::foldersOfOthersAreLeftAlone()
{
    fs::create_directories(path("others"));
    (void)writeFileAtomically(path("others") / "thesis.txt", "years of work");
    QVERIFY(train(config("others"), {}).isError());
    QVERIFY(fs::exists(path("others") / "thesis.txt"));
    QCOMPARE(std::distance(fs::directory_iterator(path("others")), fs::directory_iterator()), 1);
}

void TestTraining::halfWrittenFilesAreRemoved()
{
    const TrainingConfig wanted = config("halfwritten");
    QVERIFY(stopAfter(wanted, 2).isCancelled());
    fs::create_directories(wanted.output / ".epoch-001.partial");
    (void)writeFileAtomically(wanted.output / ".training-state.safetensors.1.0.tmp", "x");
    std::ofstream(wanted.output / "training.jsonl", std::ios::app) << "{\"step\": 40, \"lo";
    const TrainingReport report = run(wanted);
    QCOMPARE(report.epochs.size(), std::size_t{3});
    for (const auto &entry : fs::directory_iterator(wanted.output))
        QVERIFY2(!entry.path().filename().string().starts_with("."), entry.path().c_str());
    QCOMPARE(readTrainingRun(wanted.output).value().report.points.size(), report.points.size());
}

void TestTraining::runsAreRead()
{
    const TrainingConfig wanted = config("read");
    QVERIFY(stopAfter(wanted, 3).isCancelled());
    const auto stopped = readTrainingRun(wanted.output);
    QVERIFY(stopped.isOk());
    QCOMPARE(stopped.value().report.state, TrainingState::Running);
    const TrainingReport report = run(wanted);
    const auto read = readTrainingRun(wanted.output);
    QVERIFY(read.isOk());
    QCOMPARE(read.value().report.state, TrainingState::Finished);
    compareReports(read.value().report, report);
    QCOMPARE(read.value().config.model, wanted.model);
    QVERIFY(readTrainingRun(path("nowhere")).isError());
    // A line of somebody else's names a folder elsewhere: it is no epoch of this run.
    std::ofstream(wanted.output / "training.jsonl", std::ios::app)
        << R"({"finished_epoch":99,"step":9999,"train_loss":1,"seconds":1,"folder":"../elsewhere"})" << '\n';
    const auto added = readTrainingRun(wanted.output);
    QVERIFY(added.isOk());
    QCOMPARE(added.value().report.epochs.size(), report.epochs.size());
    QVERIFY(!added.value().report.warnings.empty());
}

void TestTraining::separateVocabulariesAndBpe()
{
    TrainingConfig wanted = config("bpe");
    wanted.vocabulary.joint = false;
    wanted.vocabulary.type = "bpe";
    wanted.vocabulary.size = 40;
    wanted.epochs = 1;
    const TrainingReport report = run(wanted);
    QCOMPARE(report.epochs.size(), std::size_t{1});
    const fs::path folder = report.folder / "epoch-001";
    QVERIFY(Session::open(folder, {}, {}).isOk());
    QVERIFY(readBytes(folder / "source.spm").value() != readBytes(folder / "target.spm").value());
}

QTEST_GUILESS_MAIN(TestTraining)
#include "tst_training.moc"
