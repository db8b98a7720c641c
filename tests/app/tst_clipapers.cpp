#include "tests/support/clirun.h"
#include "tests/support/tinymodel.h"

#include <QDir>
#include <QFile>
#include <QHash>
#include <QJsonArray>
#include <QProcess>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace headscope::testing;

/// The list of the papers' tables and figures against what `report --papers` and `headscope --export-all` write.
class TestCliPapers : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    QString path(const QString &name) const { return m_folder.filePath(name); }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY2(QFile::exists(program()), qPrintable(program()));
        if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_BIN") + u"/headscope"_s))
            QSKIP("The window's program is not built (HEADSCOPE_BIN).");
        writeTinyModel(path(u"model"_s).toStdString(), {.encoderLayers = 2, .decoderLayers = 1, .heads = 2});
        writeTinyCorpus(path(u"in.en"_s).toStdString(), path(u"in.fr"_s).toStdString(), 12, 1);
        writeTinyCorpus(path(u"far.en"_s).toStdString(), path(u"far.fr"_s).toStdString(), 10, 2);
    }

    void listIsPrinted()
    {
        const Run result = checked({u"papers"_s});
        QCOMPARE(result.code, 0);
        const QJsonArray items = result.json()[u"items"].toArray();
        QVERIFY(items.size() > 30);
        const Run markdown = checked({u"papers"_s, u"--markdown"_s});
        for (const QJsonValue &item : items)
            QVERIFY2(markdown.out.contains(item[u"command"].toString().toUtf8()), qPrintable(item[u"id"].toString()));
    }

    /// An item that needs no more than a model and two data sets with references has files of both programs where it
    /// names both, and the page has a row with them.
    void everyItemHasItsFiles()
    {
        const QString gallery = path(u"gallery"_s);
        const Run report = checked({u"report"_s,
                                    u"--papers"_s,
                                    u"--model"_s,
                                    path(u"model"_s),
                                    u"--source"_s,
                                    path(u"in.en"_s),
                                    u"--reference"_s,
                                    path(u"in.fr"_s),
                                    u"--out-of-domain"_s,
                                    path(u"far.en"_s),
                                    path(u"far.fr"_s),
                                    u"--resamples"_s,
                                    u"50"_s,
                                    u"--random-orders"_s,
                                    u"2"_s,
                                    u"--batch-sizes"_s,
                                    u"2"_s,
                                    u"--speed-examples"_s,
                                    u"4"_s,
                                    u"--out-dir"_s,
                                    gallery + u"/tiny/report"_s});
        QCOMPARE(report.code, 0);
        QVERIFY(QDir().mkpath(gallery + u"/tiny/tables"_s));
        const Run rescaled = checked({u"prune"_s, u"--model"_s, path(u"model"_s), u"--source"_s, path(u"in.en"_s),
                                      u"--reference"_s, path(u"in.fr"_s), u"--rescale"_s, u"--resamples"_s, u"50"_s,
                                      u"--format"_s, u"csv"_s, u"--out"_s, gallery + u"/tiny/tables/rescaled.csv"_s});
        QCOMPARE(rescaled.code, 0);
        QProcess window;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"QT_QPA_PLATFORM"_s, u"offscreen"_s);
        window.setProcessEnvironment(environment);
        window.start(qEnvironmentVariable("HEADSCOPE_BIN") + u"/headscope"_s,
                     {u"--language"_s, u"en"_s, path(u"model"_s), u"--in"_s, path(u"in.en"_s), path(u"in.fr"_s),
                      u"--out"_s, path(u"far.en"_s), path(u"far.fr"_s), u"--export-all"_s,
                      gallery + u"/tiny/window"_s});
        QVERIFY(window.waitForFinished(300'000));
        QVERIFY2(window.exitCode() == 0, window.readAllStandardError().constData());

        const Run made = checked({u"papers"_s, u"--gallery"_s, gallery});
        QCOMPARE(made.code, 0);
        QHash<QString, QString> lines;
        for (const QString &line : QString::fromUtf8(made.out).split(u'\n', Qt::SkipEmptyParts))
            lines[line.section(u':', 0, 0)] = line;
        const QString page = QString::fromUtf8(readFile(gallery + u"/index.html"_s));
        const QSet<QString> given{QString(), u"a second data set"_s, u"a model with several kinds of attention"_s};
        int shown = 0;
        for (const QJsonValue &item : checked({u"papers"_s}).json()[u"items"].toArray()) {
            const QString id = item[u"id"].toString();
            QVERIFY2(lines.contains(id), qPrintable(id));
            QVERIFY2(page.contains(u"<h3 id=\"%1\">"_s.arg(id)), qPrintable(id));
            if (!given.contains(item[u"needs"].toString())) {
                QVERIFY2(lines[id].contains(u"it takes"_s) || lines[id].contains(u" file"_s), qPrintable(lines[id]));
                continue;
            }
            QVERIFY2(!lines[id].contains(u"nothing"_s), qPrintable(lines[id]));
            ++shown;
            const QString own = page.section(u"<h3 id=\"%1\">"_s.arg(id), 1).section(u"<h3 "_s, 0, 0);
            QVERIFY2(own.contains(u"Numbers: "_s), qPrintable(id + u": its pictures have no table"_s));
            for (const QString &pattern : item[u"files"].toString().split(u' ')) {
                if (pattern.startsWith(u"tables/"_s)) // of other commands
                    continue;
                const QString folder = pattern.section(u'/', 0, -2);
                const QStringList files = QDir(gallery + u"/tiny/"_s + folder).entryList({pattern.section(u'/', -1)});
                QVERIFY2(!files.isEmpty(), qPrintable(id + u": "_s + pattern));
            }
        }
        QVERIFY(shown > 15);
        // What a report tests has its verdict there.
        QVERIFY2(!lines[u"michel-table-1"_s].endsWith(u"not tested"_s), qPrintable(lines[u"michel-table-1"_s]));
        // Of two sets, encoder and decoder by themselves: they have too few layers.
        QVERIFY2(lines[u"clark-figure-4"_s].endsWith(u"cannot be told in 4"_s), qPrintable(lines[u"clark-figure-4"_s]));
        QVERIFY2(lines[u"vig-head-view"_s].endsWith(u"no claim to test"_s), qPrintable(lines[u"vig-head-view"_s]));
    }

    void foldersWithoutModelsAreRefused()
    {
        QVERIFY(QDir().mkpath(path(u"empty"_s)));
        const Run result = run({u"papers"_s, u"--gallery"_s, path(u"empty"_s)});
        QCOMPARE(result.code, 3);
        QVERIFY2(result.err.contains("report --out-dir") || result.err.contains("--out-dir"), result.err.constData());
    }
};

QTEST_GUILESS_MAIN(TestCliPapers)
#include "tst_clipapers.moc"
