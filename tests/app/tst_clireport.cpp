#include "tests/support/clirun.h"
#include "tests/support/tinymodel.h"

#include <QDir>
#include <QImage>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace headscope::testing;

/// `headscope-cli report` from end to end, without a display, on a small model.
class TestCliReport : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    QString path(const char *name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    QStringList with(const QString &folder, const QStringList &more = {}) const
    {
        return QStringList{u"report"_s,   u"--model"_s,       path("model"), u"--threads"_s,
                           u"1"_s,        u"--source"_s,      path("in.en"), u"--reference"_s,
                           path("in.fr"), u"--resamples"_s,   u"50"_s,       u"--random-orders"_s,
                           u"2"_s,        u"--batch-sizes"_s, u"2"_s,        u"--speed-examples"_s,
                           u"4"_s,        u"--out-dir"_s,     folder}
             + more;
    }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY2(QFile::exists(program()), qPrintable(program()));
        // None, and nowhere to look for one.
        for (const char *variable : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"})
            qunsetenv(variable);
        writeTinyModel(path("model").toStdString(), {.encoderLayers = 1, .decoderLayers = 1, .heads = 2});
        writeTinyCorpus(path("in.en").toStdString(), path("in.fr").toStdString(), 14, 1);
        writeTinyCorpus(path("far.en").toStdString(), path("far.fr").toStdString(), 10, 2);
    }

    void writesEverything()
    {
        const Run result = run(with(path("report"), {u"--out-of-domain"_s, path("far.en"), path("far.fr")}));
        QVERIFY2(result.code == 0, result.err.constData());
        QVERIFY2(!result.err.contains("QStandardPaths"), result.err.constData());
        QCOMPARE(result.json()[u"result"].toString(), u"report"_s);
        QCOMPARE(result.json()[u"findings"].toArray().size(), 20); // nine claims of each set, two of the study
        const QString page = QString::fromUtf8(readFile(path("report/index.html")));
        for (const char *image : {"heads-in", "heads-out", "histogram-in", "histogram-out", "scatter", "pruning-in",
                                  "pruning-out", "kinds-in", "kinds-out", "speed"}) {
            const QString file = QString::fromLatin1(image);
            QVERIFY2(page.contains(QString(u"src=\"figures/"_s + file + u".svg\"")), image);
            QVERIFY2(page.contains(QString(u"<a href=\"#"_s + file + u"\"><img")), image); // small
            QVERIFY2(!QImage(path("report/figures/") + file + u".png").isNull(), image);
            QVERIFY2(readFile(path("report/figures/") + file + u".pdf").startsWith("%PDF"), image);
        }
        const QByteArray table = readFile(path("report/tables/ablation-in.csv"));
        QCOMPARE(table.count('\n'), 7); // a header, and six heads
        QVERIFY(readFile(path("report/tables/best-heads-in.tex")).contains("\\begin{tabular}"));
        // The command of the manifest makes it again, in the place of the old one.
        const QJsonObject report = QJsonDocument::fromJson(readFile(path("report/report.json"))).object();
        QStringList again = QProcess::splitCommand(report[u"command"].toString());
        QCOMPARE(again.takeFirst(), u"headscope-cli"_s);
        const Run second = run(again + QStringList{u"--out-dir"_s, path("report")});
        QVERIFY2(second.code == 0, second.err.constData());
        QCOMPARE(readFile(path("report/tables/ablation-in.csv")), table);
    }

    void oneSetByItself()
    {
        const Run result = run(with(path("single"), {u"--no-speed"_s, u"--quiet"_s}));
        QVERIFY2(result.code == 0, result.err.constData());
        QVERIFY2(result.err.isEmpty(), result.err.constData());
        QVERIFY(QFile::exists(path("single/index.html")));
        QVERIFY(!QFile::exists(path("single/figures/scatter.svg")));
        QVERIFY(!QFile::exists(path("single/tables/speed.csv")));
    }

    void refusesBeforeTheWork()
    {
        QVERIFY(QDir(m_folder.path()).mkpath(u"taken"_s));
        QVERIFY(writeFile(path("taken/thesis.txt"), "x"));
        const Run taken = run(with(path("taken")));
        QCOMPARE(taken.code, 3);
        QVERIFY2(taken.err.contains("not empty"), taken.err.constData());
        QCOMPARE(readFile(path("taken/thesis.txt")), "x"_ba);
        QStringList without = with(path("x"));
        without.resize(without.size() - 2);
        QCOMPARE(run(without).code, 2);
        QCOMPARE(run(with(path("x"), {u"--out-of-domain"_s, path("far.en")})).code, 2);
        QVERIFY(!QFile::exists(path("x")));
    }
};

QTEST_GUILESS_MAIN(TestCliReport)
#include "tst_clireport.moc"
