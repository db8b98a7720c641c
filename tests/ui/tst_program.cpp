// The program itself, run without a display.
#include "core/results/study.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinymodel.h"

#include <QDir>
#include <QFileInfo>
#include <QImage>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

using namespace headscope;

namespace {
struct Outcome
{
    int exitCode = -1;
    QString errors;
};

Outcome run(const QStringList &arguments)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.remove(QStringLiteral("QT_QPA_PLATFORM")); // the program finds out by itself
    environment.remove(QStringLiteral("DISPLAY"));
    environment.remove(QStringLiteral("WAYLAND_DISPLAY"));
    process.setProcessEnvironment(environment);
    process.start(qEnvironmentVariable("HEADSCOPE_BIN") + QStringLiteral("/headscope"), arguments);
    if (!process.waitForFinished(300'000) || process.exitStatus() != QProcess::NormalExit)
        return {-1, process.errorString()};
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardError())};
}

/// Paths of files in the folders of an export, relative to it.
QStringList filesIn(const QString &folder, const char *pattern)
{
    QStringList files;
    for (const QFileInfo &page : QDir(folder).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        for (const QString &file : QDir(page.filePath()).entryList({QString::fromLatin1(pattern)}, QDir::Files))
            files << page.fileName() + u'/' + file;
    }
    return files;
}
} // namespace

class TestProgram : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void wrongOptionsAreUsageErrors_data();
    void wrongOptionsAreUsageErrors();
    void withoutDisplayItSaysSo();
    void badInputNamesTheFolder();
    void exportsEverythingAndPaintsTheStudy();
    void exportsEverythingOfAClassifier();
    void exportsWhatTreesAllow();
    void demoIsAStudyOfItsOwn();
    void brokenDemoIsBadInput();
    void trainingPageNeedsNoModel();

private:
    QString path(const char *name) { return m_folder.filePath(QString::fromLatin1(name)); }

    QTemporaryDir m_folder;
};

void TestProgram::initTestCase()
{
    if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_BIN") + QStringLiteral("/headscope")))
        QSKIP("The window's program is not built (HEADSCOPE_BIN).");
    headscope::testing::writeTinyModel(path("model").toStdString());
    headscope::testing::writeTinyCorpus(path("in.src").toStdString(), path("in.ref").toStdString(), 10, 1);
    headscope::testing::writeTinyCorpus(path("out.src").toStdString(), path("out.ref").toStdString(), 10, 2);
}

void TestProgram::wrongOptionsAreUsageErrors_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("named");
    const auto row = [](const char *name, const QString &arguments, const QString &named) {
        QTest::newRow(name) << arguments.split(u' ') << named;
    };
    row("unknown option", QStringLiteral("--screenshot x.png --nonsense"), QStringLiteral("nonsense"));
    row("unknown view", QStringLiteral("--screenshot x.png --view sky"), QStringLiteral("sky"));
    row("one data file", QStringLiteral("--screenshot x.png --in a.en"), QStringLiteral("--in"));
    row("table option without value", QStringLiteral("--screenshot x.png --in a.tsv --label-column"),
        QStringLiteral("--label-column"));
    // The options of the command line that say how data are read.
    row("stride", QStringLiteral("--in-text a.txt --stride -1"),
        QStringLiteral("--stride needs a whole number from 0"));
    row("sample", QStringLiteral("--in a.tsv --sample=0"), QStringLiteral("--sample needs a whole number from 1"));
    row("words of documents", QStringLiteral("--document-words few --in a.conllu"), QStringLiteral("few"));
    row("unit of text", QStringLiteral("--in-text a.txt --text-unit page"), QStringLiteral("page"));
    row("predictions of windows", QStringLiteral("--in-text a.txt --window-predictions"),
        QStringLiteral("--window-predictions"));
    row("size", QStringLiteral("--screenshot x.png --size big"), QStringLiteral("big"));
    row("language", QStringLiteral("--screenshot x.png --language xx"), QStringLiteral("en, fr"));
    row("in another language", QStringLiteral("--screenshot x.png --size big --language=fr"),
        QStringLiteral("Voir headscope --help."));
    row("limit", QStringLiteral("--screenshot x.png --limit many"), QStringLiteral("many"));
    row("no beams", QStringLiteral("--screenshot x.png --beams 0"), QStringLiteral("--beams"));
    row("every view is named", QStringLiteral("--screenshot x.png --view sky"), QStringLiteral("roles"));
    row("demo and a path", QStringLiteral("--demo folder --screenshot x.png"), QStringLiteral("folder"));
    row("nothing to export", QStringLiteral("--export-all folder"), QStringLiteral("--export-all"));
}

