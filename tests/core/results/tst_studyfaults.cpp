// A study that is saved over and over while the disk fills up at any byte, or while the program is killed, is always
// the old or the new one, whole.
#include "core/base/random.h"
#include "core/results/study.h"
#include "tests/core/results/samplestudy.h"
#include "tests/support/wholeornot.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <thread>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

class TestStudyFaults : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder{fastFolderTemplate()};
    Study m_old;
    Study m_new;
    StudyResults m_oldResults;
    StudyResults m_newResults;

    fs::path file() const { return fs::path(m_folder.path().toStdString()) / "one.headscope"; }

    enum class Which { Old, New };
    /// Nothing: it is neither, or not whole.
    std::optional<Which> onDisk() const
    {
        const auto loaded = loadStudy(file());
        if (!loaded.isOk() || !loaded.value().problems.empty())
            return std::nullopt;
        const auto sizes = [](const StudyResults &results) { return std::pair(results[0].size(), results[1].size()); };
        const LoadedStudy &found = loaded.value();
        if (found.study.mask == m_old.mask && sizes(found.results) == sizes(m_oldResults))
            return Which::Old;
        if (found.study.mask == m_new.mask && sizes(found.results) == sizes(m_newResults))
            return Which::New;
        return std::nullopt;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_old = samples::sampleStudy(m_folder.path().toStdString());
        m_old.layout.clear();
        m_new = m_old;
        m_new.mask = HeadMask{HeadRef{HeadKind::Encoder, 1, 0}};
        m_oldResults[0] = {samples::importance()};
        m_newResults[0] = {samples::importance(), samples::confidence()};
        m_newResults[1] = {samples::contingencySample()};
    }

    void diskFullAtEveryByte()
    {
        (void)saveStudy(m_old, m_oldResults, file()).valueOrThrow();
        QVERIFY(onDisk() == Which::Old);
        std::int64_t byte = 0;
        for (bool failed = true; failed; ++byte) {
            {
                const DiskFullAfter full(byte);
                failed = saveStudy(m_new, m_newResults, file()).isError();
            }
            QVERIFY2(onDisk() == (failed ? Which::Old : Which::New), qPrintable(QString::number(byte)));
        }
        QVERIFY(byte > 1000); // or nothing was written to this disk
        // What was begun and not finished is gone again: the study and its three results.
        int files = 0;
        for (const auto &entry : fs::recursive_directory_iterator(file().parent_path()))
            files += entry.is_regular_file() ? 1 : 0;
        QCOMPARE(files, 4);
    }

    void fiftyKills()
    {
        const auto start = std::chrono::steady_clock::now();
        (void)saveStudy(m_old, m_oldResults, file()).valueOrThrow();
        const std::chrono::duration<double> once = std::chrono::steady_clock::now() - start;
        Random random(5);
        int changed = 0;
        for (int kill = 0; kill < 50; ++kill) {
            const auto before = onDisk();
            const pid_t child = ::fork();
            QVERIFY(child >= 0);
            if (child == 0) {
                for (;;) {
                    (void)saveStudy(m_new, m_newResults, file());
                    (void)saveStudy(m_old, m_oldResults, file());
                }
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(2) + random.uniform() * 8 * once);
            ::kill(child, SIGKILL);
            int status = 0;
            QCOMPARE(::waitpid(child, &status, 0), child);
            QVERIFY(WIFSIGNALED(status));
            const auto after = onDisk();
            QVERIFY2(after.has_value(), qPrintable(QString::number(kill)));
            changed += after != before ? 1 : 0;
        }
        QVERIFY(changed > 0); // or it was not saving at all
    }
};

QTEST_APPLESS_MAIN(TestStudyFaults)
#include "tst_studyfaults.moc"
