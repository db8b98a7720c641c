// A real sshd between the window's side and the core: open, ablate, mask, prune, attention, cancel, and a connection
// that is killed in the middle. Skipped where there is no sshd.
#include "core/analysis/ablationspec.h"
#include "core/analysis/anyspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/importancespec.h"
#include "core/analysis/pruningspec.h"
#include "core/session/session.h"
#include "tests/support/numbersof.h"
#include "tests/support/tinymodel.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <filesystem>
#include <memory>
#include <netinet/in.h>
#include <stop_token>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace headscope;
using namespace headscope::testing;

class TestOverSsh : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    QProcess m_sshd;
    std::string m_host; ///< a command that reaches the core over that sshd
    DataSource m_data;
    std::shared_ptr<Session> m_local;
    std::shared_ptr<Session> m_remote;

    std::filesystem::path path(const char *name) const
    {
        return m_folder.filePath(QString::fromUtf8(name)).toStdString();
    }

    /// A port of the loopback address that nobody has.
    static int freePort()
    {
        const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        (void)bind(descriptor, reinterpret_cast<sockaddr *>(&address), length);
        (void)getsockname(descriptor, reinterpret_cast<sockaddr *>(&address), &length);
        close(descriptor);
        return ntohs(address.sin_port);
    }
    void compareRun(const AnySpec &spec)
    {
        const auto here = m_local->runAny(Domain::In, spec, {}).valueOrThrow();
        const auto there = m_remote->runAny(Domain::In, spec, {});
        QVERIFY2(there.isOk(), there.isError() ? there.error().message.c_str() : "cancelled");
        QCOMPARE(numbersOf(there.value()), numbersOf(here));
    }

private Q_SLOTS:
    void initTestCase()
    {
        const bool there = !QStandardPaths::findExecutable(QStringLiteral("sshd")).isEmpty()
                        || QFileInfo(QStringLiteral("/usr/sbin/sshd")).isExecutable();
        if (!there || QStandardPaths::findExecutable(QStringLiteral("ssh")).isEmpty())
            QSKIP("There is no ssh and sshd (openssh-server) to try it with.");
        const QString port = QString::number(freePort());
        const QString keys = m_folder.filePath(QStringLiteral("ssh"));
        m_sshd.setProgram(qEnvironmentVariable("HEADSCOPE_SOURCE_DIR") + QStringLiteral("/tests/core/remote/sshd.sh"));
        m_sshd.setArguments({keys, port});
        m_sshd.setProcessChannelMode(QProcess::MergedChannels);
        m_sshd.start();
        QVERIFY(m_sshd.waitForStarted());
        const QStringList ssh{QStringLiteral("ssh"),      QStringLiteral("-T"),
                              QStringLiteral("-p"),       port,
                              QStringLiteral("-i"),       keys + QStringLiteral("/user_key"),
                              QStringLiteral("-o"),       QStringLiteral("StrictHostKeyChecking=no"),
                              QStringLiteral("-o"),       QStringLiteral("UserKnownHostsFile=/dev/null"),
                              QStringLiteral("-o"),       QStringLiteral("LogLevel=ERROR"),
                              QStringLiteral("-o"),       QStringLiteral("BatchMode=yes"),
                              QStringLiteral("127.0.0.1")};
        QElapsedTimer timer;
        timer.start();
        while (QProcess::execute(ssh.front(), ssh.mid(1) + QStringList{QStringLiteral("true")}) != 0) {
            if (timer.elapsed() > 30000)
                QFAIL(qPrintable(QStringLiteral("No login: ") + QString::fromUtf8(m_sshd.readAll())));
            QTest::qWait(200);
        }
        m_host = ssh.join(u' ').toStdString() + " env XDG_RUNTIME_DIR=" + m_folder.path().toStdString() + ' '
               + qEnvironmentVariable("HEADSCOPE_BIN").toStdString() + "/headscope-cli";
        writeTinyModel(path("model"));
        writeTinyCorpus(path("a.src"), path("a.ref"), 60, 5);
        m_data.source = path("a.src");
        m_data.reference = path("a.ref");
        m_local = Session::open(path("model"), {.threads = 1}, {}).valueOrThrow();
        (void)m_local->setData(Domain::In, m_data, {}).valueOrThrow();
        m_remote = Session::open(path("model"), {.host = m_host, .threads = 1}, {}).valueOrThrow();
        (void)m_remote->setData(Domain::In, m_data, {}).valueOrThrow();
    }

    void cleanupTestCase()
    {
        m_remote.reset();
        m_sshd.terminate();
        (void)m_sshd.waitForFinished(5000);
    }

    void sameNumbers()
    {
        compareRun(AblationSpec{.resamples = 50});
        compareRun(EvaluationSpec{.mask = HeadMask{{HeadKind::Encoder, 0, 1}, {HeadKind::Cross, 1, 0}}});
        compareRun(PruningSpec{.step = 6, .resamples = 20});
        const std::string text = m_local->rows(Domain::In)->at(3).source;
        QCOMPARE(numbersOf(m_remote->attention(text, "", {}, {}, {}).valueOrThrow()),
                 numbersOf(m_local->attention(text, "", {}, {}, {}).valueOrThrow()));
    }

    void cancels()
    {
        std::stop_source stop;
        const JobControl control(stop.get_token(), [&](const Progress &progress) {
            if (progress.total > 0) // it is under way
                stop.request_stop();
        });
        QVERIFY(m_remote->run(Domain::In, AblationSpec{.resamples = 3000000}, control).isCancelled());
    }

    /// What sshd started for the connection is killed, as when the network fails; the core waits, and is found again.
    void killedInTheMiddle()
    {
        int killed = -1;
        std::thread killer([this, &killed] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            killed = QProcess::execute(QStringLiteral("pkill"),
                                       {QStringLiteral("-9"), QStringLiteral("-f"),
                                        QString::fromStdString("^ssh -T -p .*" + m_folder.path().toStdString())});
        });
        compareRun(AblationSpec{.allButOne = true, .resamples = 400000});
        killer.join();
        QCOMPARE(killed, 0); // there was one
        compareRun(ImportanceSpec());
    }
};

QTEST_GUILESS_MAIN(TestOverSsh)
#include "tst_overssh.moc"
