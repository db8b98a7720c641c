// A training on a disk that fails, and one that is killed, at any place: what was saved stays whole, and the same
// command goes on to the same model.
#include "core/session/training.h"
#include "tests/support/reversecorpus.h"
#include "tests/support/wholeornot.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <sstream>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

class TestTrainingFaults : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder{fastFolderTemplate()};
    FolderContent m_whole; ///< the run that nothing happened to

    fs::path path(const std::string &name) const { return fs::path(m_folder.path().toStdString()) / name; }

    TrainingConfig config() const
    {
        TrainingConfig config;
        config.output = path("run");
        config.train.source = path("train.src");
        config.train.reference = path("train.ref");
        config.model = {.width = 8,
                        .encoderLayers = 1,
                        .decoderLayers = 1,
                        .encoderHeads = 2,
                        .decoderHeads = 2,
                        .feedForward = 8,
                        .maxPositions = 16};
        config.vocabulary.size = 40;
        config.batchTokens = 128;
        config.epochs = 3; // a state after each
        config.dtype = "f32";
        config.reportSteps = 2;
        config.threads = 1;
        return config;
    }

    /// In a copy of this process: LibTorch's threads are not copied, so here there may be none.
    template<typename Work>
    static int inCopy(const Work &work)
    {
        const pid_t child = ::fork();
        if (child == 0)
            ::_exit(work());
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    bool trains() const
    {
        return inCopy([this] {
                   const auto result = train(config(), {});
                   if (result.isError())
                       qWarning("%s", result.error().message.c_str());
                   return result.isOk() ? 0 : 1;
               })
            == 0;
    }

    /// Of a run's folder what must be the same: everything, without the times in it.
    FolderContent withoutTimes() const
    {
        FolderContent content = contentOf(path("run"));
        std::istringstream lines(content["training.jsonl"]);
        std::string text;
        for (std::string line; std::getline(lines, line);) {
            auto json = nlohmann::json::parse(line);
            json.erase("seconds");
            json.erase("tokens_per_second");
            text += json.dump() + '\n';
        }
        content["training.jsonl"] = text;
        content.erase("training-state.safetensors"); // ends with the time spent
        return content;
    }

    /// What a reader sees after an accident: every epoch that is there is one of the whole run, and so is the beginning
    /// of the curve.
    bool isSound() const
    {
        const FolderContent now = contentOf(path("run"), Hidden::IsIgnored);
        for (const auto &[name, bytes] : now) {
            if (name.starts_with("epoch-") && m_whole.at(name) != bytes)
                return false;
        }
        const auto isThere = [&](const std::string &name) { return now.contains(name); };
        for (const auto &[name, bytes] : m_whole) {
            const std::string folder = name.substr(0, name.find('/') + 1);
            if (name.starts_with("epoch-") && isThere(folder) && !isThere(name))
                return false;
        }
        return !isThere("train.json") || readTrainingRun(path("run")).isOk();
    }

    /// All of the first calls, by which a run's folder begins, and every fifth of some three hundred others: files take
    /// four each, so that every kind of call has its turn.
    static int callAfter(int call) { return call + (call < 12 ? 1 : 5); }

private Q_SLOTS:
    void initTestCase()
    {
        writeReverseCorpus(path(""), "train", 60, 1);
        QVERIFY(trains());
        m_whole = withoutTimes();
        QVERIFY(m_whole.contains("epoch-003/model.safetensors"));
        fs::remove_all(path("run"));
        QVERIFY(trains());
        QVERIFY(withoutTimes() == m_whole); // or nothing below could be the same
    }

    void diskFullAtManyBytes()
    {
        bool finished = false;
        int stopped = 0;
        // From nothing every time.
        for (std::int64_t bytes = 0; !finished; bytes += 24'989) {
            fs::remove_all(path("run"));
            const int code = inCopy([&] {
                const DiskFullAfter full(bytes);
                const auto result = train(config(), {});
                return result.isOk() ? 0 : result.error().code == ErrorCode::Resource ? 1 : 2;
            });
            QVERIFY2(code == 0 || code == 1, QByteArray::number(static_cast<qlonglong>(bytes)));
            finished = code == 0;
            stopped += code;
            QVERIFY2(isSound(), QByteArray::number(static_cast<qlonglong>(bytes)));
            QVERIFY(trains());
            QVERIFY2(withoutTimes() == m_whole, QByteArray::number(static_cast<qlonglong>(bytes)));
        }
        QVERIFY(stopped > 20);
    }

    void failingCalls()
    {
        int calls = 0;
        for (int code = 1; code != 0; calls = callAfter(calls)) {
            fs::remove_all(path("run"));
            code = inCopy([&] {
                const CallFails broken(calls);
                const auto result = train(config(), {});
                return result.isError() ? 1 : broken.happened() ? 2 : 0;
            });
            QVERIFY(code >= 0);
            QVERIFY2(isSound(), QByteArray::number(calls));
            QVERIFY(trains());
            QVERIFY2(withoutTimes() == m_whole, QByteArray::number(calls));
        }
        QVERIFY(calls > 100);
    }

    void killedBeforeCalls()
    {
        bool killed = true;
        for (int call = 0; killed; call = callAfter(call)) {
            fs::remove_all(path("run"));
            killed = killedAtCall(call, [this] { (void)train(config(), {}); });
            QVERIFY2(isSound(), QByteArray::number(call));
            QVERIFY(trains());
            QVERIFY2(withoutTimes() == m_whole, QByteArray::number(call));
        }
    }

    /// The same run is killed again and again, every time a little later after it went on.
    void killedOverAndOver()
    {
        fs::remove_all(path("run"));
        int kills = 0;
        while (killedAtCall(7 * kills, [this] { (void)train(config(), {}); })) {
            ++kills;
            QVERIFY(isSound());
        }
        QVERIFY(kills > 10);
        QVERIFY(withoutTimes() == m_whole);
    }
};

QTEST_GUILESS_MAIN(TestTrainingFaults)
#include "tst_trainingfaults.moc"
