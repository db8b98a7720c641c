#include "tests/support/clirun.h"
#include "tests/support/tinymodel.h"

#include <QDir>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace headscope::testing;

/// --dry-run: the time of a result in its place.
class TestCliDryRun : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    QString path(const char *name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    QStringList with(const QString &command, const QStringList &more) const
    {
        return QStringList{command,       u"--model"_s,       path("model"),    u"--threads"_s, u"1"_s,
                           u"--source"_s, path("in.src"),     u"--reference"_s, path("in.ref"), u"--beams"_s,
                           u"1"_s,        u"--work-folder"_s, path("work")}
             + more;
    }
    QJsonObject forecast(const QString &command, const QStringList &more) const
    {
        return checked(with(command, more)).json()[u"dry_run"].toObject();
    }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY2(QFile::exists(program()), qPrintable(program()));
        writeTinyModel(path("model").toStdString());
        writeTinyCorpus(path("in.src").toStdString(), path("in.ref").toStdString(), 300, 5);
    }

    /// What ends within the time is run to its end.
    void wholeRuns()
    {
        const QJsonObject found = forecast(u"ablate"_s, {u"--limit"_s, u"20"_s, u"--dry-run"_s, u"100"_s});
        QCOMPARE(found[u"analysis"].toString(), u"ablate"_s);
        const QJsonObject phase = found[u"phases"].toArray().last().toObject();
        QVERIFY(phase[u"total"].toInt() > 20);
        QCOMPARE(phase[u"done"].toInt(), phase[u"total"].toInt());
        QVERIFY(found[u"seconds"].toDouble() > 0);
        QVERIFY(found[u"seconds"].toDouble() <= found[u"measuring_seconds"].toDouble());
        QVERIFY(found[u"memory_bytes"].toDouble() > 1e6);
        QVERIFY(found[u"not_counted"].toArray().isEmpty());
    }

    /// The rest of a phase by the rate of its beginning.
    void firstExamples()
    {
        const QJsonObject found = forecast(u"ablate"_s, {u"--dry-run"_s, u"0"_s});
        const QJsonObject phase = found[u"phases"].toArray().last().toObject();
        const double done = phase[u"done"].toDouble();
        const double total = phase[u"total"].toDouble();
        QVERIFY(done > 0);
        QVERIFY(done < total / 2);
        const double left = (total - done) / phase[u"rate"].toDouble();
        QVERIFY(found[u"seconds"].toDouble() >= left);
        QVERIFY(found[u"seconds"].toDouble() <= left + found[u"measuring_seconds"].toDouble());
    }

    /// A curve behind a sweep that the run does not come to: masks of many heads are measured by themselves.
    void masksOfEachKind()
    {
        const QJsonObject sweep = forecast(u"ablate"_s, {u"--dry-run"_s, u"0"_s});
        const QJsonObject curve = forecast(u"prune"_s, {u"--order"_s, u"ablation"_s, u"--dry-run"_s, u"0"_s});
        QVERIFY(sweep[u"seconds"].toDouble() > 0);
        QVERIFY(curve[u"seconds"].toDouble() > 0);
        QVERIFY(curve[u"not_counted"].toArray().isEmpty());
        const Run withoutNumber = run(with(u"prune"_s, {u"--limit"_s, u"16"_s, u"--dry-run"_s}));
        QCOMPARE(withoutNumber.code, 0);
        QVERIFY2(withoutNumber.err.contains("prune takes about"), withoutNumber.err.constData());
    }

    void keepsNothing()
    {
        const QString out = path("forecast.json"), journal = path("journal");
        QCOMPARE(run(with(u"ablate"_s, {u"--dry-run"_s, u"0"_s, u"--out"_s, out, u"--journal"_s, journal})).code, 0);
        QVERIFY(QFile::exists(out));
        QVERIFY(!QFile::exists(journal));
        QVERIFY(!QDir(path("work")).exists());
        writeTinyModel(path("runs/checkpoint-1").toStdString());
        QCOMPARE(run(with(u"dynamics"_s, {u"--runs"_s, path("runs"), u"--keep"_s, path("kept"), u"--curves-only"_s,
                                          u"--limit"_s, u"8"_s, u"--dry-run"_s, u"100"_s}))
                     .code,
                 0);
        QVERIFY(!QDir(path("kept")).exists());
    }

    void refused_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("shard") << u"ablate"_s << QStringList{u"--shard"_s, u"1/2"_s, u"--journal"_s, path("journal")}
                               << QByteArray("--shard");
        QTest::newRow("no sweep") << u"evaluate"_s << QStringList() << QByteArray("--dry-run");
        QTest::newRow("a model") << u"prune"_s
                                 << QStringList{u"--export"_s, path("small"), u"--export-mask"_s, u"encoder.0.0"_s}
                                 << QByteArray("--export");
        QTest::newRow("what the analysis refuses")
            << u"prune"_s << QStringList{u"--greedy-step"_s, u"3"_s} << QByteArray("--order greedy");
    }

    void refused()
    {
        QFETCH(QString, command);
        QFETCH(QStringList, more);
        QFETCH(QByteArray, says);
        const Run result = run(with(command, more + QStringList{u"--dry-run"_s}));
        QCOMPARE(result.code, 2);
        QVERIFY2(result.err.contains(says), result.err.constData());
    }
};

QTEST_GUILESS_MAIN(TestCliDryRun)
#include "tst_clidryrun.moc"
