// Sweeps as arrays of jobs, by programs that stand for Slurm's (fakeslurm): what is submitted, what fails and is
// submitted again, what a second call takes up. tst_slurm runs a real one.
#include "tests/cluster/sweepworld.h"

#include <QDir>
#include <QProcess>
#include <QProcessEnvironment>
#include <QSet>
#include <QTest>

#include <csignal>
#include <memory>

using namespace Qt::StringLiterals;
using namespace headscope::testing;

class TestCluster : public QObject
{
    Q_OBJECT

    std::unique_ptr<SweepWorld> m_world;
    QByteArray m_csv;  ///< of one run
    QByteArray m_json; ///< its content

    QString path(const char *name) const { return m_world->path(name); }
    QString state(const char *name) const { return path("slurm/") + QString::fromLatin1(name); }
    QByteArray calls() const { return readFile(state("calls")); }
    static qsizetype submissions(const QByteArray &calls) { return calls.count("sbatch\n"); }

    QStringList onCluster(const QStringList &more = {}) const
    {
        return m_world->sweep(
            QStringList{u"--cluster"_s, u"slurm"_s, u"--shards"_s, u"3"_s, u"--cluster-folder"_s, path("folder")}
            + more);
    }
    std::unique_ptr<QProcess> start(const QStringList &arguments) const
    {
        auto process = std::make_unique<QProcess>();
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"FAKE_SLURM"_s, path("slurm"));
        environment.insert(u"PATH"_s, qEnvironmentVariable("HEADSCOPE_SOURCE_DIR") + u"/tests/cluster/fakeslurm:"_s
                                          + qEnvironmentVariable("PATH"));
        process->setProcessEnvironment(environment);
        process->start(program(), arguments);
        return process;
    }
    Run finished(QProcess &process) const
    {
        if (process.state() != QProcess::NotRunning && !process.waitForFinished(300000))
            return {-1, {}, process.errorString().toUtf8()};
        return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
    }
    Run call(const QStringList &arguments) const { return finished(*start(arguments)); }
    bool hasShard(const char *name) const { return QFile::exists(path("folder/") + QString::fromLatin1(name)); }

