#include "core/base/random.h"
#include "core/session/session.h"
#include "tests/support/reverserun.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <cmath>
#include <set>
#include <thread>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

/// A training that is killed (SIGKILL) at twenty random moments loses no finished epoch and ends with the curve of one
/// that was left alone.
class TestKill : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path path(const std::string &name) const { return fs::path(m_folder.path().toStdString()) / name; }

    void writeConfig(const std::string &name) const
    {
        TrainingConfig config = reverseRun(path(""), name);
        config.model.encoderLayers = config.model.decoderLayers = 2;
        config.model.encoderHeads = config.model.decoderHeads = 4;
        config.schedule = {};
        config.dtype = "auto";
        config.batchTokens = 512;
        config.epochs = 8;
        config.reportSteps = 3;
        config.saveMinutes = 0.01; // states in the middle of epochs, too
        (void)writeFileAtomically(path(name + ".json"), trainingConfigText(config));
    }

    std::unique_ptr<QProcess> start(const std::string &name) const
    {
        auto process = std::make_unique<QProcess>();
        process->start(qEnvironmentVariable("HEADSCOPE_BIN") + QStringLiteral("/headscope-cli"),
                       {QStringLiteral("train"), QStringLiteral("--quiet"),
                        QString::fromStdString(path(name + ".json").string())});
        return process;
    }

    /// Epochs whose folders are there; all of them must open.
    std::set<std::string> finishedEpochs(const std::string &name) const
    {
        std::set<std::string> found;
        std::error_code none;
        for (const auto &entry : fs::directory_iterator(path(name), none)) {
            const std::string folder = entry.path().filename().string();
            if (!folder.starts_with("epoch-"))
                continue;
            const auto session = Session::open(entry.path(), {}, {});
            if (!session.isOk())
                qWarning("%s: %s", folder.c_str(), session.error().message.c_str());
            else
                found.insert(folder);
        }
        return found;
    }

    void compareRuns(const std::string &name) const
    {
        const auto expected = readTrainingRun(path("alone")).valueOrThrow();
        const auto found = readTrainingRun(path(name)).valueOrThrow();
        QCOMPARE(found.report.epochs.size(), expected.report.epochs.size());
        QCOMPARE(found.report.points.size(), expected.report.points.size());
        for (std::size_t i = 0; i < found.report.points.size(); ++i) {
            QCOMPARE(found.report.points[i].step, expected.report.points[i].step);
            QVERIFY(std::abs(found.report.points[i].loss - expected.report.points[i].loss) < 1e-3);
        }
    }

private Q_SLOTS:
    void killedRunsLoseNothing()
    {
        writeReverseCorpus(path(""), "train", 4000, 1);
        writeReverseCorpus(path(""), "valid", 20, 2);
        writeConfig("alone");
        const auto begin = std::chrono::steady_clock::now();
        const auto alone = start("alone");
        QVERIFY(alone->waitForFinished(300'000));
        QVERIFY2(alone->exitCode() == 0, alone->readAllStandardError().constData());
        const auto whole
            = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);

        // Now and then during start-up, mostly while it trains, validates or saves. A run that comes to its end is
        // followed by another one.
        Random random(20);
        int killed = 0;
        int runs = 0;
        std::set<std::string> before;
        while (killed < 20) {
            const std::string name = "killed-" + std::to_string(runs);
            writeConfig(name);
            const auto process = start(name);
            const auto wait
                = whole / 12 + std::chrono::milliseconds(random.below(static_cast<std::uint32_t>(whole.count() / 8)));
            if (process->waitForFinished(static_cast<int>(wait.count()))) {
                QVERIFY2(process->exitCode() == 0, process->readAllStandardError().constData());
                compareRuns(name);
                before.clear();
                ++runs;
                continue;
            }
            process->kill();
            QVERIFY(process->waitForFinished());
            ++killed;
            const auto after = finishedEpochs(name);
            for (const std::string &epoch : before)
                QVERIFY2(after.contains(epoch), epoch.c_str());
            before = after;
        }
        const std::string name = "killed-" + std::to_string(runs);
        const auto last = start(name);
        QVERIFY(last->waitForFinished(300'000));
        QVERIFY2(last->exitCode() == 0, last->readAllStandardError().constData());
        compareRuns(name);
        qInfo("killed %d times in %d runs", killed, runs + 1);
    }
};

QTEST_GUILESS_MAIN(TestKill)
#include "tst_kill.moc"
