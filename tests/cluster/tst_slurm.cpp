// A real Slurm (slurm.sh): a sweep as eight shards on two nodes, one of which loses its power in the middle, and one
// that is interrupted.
#include "tests/cluster/sweepworld.h"
#include "tests/support/shareddata.h"
#include "tests/support/tinymodel.h"

#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTest>

#include <csignal>
#include <memory>

using namespace Qt::StringLiterals;
using namespace headscope::testing;

class TestSlurm : public QObject
{
    Q_OBJECT

    QTemporaryDir m_world;
    QProcess m_slurm;
    QString m_folder; ///< slurm.sh's
    QStringList m_sweep;
    QByteArray m_csv;
    QByteArray m_json;

    QString path(const char *name) const { return m_world.filePath(QString::fromLatin1(name)); }

    QProcessEnvironment environment() const
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"SLURM_CONF"_s, m_folder + u"/slurm.conf"_s);
        return environment;
    }
    std::unique_ptr<QProcess> start(const QString &what, const QStringList &arguments) const
    {
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(environment());
        process->start(what, arguments);
        return process;
    }
    /// The program may have ended while something else was waited for.
    static bool hasEnded(QProcess &process, int milliseconds)
    {
        return process.state() == QProcess::NotRunning || process.waitForFinished(milliseconds);
    }
    QByteArray queue() const
    {
        const auto asked
            = start(u"squeue"_s, {u"--noheader"_s, u"--array"_s, u"--states=all"_s, u"--format=%K|%T|%N"_s});
        return asked->waitForFinished(60000) ? asked->readAllStandardOutput() : QByteArray();
    }
    QStringList onCluster(const char *folder, const QStringList &more) const
    {
        return m_sweep + QStringList{u"--cluster"_s,         u"slurm"_s,
                                     u"--shards"_s,          u"8"_s,
                                     u"--cluster-folder"_s,  path(folder),
                                     u"--cluster-options"_s, u"--partition main --comment 'eight shards'"_s}
             + more;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_slurm.start(qEnvironmentVariable("HEADSCOPE_SOURCE_DIR") + u"/tests/cluster/slurm.sh"_s, {});
        while (m_slurm.waitForReadyRead(120000) && !m_slurm.canReadLine()) { }
        const QString line = QString::fromUtf8(m_slurm.readLine()).trimmed();
        if (!line.startsWith(u"ready "_s)) {
            m_slurm.closeWriteChannel();
            m_slurm.waitForFinished(60000);
            if (m_slurm.exitCode() == 77)
                QSKIP(qPrintable(u"There is no Slurm here: "_s + line));
            QFAIL(
                qPrintable(line + QString::fromUtf8(m_slurm.readAllStandardOutput() + m_slurm.readAllStandardError())));
        }
        m_folder = line.mid(6);

        // 96 heads in any case.
        QString model = QString::fromStdString(sharedData("models/marian-multi30k-en-fr").string());
        QString source = QString::fromStdString(sharedData("data/multi30k/test_2016_flickr.en.gz").string());
        QString reference = QString::fromStdString(sharedData("data/multi30k/test_2016_flickr.fr.gz").string());
        if (model.isEmpty() || source.isEmpty() || reference.isEmpty()) {
            qInfo("The real model is not here (HEADSCOPE_SHARED): a made-up one is swept.");
            model = path("model");
            source = path("in.src");
            reference = path("in.ref");
            writeTinyModel(model.toStdString(), {.encoderLayers = 4, .decoderLayers = 4, .heads = 8, .width = 32});
            writeTinyCorpus(source.toStdString(), reference.toStdString(), 200, 5);
        }
        m_sweep = QStringList{u"ablate"_s,      u"--model"_s,   model,        u"--source"_s,    source,
                              u"--reference"_s, reference,      u"--beams"_s, u"1"_s,           u"--limit"_s,
                              u"120"_s,         u"--threads"_s, u"1"_s,       u"--resamples"_s, u"1000"_s};
        QElapsedTimer timer;
        timer.start();
        m_csv = checked(m_sweep + QStringList{u"--quiet"_s, u"--format"_s, u"csv"_s}).out;
        qInfo("one run by itself: %.1f s", static_cast<double>(timer.elapsed()) / 1000);
        m_json = SweepWorld::content(checked(m_sweep + QStringList{u"--quiet"_s}).out);
        QCOMPARE(m_csv.count('\n'), 97);
        QVERIFY(!m_json.isEmpty());
    }

    void cleanupTestCase()
    {
        m_slurm.closeWriteChannel();
        QVERIFY(hasEnded(m_slurm, 60000));
        QVERIFY(m_folder.isEmpty() || !QFile::exists(m_folder)); // it cleans up after itself
    }

    void interruptCancelsTheArray()
    {
        const auto process = start(program(), onCluster("stopped", {}));
        QTRY_VERIFY_WITH_TIMEOUT(queue().contains("RUNNING"), 120000);
        QElapsedTimer timer;
        timer.start();
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        QTRY_VERIFY_WITH_TIMEOUT(!queue().contains("PENDING"), 60000);
        qInfo("no task waits any more %lld ms after the signal", static_cast<long long>(timer.elapsed()));
        QVERIFY(hasEnded(*process, 60000));
        QCOMPARE(process->exitCode(), 4);
        QTRY_VERIFY_WITH_TIMEOUT(!queue().contains("RUNNING") && !queue().contains("COMPLETING"), 60000);

        const auto again = start(program(), onCluster("stopped", {u"--quiet"_s}));
        QVERIFY(hasEnded(*again, 600000));
        QVERIFY2(again->exitCode() == 0, again->readAllStandardError().constData());
        QCOMPARE(SweepWorld::content(again->readAllStandardOutput()), m_json);
    }

    /// The last, since the node stays dead.
    void nodeThatDiesCostsNothingButTime()
    {
        QElapsedTimer timer;
        timer.start();
        const auto process
            = start(program(), onCluster("killed", {u"--format"_s, u"csv"_s, u"--out"_s, path("all.csv")}));
        const auto isInTheMiddle = [&] {
            const QByteArray tasks = queue();
            return QFile::exists(path("killed/shard-1.status")) && tasks.contains("RUNNING|n2");
        };
        QTRY_VERIFY_WITH_TIMEOUT(isInTheMiddle(), 300000);
        const auto node = static_cast<pid_t>(readFile(m_folder + u"/n2.pid"_s).trimmed().toInt());
        QVERIFY(node > 0);
        QCOMPARE(::kill(node, SIGKILL), 0);
        QVERIFY(hasEnded(*process, 600000));
        const QByteArray err = process->readAllStandardError();
        QVERIFY2(process->exitCode() == 0, err.constData());
        QVERIFY2(err.contains("ended as NODE_FAIL on n2; its log: ") && err.contains("Resubmitted (1 of 3)"),
                 err.constData());
        QCOMPARE(readFile(path("all.csv")), m_csv);
        qInfo("eight shards on two nodes of one processor, one of which dies: %.1f s",
              static_cast<double>(timer.elapsed()) / 1000);
    }
};

QTEST_GUILESS_MAIN(TestSlurm)
#include "tst_slurm.moc"