private Q_SLOTS:
    void init()
    {
        QVERIFY2(QFile::exists(program()), qPrintable(program()));
        m_world = std::make_unique<SweepWorld>();
        QVERIFY(QDir().mkpath(path("slurm")));
        if (m_csv.isEmpty()) {
            const Run json = checked(m_world->sweep({u"--quiet"_s}));
            m_json = SweepWorld::content(json.out);
            m_csv = checked(m_world->sweep({u"--quiet"_s, u"--format"_s, u"csv"_s})).out;
        }
        QVERIFY(!m_json.isEmpty() && m_csv.startsWith("head,"));
    }

    void resultIsThatOfOneRun()
    {
        const Run table = call(onCluster({u"--format"_s, u"csv"_s, u"--out"_s, path("all.csv"), u"--cluster-options"_s,
                                          uR"(--partition gpu --comment "two  words" --gres='$HOME:1')"_s}));
        QVERIFY2(table.code == 0, table.err.constData());
        QVERIFY(table.out.isEmpty());
        QCOMPARE(readFile(path("all.csv")), m_csv);
        QCOMPARE(QJsonDocument::fromJson(readFile(path("all.csv.manifest.json")))[u"analysis"].toString(), u"ablate"_s);
        // Split as a shell would, and nothing put in for variables.
        QVERIFY2(calls().contains("sbatch\n--partition\ngpu\n--comment\ntwo  words\n--gres=$HOME:1\n--parsable\n"),
                 calls().constData());
        QVERIFY(calls().contains("--array=1,2,3\n") && calls().contains("--array=0\n"));
        QCOMPARE(submissions(calls()), 2);

        // What is done is done.
        const Run again = call(onCluster({u"--format"_s, u"csv"_s, u"--quiet"_s}));
        QVERIFY2(again.code == 0, again.err.constData());
        QCOMPARE(again.out, m_csv);
        QCOMPARE(submissions(calls()), 2);
    }

    void failedShardsAreSubmittedAgain()
    {
        QVERIFY(writeFile(state("fails-2"), "2"));
        const Run run = call(onCluster());
        QVERIFY2(run.code == 0, run.err.constData());
        QCOMPARE(SweepWorld::content(run.out), m_json);
        QVERIFY2(run.err.contains("shard 2 ended as NODE_FAIL on f1") && run.err.contains("Resubmitted (2 of 3)"),
                 run.err.constData());
        QCOMPARE(calls().count("--array=2\n"), 2);
        QVERIFY(!calls().contains("--exclude")); // there is no other node
    }

    void nodesThatFailAreAvoided()
    {
        QVERIFY(writeFile(state("nodes"), "f1\nf2\nf9\n"));
        QVERIFY(writeFile(state("fails-2"), "2"));
        const Run run = call(onCluster({u"--cluster-options"_s, u"-p gpu -x f9"_s}));
        QVERIFY2(run.code == 0, run.err.constData());
        QCOMPARE(SweepWorld::content(run.out), m_json);
        QVERIFY2(run.err.contains(
                     "the node failed under a task on f1: jobs submitted from now on avoid this node: f1 (--exclude)"),
                 run.err.constData());
        // The second failure would leave none: f2 stays. The user's own node stays out, and the end avoids f1 too.
        QCOMPARE(calls().count("-p\ngpu\n-x\nf9\n--exclude=f9,f1\n"), 3);
        QVERIFY2(!calls().contains("f1,f2") && calls().contains("--partition=gpu\n"), calls().constData());
        QVERIFY2(readFile(path("folder/end.log")).contains(" on f2"), readFile(path("folder/end.log")).constData());
    }

    void nodesOnWhichTwoShardsFailedAreAvoided()
    {
        QVERIFY(writeFile(state("nodes"), "f1\nf2\n"));
        QVERIFY(writeFile(state("broken-f1"), ""));
        const Run run = call(onCluster());
        QVERIFY2(run.code == 0, run.err.constData());
        QCOMPARE(SweepWorld::content(run.out), m_json);
        QVERIFY2(run.err.contains("two tasks failed on f1: jobs submitted from now on avoid this node: f1"),
                 run.err.constData());
    }

    void namedNodesAreNotContradicted()
    {
        QVERIFY(writeFile(state("nodes"), "f1\nf2\n"));
        QVERIFY(writeFile(state("fails-2"), "1"));
        const Run run = call(onCluster({u"--cluster-options"_s, u"--nodelist f1"_s}));
        QVERIFY2(run.code == 0, run.err.constData());
        QVERIFY2(!calls().contains("--exclude"), calls().constData());
    }

    void progressForPrograms()
    {
        const Run run = call(QStringList{u"--progress"_s, u"json"_s} + onCluster({u"--out"_s, path("all.json")}));
        QVERIFY2(run.code == 0, run.err.constData());
        QSet<QString> told;
        QJsonObject last;
        const QByteArrayList lines = run.err.trimmed().split('\n');
        for (const QByteArray &line : lines) {
            const QJsonObject object = QJsonDocument::fromJson(line).object();
            QVERIFY2(object.size() == 1, line.constData());
            told.insert(object.keys().front());
            if (object.contains(u"shards"))
                last = object[u"shards"].toObject();
        }
        QCOMPARE(told, (QSet<QString>{u"note"_s, u"progress"_s, u"shards"_s}));
        QCOMPARE(last[u"done"].toInt(), 3);
        QCOMPARE(last[u"of"].toInt(), 3);
        const Run other = call(QStringList{u"--progress"_s, u"json"_s} + onCluster({u"--limit"_s, u"20"_s}));
        QCOMPARE(other.code, 2);
        QVERIFY2(QJsonDocument::fromJson(other.err)[u"error"].toString().contains(u"it holds another command"),
                 other.err.constData());
    }

    void whatFailsForGoodIsNamed()
    {
        QVERIFY(writeFile(state("fails-2"), "100"));
        const Run run = call(onCluster({u"--cluster-retries"_s, u"1"_s}));
        QCOMPARE(run.code, 3);
        QVERIFY2(run.err.contains("1 of 3 jobs did not finish. shard 2 ended as NODE_FAIL on f1; its log: "),
                 run.err.constData());
        QVERIFY2(run.err.contains(path("folder/shard-2.log").toUtf8()), run.err.constData());
        QCOMPARE(calls().count("--array=2\n"), 1);
        QVERIFY(hasShard("shard-1.status") && hasShard("shard-3.status")); // the others came to theirs

        QVERIFY(writeFile(state("fails-2"), "0"));
        const Run again = call(onCluster());
        QVERIFY2(again.code == 0, again.err.constData());
        QCOMPARE(SweepWorld::content(again.out), m_json);
        QVERIFY2(again.err.contains("2 of 3 shards are done"), again.err.constData());
    }

    void badInputFailsAtOnce_data()
    {
        QTest::addColumn<bool>("early"); // the queue knows of the failure before its status can be read
        QTest::newRow("status first") << false;
        QTest::newRow("queue first") << true;
    }
    void badInputFailsAtOnce()
    {
        QFETCH(bool, early);
        if (early)
            QVERIFY(writeFile(state("early"), ""));
        QVERIFY(writeFile(path("table.tsv"), "text\tlabel\n"));
        const Run run = call(onCluster());
        QCOMPARE(run.code, 3);
        QVERIFY2(run.err.contains("exit code 3 (headscope-cli: "), run.err.constData());
        QCOMPARE(submissions(calls()), 1);
    }

    void refusedJobsSayWhy()
    {
        QVERIFY(writeFile(state("refuses"), ""));
        const Run run = call(onCluster());
        QCOMPARE(run.code, 3);
        QVERIFY2(run.err.contains("sbatch: error: invalid partition specified: gpu"), run.err.constData());
        QFile::remove(state("refuses"));
        const Run again = call(onCluster());
        QVERIFY2(again.code == 0, again.err.constData());
        QCOMPARE(SweepWorld::content(again.out), m_json);
    }

    void aControllerThatDoesNotAnswerIsAskedAgain()
    {
        QVERIFY(writeFile(state("silent-squeue"), "2"));
        QVERIFY(writeFile(state("deaf-sbatch"), "yes"));
        const Run run = call(onCluster());
        QVERIFY2(run.code == 0, run.err.constData());
        QCOMPARE(SweepWorld::content(run.out), m_json);
        QVERIFY2(run.err.contains("Socket timed out") && run.err.contains("Unable to contact")
                     && run.err.contains("Asking again, for 15 minutes"),
                 run.err.constData());
        QCOMPARE(calls().count("--array=1,2,3\n"), 2); // the first was not heard
        QCOMPARE(readFile(state("jobs")).trimmed(), QByteArray("102"));
    }

    void anArrayThatNobodyWasToldOfIsFound()
    {
        QVERIFY(writeFile(state("mute-sbatch"), "yes"));
        const Run run = call(onCluster());
        QVERIFY2(run.code == 0, run.err.constData());
        QCOMPARE(SweepWorld::content(run.out), m_json);
        QCOMPARE(submissions(calls()), 2); // the shards once, and the end
    }

    void withoutSlurmItIsSaid()
    {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"PATH"_s, path("slurm"));
        process.setProcessEnvironment(environment);
        process.start(program(), onCluster());
        const Run run = finished(process);
        QCOMPARE(run.code, 3);
        QVERIFY2(run.err.contains("cannot run squeue"), run.err.constData());
    }

    void interruptCancelsAndTheSameCommandGoesOn()
    {
        QVERIFY(writeFile(state("holds"), ""));
        const auto process = start(onCluster());
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(state("101.3")), 60000);
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        const Run run = finished(*process);
        QCOMPARE(run.code, 4);
        QVERIFY2(calls().contains("scancel\n--name=headscope-"), calls().constData());
        QCOMPARE(readFile(state("101.1")), QByteArray("CANCELLED|f1\n"));
        QFile::remove(state("holds"));
        const Run again = call(onCluster());
        QVERIFY2(again.code == 0, again.err.constData());
        QCOMPARE(SweepWorld::content(again.out), m_json);
    }

    void killedCallsLeaveTheirJobsToTheNext()
    {
        QVERIFY(writeFile(state("holds"), ""));
        const auto process = start(onCluster());
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(state("101.3")), 60000);
        const Run second = call(onCluster());
        QCOMPARE(second.code, 3);
        QVERIFY2(second.err.contains("another program watches its jobs"), second.err.constData());
        process->kill();
        QVERIFY(process->waitForFinished());
        const auto next = start(onCluster());
        QTest::qWait(1000);
        QFile::remove(state("holds"));
        const Run run = finished(*next);
        QVERIFY2(run.code == 0, run.err.constData());
        QCOMPARE(SweepWorld::content(run.out), m_json);
        QVERIFY2(run.err.contains("0 of 3 shards are done, 3 are waiting or running"), run.err.constData());
        QCOMPARE(calls().count("--array=1,2,3\n"), 1);
    }

    void foldersOfOtherCommandsAreRefused()
    {
        QVERIFY(writeFile(state("refuses"), ""));
        QCOMPARE(call(onCluster()).code, 3);
        const Run other = call(onCluster({u"--limit"_s, u"20"_s}));
        QCOMPARE(other.code, 2);
        QVERIFY2(other.err.contains("it holds another command"), other.err.constData());
        QStringList more = onCluster();
        more.replace(more.indexOf(u"3"_s), u"4"_s);
        const Run shards = call(more);
        QCOMPARE(shards.code, 2);
        QVERIFY2(shards.err.contains("shards: 3, not 4"), shards.err.constData());
    }

    /// Whatever takes --shard.
    void plansAreDealtOutToo()
    {
        QVERIFY(writeFile(
            path("plan.json"),
            "{\"output\": \"out\", \"models\": [\"model\"], \"data\": [{\"name\": \"a\", \"data\": \"table.tsv\"},"
            "{\"name\": \"b\", \"data\": \"table.tsv\", \"limit\": 50}], \"analyses\":"
            "[{\"command\": \"ablate\", \"resamples\": 20}, {\"command\": \"confidence\"}]}"));
        const QStringList words{u"batch"_s, path("plan.json"), u"--quiet"_s};
        const Run dealt = call(
            words
            + QStringList{u"--cluster"_s, u"slurm"_s, u"--shards"_s, u"2"_s, u"--cluster-folder"_s, path("folder")});
        QVERIFY2(dealt.code == 0, dealt.err.constData());
        QCOMPARE(QDir(path("out/results")).entryList({u"*.json"_s}).size(), 4);
        QVERIFY(readFile(path("folder/shard-1.log")).contains("batch: 2/2 analyses, 0 of them were there already"));
        QVERIFY(readFile(path("folder/end.log")).contains("batch: 4/4 analyses, 4 of them were there already"));
        const Run alone = checked(words);
        QVERIFY(alone.out.startsWith("model\t"));
        QCOMPARE(dealt.out, alone.out);
    }

    void optionsThatDoNotFit_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("shards alone") << QStringList{u"--shards"_s, u"3"_s} << QByteArray("need --cluster");
        QTest::newRow("no folder") << QStringList{u"--cluster"_s, u"slurm"_s, u"--shards"_s, u"3"_s}
                                   << QByteArray("--cluster-folder");
        QTest::newRow("one shard") << onCluster().mid(9) + QStringList{u"--shards"_s, u"1"_s} << QByteArray("--shards");
        QTest::newRow("a shard of it") << onCluster().mid(9) + QStringList{u"--shard"_s, u"1/2"_s}
                                       << QByteArray("leave out --shard");
        QTest::newRow("other system") << QStringList{u"--cluster"_s, u"abacus"_s} << QByteArray("abacus");
        QTest::newRow("open quotation") << onCluster().mid(9) + QStringList{u"--cluster-options"_s, u"--comment 'a"_s}
                                        << QByteArray("not closed");
        QTest::newRow("no option") << onCluster().mid(9) + QStringList{u"--cluster-options"_s, u"gpu"_s}
                                   << QByteArray("no option of sbatch");
    }

    void optionsThatDoNotFit()
    {
        QFETCH(QStringList, options);
        QFETCH(QByteArray, says);
        const Run run = call(m_world->sweep(options));
        QCOMPARE(run.code, 2);
        QVERIFY2(run.err.contains(says), run.err.constData());
        QVERIFY(!hasShard("shard.sh"));
    }
};

QTEST_GUILESS_MAIN(TestCluster)
#include "tst_cluster.moc"