void TestProgram::wrongOptionsAreUsageErrors()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, named);
    const Outcome outcome = run(arguments);
    QCOMPARE(outcome.exitCode, 2);
    QVERIFY2(outcome.errors.contains(named), qPrintable(outcome.errors));
}

void TestProgram::withoutDisplayItSaysSo()
{
    const Outcome outcome = run({});
    QCOMPARE(outcome.exitCode, 2);
    QVERIFY2(outcome.errors.contains(QStringLiteral("no display")), qPrintable(outcome.errors));
}

void TestProgram::badInputNamesTheFolder()
{
    QVERIFY(QDir().mkpath(path("empty")));
    const Outcome outcome = run({path("empty"), QStringLiteral("--screenshot"), path("no.png")});
    QCOMPARE(outcome.exitCode, 3);
    QVERIFY2(outcome.errors.contains(path("empty")), qPrintable(outcome.errors));
    QVERIFY(!QFile::exists(path("no.png")));
}

void TestProgram::exportsEverythingAndPaintsTheStudy()
{
    const QString all = path("all");
    const Outcome outcome
        = run({path("model"), QStringLiteral("--in"), path("in.src"), path("in.ref"), QStringLiteral("--out"),
               path("out.src"), path("out.ref"), QStringLiteral("--export-all"), all});
    QVERIFY2(outcome.exitCode == 0, qPrintable(outcome.errors));
    const QDir folder(all);
    // Three measures on two data sets and their difference, pruning, domains, attention
    for (const char *suffix : {"*.png", "*.svg", "*.pdf", "*.csv"})
        QVERIFY(filesIn(all, suffix).size() >= 11);
    QVERIFY(folder.exists(QStringLiteral("study.headscope")));
    // A folder for each page, with short names, and a page that shows all of it.
    QVERIFY(folder.exists(QStringLiteral("heads/ablation-bleu-in.pdf")));
    QVERIFY(folder.exists(QStringLiteral("heads/difference-of-ablation-bleu.csv")));
    QFile index(folder.filePath(QStringLiteral("index.html")));
    QVERIFY(index.open(QIODevice::ReadOnly));
    const QString page = QString::fromUtf8(index.readAll());
    QSet<QString> named;
    static const QRegularExpression references(QStringLiteral("(?:src|href)=\"([^\"]*)\""));
    for (auto match = references.globalMatch(page); match.hasNext();) {
        const QString file = match.next().captured(1);
        QVERIFY2(folder.exists(file), qPrintable(file));
        named.insert(file);
    }
    for (const QString &file : filesIn(all, "*.png") + filesIn(all, "*.pdf") + filesIn(all, "*.csv")) {
        QVERIFY2(QFileInfo(file).fileName().size() <= 60, qPrintable(file));
        QVERIFY2(named.contains(file), qPrintable(file));
    }

    // Another model's study there is not replaced, and nothing is computed before that is said.
    headscope::testing::TinyModel sizes;
    sizes.heads = 2;
    headscope::testing::writeTinyModel(path("second").toStdString(), sizes);
    const Outcome foreign = run(
        {path("second"), QStringLiteral("--in"), path("in.src"), path("in.ref"), QStringLiteral("--export-all"), all});
    QCOMPARE(foreign.exitCode, 3);
    QVERIFY2(foreign.errors.contains(QStringLiteral("study of another model")), qPrintable(foreign.errors));
    QVERIFY(!foreign.errors.contains(QStringLiteral("Ablation")));

    const Outcome picture = run({folder.filePath(QStringLiteral("study.headscope")), QStringLiteral("--screenshot"),
                                 path("heads.png"), QStringLiteral("--view"), QStringLiteral("heads"),
                                 QStringLiteral("--size"), QStringLiteral("1000x600")});
    QVERIFY2(picture.exitCode == 0, qPrintable(picture.errors));
    QVERIFY2(!picture.errors.contains(QStringLiteral("Ablation")), "results of a study are not computed again");
    QCOMPARE(QImage(path("heads.png")).size(), QSize(1000, 600));
}

