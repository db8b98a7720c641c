// Shards whose numbers come from elsewhere: the ranks of mpirun's processes, GNU parallel's lines, variables.
#include "tests/cluster/sweepworld.h"

#include <QDir>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStandardPaths>
#include <QTest>

#include <memory>

using namespace Qt::StringLiterals;
using namespace headscope::testing;

class TestRanks : public QObject
{
    Q_OBJECT

    std::unique_ptr<SweepWorld> m_world;
    QByteArray m_csv; ///< of one run

    QString path(const char *name) const { return m_world->path(name); }

    static QProcessEnvironment withoutRanks()
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char *name :
             {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "SLURM_PROCID", "SLURM_NTASKS"})
            environment.remove(QString::fromLatin1(name));
        return environment;
    }
    Run call(const QString &what, const QStringList &arguments,
             const QProcessEnvironment &environment = withoutRanks()) const
    {
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(what, arguments);
        if (!process.waitForFinished(300000))
            return {-1, {}, process.errorString().toUtf8()};
        return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
    }
    void compareMerged(const QString &shards) const
    {
        QVERIFY(checked({u"merge"_s, shards + u"1"_s, shards + u"2"_s, u"--out"_s, path("all")}).code == 0);
        const Run whole = checked(m_world->sweep({u"--quiet"_s, u"--format"_s, u"csv"_s, u"--journal"_s, path("all")}));
        QCOMPARE(whole.out, m_csv);
    }

private Q_SLOTS:
    void init()
    {
        m_world = std::make_unique<SweepWorld>();
        m_csv = checked(m_world->sweep({u"--quiet"_s, u"--format"_s, u"csv"_s})).out;
        QVERIFY(m_csv.startsWith("head,"));
    }

    void variablesOfRanks_data()
    {
        QTest::addColumn<QString>("rank");
        QTest::addColumn<QString>("size");
        QTest::newRow("Open MPI") << u"OMPI_COMM_WORLD_RANK"_s << u"OMPI_COMM_WORLD_SIZE"_s;
        QTest::newRow("PMI") << u"PMI_RANK"_s << u"PMI_SIZE"_s;
        QTest::newRow("srun") << u"SLURM_PROCID"_s << u"SLURM_NTASKS"_s;
    }

    void variablesOfRanks()
    {
        QFETCH(QString, rank);
        QFETCH(QString, size);
        const QStringList words = m_world->sweep({u"--shard"_s, u"mpi"_s, u"--journal"_s, path("part-{shard}")});
        for (int i = 0; i < 2; ++i) {
            QProcessEnvironment environment = withoutRanks();
            environment.insert(rank, QString::number(i));
            environment.insert(size, u"2"_s);
            const Run part = call(program(), words, environment);
            QVERIFY2(part.code == 0, part.err.constData());
        }
        compareMerged(path("part-"));
    }

    /// Inside of an MPI job, or of Slurm's, nothing is cut up that nobody asked to.
    void ranksAreReadOnlyWhenAskedFor()
    {
        QProcessEnvironment environment = withoutRanks();
        environment.insert(u"SLURM_PROCID"_s, u"1"_s);
        environment.insert(u"SLURM_NTASKS"_s, u"2"_s);
        QCOMPARE(call(program(), m_world->sweep({u"--quiet"_s, u"--format"_s, u"csv"_s}), environment).out, m_csv);
    }

    void whatIsNoShardIsRefused_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("rank");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("no rank") << QStringList{u"--shard"_s, u"mpi"_s, u"--journal"_s, u"a{shard}"_s} << u""_s
                                 << QByteArray("no rank");
        QTest::newRow("bad rank") << QStringList{u"--shard"_s, u"mpi"_s, u"--journal"_s, u"a{shard}"_s} << u"2"_s
                                  << QByteArray("PMI_RANK=2");
        QTest::newRow("one file") << QStringList{u"--shard"_s, u"mpi"_s, u"--journal"_s, u"a"_s} << u"1"_s
                                  << QByteArray("{shard}");
        QTest::newRow("zero") << QStringList{u"--shard"_s, u"0/2"_s, u"--journal"_s, u"a"_s} << u""_s
                              << QByteArray("0/2");
        QTest::newRow("too many") << QStringList{u"--shard"_s, u"3/2"_s, u"--journal"_s, u"a"_s} << u""_s
                                  << QByteArray("3/2");
        QTest::newRow("no bar") << QStringList{u"--shard"_s, u"2"_s, u"--journal"_s, u"a"_s} << u""_s
                                << QByteArray("\"2\"");
    }

    void whatIsNoShardIsRefused()
    {
        QFETCH(QStringList, options);
        QFETCH(QString, rank);
        QFETCH(QByteArray, says);
        QProcessEnvironment environment = withoutRanks();
        if (!rank.isEmpty()) {
            environment.insert(u"PMI_RANK"_s, rank);
            environment.insert(u"PMI_SIZE"_s, u"2"_s);
        }
        const Run run = call(program(), m_world->sweep(options), environment);
        QCOMPARE(run.code, 2);
        QVERIFY2(run.err.contains(says), run.err.constData());
    }

    void twoProcessesOfMpirun()
    {
        if (QStandardPaths::findExecutable(u"mpirun"_s).isEmpty())
            QSKIP("mpirun is not installed (openmpi-bin).");
        QProcessEnvironment environment = withoutRanks();
        environment.insert(u"OMPI_ALLOW_RUN_AS_ROOT"_s, u"1"_s);
        environment.insert(u"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"_s, u"1"_s);
        environment.insert(u"OMPI_MCA_rmaps_base_oversubscribe"_s, u"1"_s); // a machine of one core has two ranks, too
        const Run both = call(u"mpirun"_s,
                              QStringList{u"-n"_s, u"2"_s, program()}
                                  + m_world->sweep({u"--shard"_s, u"mpi"_s, u"--journal"_s, path("part-{shard}")}),
                              environment);
        QVERIFY2(both.code == 0, both.err.constData());
        compareMerged(path("part-"));
    }

    void linesOfParallel()
    {
        if (QStandardPaths::findExecutable(u"parallel"_s).isEmpty())
            QSKIP("GNU parallel is not installed (parallel).");
        const Run both
            = call(u"parallel"_s, QStringList{u"-q"_s, u"-j"_s, u"2"_s, program()}
                                      + m_world->sweep({u"--shard"_s, u"{}/2"_s, u"--journal"_s, path("part-{}")})
                                      + QStringList{u":::"_s, u"1"_s, u"2"_s});
        QVERIFY2(both.code == 0, both.err.constData());
        compareMerged(path("part-"));
    }
};

QTEST_GUILESS_MAIN(TestRanks)
#include "tst_ranks.moc"