void TestProgram::exportsEverythingOfAClassifier()
{
    headscope::testing::writeTinyClassifier(path("classifier").toStdString());
    headscope::testing::writeTinyTable(path("in.tsv").toStdString(), 20, 1);
    QFile bare(path("out.txt")); // of another form: what belongs to it is said after it
    QVERIFY(bare.open(QIODevice::WriteOnly));
    bare.write("a good film\tgood\nthe dull dog runs\tbad\nnever a man\tbad\n");
    bare.close();
    const QString all = path("all-classifier");
    const Outcome outcome
        = run({path("classifier"), QStringLiteral("--in"), path("in.tsv"), QStringLiteral("--sample"),
               QStringLiteral("15"), QStringLiteral("--out"), path("out.txt"), QStringLiteral("--no-header"),
               QStringLiteral("--text-column"), QStringLiteral("1"), QStringLiteral("--label-column=2"),
               QStringLiteral("--label-map=good=positive,bad=negative"), QStringLiteral("--metric"),
               QStringLiteral("F1"), QStringLiteral("--export-all"), all});
    QVERIFY2(outcome.exitCode == 0, qPrintable(outcome.errors));
    const QDir folder(all);
    for (const char *suffix : {"*.png", "*.svg", "*.csv"})
        QVERIFY(filesIn(all, suffix).size() >= 11);
    QVERIFY(!filesIn(all, "*f1*.csv").isEmpty());
    const Result<LoadedStudy> study = loadStudy(folder.filePath(QStringLiteral("study.headscope")).toStdString());
    QCOMPARE(study.value().study.data[0]->origin.sample, 15);
    QCOMPARE(study.value().study.data[1]->origin.sample, 0);
    const Outcome picture = run({folder.filePath(QStringLiteral("study.headscope")), QStringLiteral("--screenshot"),
                                 path("classifier.png"), QStringLiteral("--view"), QStringLiteral("attention")});
    QVERIFY2(picture.exitCode == 0, qPrintable(picture.errors));
    QVERIFY2(!picture.errors.contains(QStringLiteral("Ablation")), "results of a study are not computed again");
}

void TestProgram::exportsWhatTreesAllow()
{
    QFile trees(path("in.conllu"));
    QVERIFY(trees.open(QIODevice::WriteOnly));
    trees.write("1\ta\ta\tDET\t_\t_\t2\tdet\t_\t_\n2\tdog\tdog\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
                "3\truns\trun\tVERB\t_\t_\t0\troot\t_\t_\n\n");
    trees.close();
    const QString all = path("all-trees");
    const Outcome outcome
        = run({path("model"), QStringLiteral("--in"), path("in.conllu"), QStringLiteral("--export-all"), all});
    QVERIFY2(outcome.exitCode == 0, qPrintable(outcome.errors));
    QVERIFY2(outcome.errors.contains(QStringLiteral("Not exported: ")), qPrintable(outcome.errors)); // no references
    const QDir folder(all);
    QVERIFY2(!filesIn(all, "*roles*.csv").isEmpty(), qPrintable(filesIn(all, "*.csv").join(u' ')));
    QVERIFY(folder.exists(QStringLiteral("study.headscope")));
}

void TestProgram::demoIsAStudyOfItsOwn()
{
    QDir folder(path("all")); // made by the test before
    QVERIFY(QFile::copy(folder.filePath(QStringLiteral("study.headscope")),
                        folder.filePath(QStringLiteral("demo.headscope"))));
    QVERIFY(folder.rename(QStringLiteral("study.headscope.results"), QStringLiteral("demo.headscope.results")));
    qputenv("HEADSCOPE_DEMO", folder.path().toUtf8());
    const Outcome outcome = run({QStringLiteral("--demo"), QStringLiteral("--screenshot"), path("demo.png"),
                                 QStringLiteral("--view"), QStringLiteral("pruning")});
    qunsetenv("HEADSCOPE_DEMO");
    QVERIFY2(outcome.exitCode == 0, qPrintable(outcome.errors));
    for (const char *job : {"Ablation", "Importance", "Confidence", "Score", "Pruning"})
        QVERIFY2(!outcome.errors.contains(QLatin1String(job)), qPrintable(outcome.errors));
    QCOMPARE(QImage(path("demo.png")).size(), QSize(1280, 800));
}

void TestProgram::brokenDemoIsBadInput()
{
    QVERIFY(QDir().mkpath(path("broken")));
    QFile file(path("broken/demo.headscope"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{ not a study");
    file.close();
    qputenv("HEADSCOPE_DEMO", path("broken").toUtf8());
    const Outcome outcome = run({QStringLiteral("--demo"), QStringLiteral("--screenshot"), path("no.png")});
    qunsetenv("HEADSCOPE_DEMO");
    QCOMPARE(outcome.exitCode, 3);
    QVERIFY2(outcome.errors.contains(path("broken")), qPrintable(outcome.errors));
}

void TestProgram::trainingPageNeedsNoModel()
{
    const Outcome outcome = run({QStringLiteral("--screenshot"), path("training.png"), QStringLiteral("--view"),
                                 QStringLiteral("training"), QStringLiteral("--size"), QStringLiteral("1000x700")});
    QVERIFY2(outcome.exitCode == 0, qPrintable(outcome.errors));
    QCOMPARE(QImage(path("training.png")).size(), QSize(1000, 700));
}

QTEST_GUILESS_MAIN(TestProgram)
#include "tst_program.moc"
