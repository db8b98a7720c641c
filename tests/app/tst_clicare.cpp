#include "tests/support/clirun.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinymodel.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <limits>

using namespace Qt::StringLiterals;
using namespace headscope::testing;

/// What the program refuses, keeps and says when it is used carelessly.
class TestCliCare : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    QString path(const char *name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    QStringList with(const char *command, const QStringList &more = {}) const
    {
        return QStringList{QString::fromLatin1(command),
                           u"--model"_s,
                           path("model"),
                           u"--threads"_s,
                           u"1"_s,
                           u"--source"_s,
                           path("in.src"),
                           u"--reference"_s,
                           path("in.ref"),
                           u"--beams"_s,
                           u"1"_s}
             + more;
    }
    Run refused(const QStringList &arguments, int code, const char *says) const
    {
        const Run result = run(arguments);
        const bool asExpected = result.code == code && result.err.contains(says);
        if (!asExpected)
            qWarning("%d: %s", result.code, result.err.constData());
        return asExpected ? result : Run();
    }

    /// The program with its arguments as "$@" of this command, which begins in the test's folder.
    Run inShell(const char *command, const QStringList &arguments) const
    {
        QProcess shell;
        shell.setWorkingDirectory(m_folder.path());
        shell.start(u"/bin/sh"_s, QStringList{u"-c"_s, QString::fromLatin1(command), u"sh"_s, program()} + arguments);
        if (!shell.waitForFinished(60000))
            return {-1, {}, "it does not end"};
        return {shell.exitStatus() == QProcess::NormalExit ? shell.exitCode() : -2, shell.readAllStandardOutput(),
                shell.readAllStandardError()};
    }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY2(QFile::exists(program()), qPrintable(program()));
        writeTinyModel(path("model").toStdString());
        writeTinyCorpus(path("in.src").toStdString(), path("in.ref").toStdString(), 40, 5);
    }

    void badNumbersAreUsageErrors_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QByteArray>("says");
        const auto add = [](const char *arguments, const char *says) {
            QTest::newRow(arguments) << QString::fromLatin1(arguments) << QByteArray(says);
        };
        add("evaluate --length-penalty nan", "--length-penalty");
        add("evaluate --length-penalty -inf", "--length-penalty");
        add("ablate --precision nan", "not a number 0 or more");
        add("ablate --sample-ratio nan", "--sample-ratio");
        add("evaluate --memory -1", "--memory");
        add("evaluate --seed -1", "--seed");
        add("evaluate --seed 99999999999999999999999999", "too large");
        add("evaluate --limit 99999999999999999999999999", "too large");
        add("evaluate --limit 1e3", "whole number");
        add("evaluate --beams 4294967297", "--beams");
        add("evaluate --limit 3 --sample 3", "--sample");
        add("evaluate --sample 0", "--sample");
        add("prune --greedy-step 3", "--order greedy");
        add("prune --order fisher", "--reduction fisher");
        add("ablate --max-length 1", "from 2 to"); // as in config.json
        add("evaluate --threads 1000000000", "from 0 to 4096");
        add("evaluate --resamples 100000000000", "--resamples");
        add("ablate --draws 1000000", "--draws");
        add("collaborate --ranks 100000 --resamples 0 --sentences 1", "columns together");
        add("attention --rollout --format csv", "--rollout");
        add("attention --rollout --out maps.safetensors", "--rollout");
    }

    void badNumbersAreUsageErrors()
    {
        QFETCH(QString, arguments);
        QFETCH(QByteArray, says);
        const QStringList words = arguments.split(u' ');
        const Run result = run(with(words.first().toLatin1().constData(), words.mid(1)));
        QCOMPARE(result.code, 2);
        QVERIFY2(result.err.contains(says), result.err.constData());
        QVERIFY2(result.err.size() < 400, result.err.constData()); // no numbers of hundreds of digits
    }

    void emptyValuesAreUsageErrors_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QByteArray>("option");
        QTest::newRow("resume") << QStringList{u"serve"_s, u"--resume"_s, u""_s} << QByteArray("--resume");
        QTest::newRow("journal") << with("ablate", {u"--journal"_s, u""_s}) << QByteArray("--journal");
        QTest::newRow("out") << with("evaluate", {u"--out"_s, u""_s}) << QByteArray("--out");
        QTest::newRow("with =") << with("evaluate", {u"--metric="_s}) << QByteArray("--metric");
    }

    void emptyValuesAreUsageErrors()
    {
        QFETCH(QStringList, words);
        QFETCH(QByteArray, option);
        const Run result = run(words);
        QCOMPARE(result.code, 2);
        QVERIFY2(result.err.contains(option), result.err.constData());
    }

    /// Limits of the shell: an error like a full disk, and nothing half-written.
    void filesThatMayNotGrowAreErrors()
    {
        QVERIFY(QDir().mkpath(path("limited")));
        const Run result = inShell("ulimit -f 0; exec \"$@\"",
                                   with("ablate", {u"--resamples"_s, u"0"_s, u"--out"_s, path("limited/out.json")}));
        QCOMPARE(result.code, 3);
        QVERIFY2(result.err.contains("ulimit -f"), result.err.constData());
        QVERIFY(QDir(path("limited")).entryList(QDir::Files | QDir::Hidden).isEmpty());
    }

    void tooLittleAddressSpaceIsSaidAtOnce()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("Sanitizers take more address space than any limit leaves.");
#else
        int refused = 0;
        for (const int limit : {350000, 450000, 550000, 650000, 750000}) {
            const QString command = QStringLiteral("ulimit -v %1; exec \"$@\"").arg(limit);
            const Run result = inShell(command.toLatin1().constData(), with("evaluate", {u"--quiet"_s}));
            // 127: not even the libraries could be loaded.
            QVERIFY2(result.code == 0 || result.code == 3 || result.code == 127, result.err.constData());
            QVERIFY2(result.code != 3 || result.err.contains("ulimit -v"), result.err.constData());
            refused += result.code == 3 ? 1 : 0;
        }
        QVERIFY(refused > 0);
#endif
    }

    void aFolderThatIsGoneIsSaid()
    {
        const Run result = inShell("mkdir gone && cd gone && rmdir ../gone && exec \"$@\"",
                                   with("evaluate", {u"--out"_s, u"out.json"_s}));
        QCOMPARE(result.code, 3);
        QVERIFY2(result.err.contains("not there any more"), result.err.constData());
    }

    void pipesAmongAModelsFilesAreRefused()
    {
        for (const char *name :
             {"config.json", "tokenizer.json", "generation_config.json", "source.spm", "dict.en.txt"}) {
            const QString folder = path("piped-") + QString::fromLatin1(name);
            writeTinyModel(folder.toStdString());
            const QString pipe = folder + u'/' + QString::fromLatin1(name);
            QFile::remove(pipe);
            QCOMPARE(::mkfifo(pipe.toLocal8Bit().constData(), 0600), 0);
            const Run result = run({u"inspect"_s, u"--model"_s, folder});
            QCOMPARE(result.code, 3);
            QVERIFY2(result.err.contains("is a named pipe"), result.err.constData());
        }
    }

    void mapsOfManySentencesAreNotPrinted()
    {
        QVERIFY(
            writeFile(path("long.src"),
                      QByteArray("5 6 7 8 9 10 11 12 5 6 7 8 9 10 11 12 5 6 7 8 9 10 11 12 5 6 7 8\n").repeated(3000)));
        const QStringList words{u"attention"_s,   u"--model"_s,   path("model"), u"--source"_s,
                                path("long.src"), u"--threads"_s, u"1"_s,        u"--quiet"_s};
        const Run printed = run(words);
        QCOMPARE(printed.code, 2);
        QVERIFY2(printed.out.isEmpty() && printed.err.contains("--out FILE"), printed.err.constData());
        QCOMPARE(checked(words + QStringList{u"--limit"_s, u"2"_s}).code, 0);
        QCOMPARE(checked(words + QStringList{u"--limit"_s, u"20"_s, u"--out"_s, path("maps.safetensors")}).code, 0);
    }

    void argumentsThatAreNoUtf8AreUsageErrors()
    {
        QProcess shell;
        const QString command = u"exec \"$0\" attention --model x --text \"$(printf '\\377')\""_s;
        shell.start(u"/bin/sh"_s, {u"-c"_s, command, program()});
        QVERIFY(shell.waitForFinished(60000));
        QCOMPARE(shell.exitCode(), 2);
        QVERIFY(shell.readAllStandardError().contains("UTF-8"));
    }

    void inputsAreNotReplaced()
    {
        const QByteArray before = readFile(path("in.ref"));
        for (const QString &input : {path("in.ref"), path("in.src"), path("model/config.json")})
            QCOMPARE(refused(with("evaluate", {u"--out"_s, input}), 2, "is an input").code, 2);
        QCOMPARE(readFile(path("in.ref")), before);
    }

    void namedFilesAreNotReplaced_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("file");
        const auto add = [](const char *name, const QStringList &words, const QString &file) {
            QTest::newRow(name) << words << file;
        };
        const QString mask = path("mask.json");
        add("a mask", with("evaluate", {u"--mask"_s, mask, u"--out"_s, mask}), mask);
        add("an order", with("prune", {u"--order"_s, path("order.txt"), u"--out"_s, path("order.txt")}),
            path("order.txt"));
        add("a sweep by windows",
            with("roles", {u"--windowed"_s, path("windowed.json"), u"--out"_s, path("windowed.json")}),
            path("windowed.json"));
        add("a corpus", with("roles", {u"--corpus"_s, path("corpus.txt"), u"--out"_s, path("corpus.txt")}),
            path("corpus.txt"));
        add("a second set",
            with("prune", {u"--order-on"_s, path("in.src"), path("other.ref"), u"--out"_s, path("other.ref")}),
            path("other.ref"));
        add("by maps", with("attention", {u"--out"_s, path("fresh.json"), u"--maps"_s, path("in.ref")}),
            path("in.ref"));
        add("through a link", with("evaluate", {u"--out"_s, path("link")}), path("in.ref"));
        add("the manifest beside a table",
            with("ablate", {u"--reference-on"_s, path("t.csv.manifest.json"), path("in.ref"), u"--replace"_s, u"mean"_s,
                            u"--format"_s, u"csv"_s, u"--out"_s, path("t.csv")}),
            path("t.csv.manifest.json"));
        add("a study", {u"pack"_s, path("s.headscope"), u"--out"_s, path("s.headscope")}, path("s.headscope"));
        add("a packed study", {u"unpack"_s, path("p.zip"), u"--out"_s, path("p.zip")}, path("p.zip"));
        add("a plan", {u"batch"_s, path("plan.json"), u"--out"_s, path("plan.json")}, path("plan.json"));
        add("data of a plan", {u"batch"_s, path("plan.json"), u"--out"_s, path("in.src")}, path("in.src"));
        add("a model of a plan", {u"batch"_s, path("plan.json"), u"--out"_s, path("model/config.json")},
            path("model/config.json"));
        add("a result", {u"compare"_s, path("windowed.json"), mask, u"--out"_s, mask}, mask);
        add("a configuration", {u"train"_s, path("train.json"), u"--out"_s, path("train.json")}, path("train.json"));
        add("a checkpoint",
            {u"dynamics"_s, u"--runs"_s, path("runs"), u"--source"_s, path("in.src"), u"--reference"_s, path("in.ref"),
             u"--out"_s, path("runs/epoch-001/config.json")},
            path("runs/epoch-001/config.json"));
    }

    void namedFilesAreNotReplaced()
    {
        for (const char *name : {"mask.json", "order.txt", "windowed.json", "corpus.txt", "other.ref", "s.headscope",
                                 "p.zip", "train.json", "t.csv.manifest.json"})
            QVERIFY(writeFile(path(name), "what is there"));
        QVERIFY(writeFile(path("plan.json"),
                          R"({"output": "planned", "models": ["model"], "analyses": [{"command": "confidence"}],
                              "data": [{"name": "in", "source": "in.src", "reference": "in.ref"}]})"));
        QVERIFY(QDir().mkpath(path("runs/epoch-001")));
        QVERIFY(writeFile(path("runs/epoch-001/config.json"), "{}"));
        (void)QFile::link(path("in.ref"), path("link"));
        QFETCH(QStringList, words);
        QFETCH(QString, file);
        const QByteArray before = readFile(file);
        QVERIFY(!before.isEmpty());
        QCOMPARE(refused(words, 2, "is an input").code, 2);
        QCOMPARE(readFile(file), before);
    }

    void twoOutputsAreTwoFiles()
    {
        for (const char *other : {"both.json", "./both.json"})
            QCOMPARE(refused(with("attention", {u"--out"_s, path("both.json"), u"--maps"_s, path(other)}), 2,
                             "name the same file")
                         .code,
                     2);
        QVERIFY(!QFile::exists(path("both.json")));
    }

    void linksToNothingAmongAModelsFilesAreRefused()
    {
        for (const char *name : {"generation_config.json", "tokenizer_config.json", "model.safetensors"}) {
            const QString folder = path("linked-") + QString::fromLatin1(name);
            writeTinyModel(folder.toStdString());
            const QString link = folder + u'/' + QString::fromLatin1(name);
            QFile::remove(link);
            QVERIFY(QFile::link(u"/nowhere/blobs/0123"_s, link));
            const Run result = run({u"inspect"_s, u"--model"_s, folder});
            QCOMPARE(result.code, 3);
            QVERIFY2(result.err.contains(link.toUtf8()) && result.err.contains("/nowhere/blobs/0123"),
                     result.err.constData());
        }
        // What no model is read from does not matter.
        writeTinyModel(path("linked").toStdString());
        QVERIFY(QFile::link(u"/nowhere/README"_s, path("linked/README.md")));
        QVERIFY(QFile::link(u"/nowhere/flax"_s, path("linked/flax_model.msgpack")));
        QCOMPARE(checked({u"inspect"_s, u"--model"_s, path("linked")}).code, 0);
    }

    void resultsThatAreWrittenLeaveTheWorkFolder()
    {
        for (const char *command : {"roles", "importance", "search"}) {
            const QString work = path("work-") + QString::fromLatin1(command);
            QCOMPARE(checked(with(command,
                                  {u"--work-folder"_s, work, u"--limit"_s, u"8"_s, u"--out"_s, path("written.json")}))
                         .code,
                     0);
            QDirIterator files(work, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
            QVERIFY2(!files.hasNext(), qPrintable(files.next()));
        }
    }

    /// The last shards have nothing to do, and are joined like the others.
    void moreShardsThanExamples()
    {
        const QStringList sweep{u"--limit"_s, u"4"_s, u"--resamples"_s, u"20"_s, u"--quiet"_s};
        QStringList merge{u"merge"_s, u"--quiet"_s, u"--out"_s, path("all.journal")};
        for (int shard = 1; shard <= 8; ++shard) {
            const QString journal = path("few.") + QString::number(shard);
            merge << journal;
            const Run part = checked(
                with("ablate",
                     sweep + QStringList{u"--shard"_s, QStringLiteral("%1/8").arg(shard), u"--journal"_s, journal}));
            QCOMPARE(part.code, 0);
        }
        QCOMPARE(checked(merge).code, 0);
        const Run joined = checked(with("ablate", sweep + QStringList{u"--journal"_s, path("all.journal")}));
        const Run whole = checked(with("ablate", sweep));
        QCOMPARE(joined.json()[u"examples"].toInt(), 4);
        for (const QString &key : {u"heads"_s, u"baseline"_s})
            QCOMPARE(joined.json()[key], whole.json()[key]);
    }

    void fewExamplesHaveNoHundredPerCent()
    {
        const Run two = run(with("ablate", {u"--limit"_s, u"2"_s, u"--resamples"_s, u"20"_s}));
        QCOMPARE(two.code, 0);
        QVERIFY2(!two.err.contains("e+02"), two.err.constData());
        const Run score = run(with("evaluate", {u"--limit"_s, u"2"_s, u"--against"_s, u"encoder.0.0"_s}));
        QVERIFY2(!score.err.contains("e+02"), score.err.constData());
    }

    void noFolderForTemporaryFilesIsSaid()
    {
        const Run result = inShell(
            "TMPDIR=/nope exec \"$@\"",
            {u"pack"_s,
             QStringLiteral("%1/resources/demo/demo.headscope").arg(qEnvironmentVariable("HEADSCOPE_SOURCE_DIR")),
             u"--out"_s, path("packed.zip")});
        QCOMPARE(result.code, 3);
        QVERIFY2(result.err.contains("TMPDIR names /nope"), result.err.constData());
    }

    void outputsThatCannotBeWrittenAreRefusedFirst()
    {
        QVERIFY(QDir().mkpath(path("table.csv.manifest.json"))); // what stands beside the table could not be written
        QCOMPARE(refused(with("ablate", {u"--format"_s, u"csv"_s, u"--out"_s, path("table.csv")}), 3, "--out").code, 3);
        QVERIFY(!QFile::exists(path("table.csv")));
        QVERIFY(QDir().mkpath(path("taken/inside")));
        const QStringList exported{u"--order"_s, u"ablation"_s, u"--export"_s, path("taken")};
        QCOMPARE(refused(with("prune", exported), 2, "--export").code, 2);
    }

    void waitingForAPipeEndsOnSigterm_data()
    {
        QTest::addColumn<bool>("threadBeforeMain");
        QTest::newRow("alone") << false;
        QTest::newRow("a library's thread before main") << true; // it takes the signals that all other threads block
    }

    void waitingForAPipeEndsOnSigterm()
    {
        QFETCH(bool, threadBeforeMain);
        const QString pipe = path(threadBeforeMain ? "pipe2.tsv" : "pipe.tsv");
        QCOMPARE(::mkfifo(pipe.toLocal8Bit().constData(), 0600), 0);
        QProcess process;
        if (threadBeforeMain) {
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert(u"LD_PRELOAD"_s, QStringLiteral(HEADSCOPE_THREAD_BEFORE_MAIN));
            process.setProcessEnvironment(environment);
        }
        process.start(program(), {u"predict"_s, u"--model"_s, path("model"), u"--data"_s, pipe});
        QVERIFY(process.waitForStarted());
        // Somebody who could write, and does not, is let in once the program waits for the pipe.
        int writer = -1;
        QTRY_VERIFY_WITH_TIMEOUT((writer = ::open(pipe.toLocal8Bit().constData(), O_WRONLY | O_NONBLOCK)) >= 0, 60000);
        ::kill(static_cast<pid_t>(process.processId()), SIGTERM);
        QVERIFY(process.waitForFinished(30000));
        ::close(writer);
        QCOMPARE(process.exitCode(), 4);
    }

    void partialResultsAreNotUsedAsWhole()
    {
        const Run whole = checked(with("importance", {u"--quiet"_s}));
        QCOMPARE(whole.code, 0);
        QJsonObject json = whole.json();
        QVERIFY(writeFile(path("whole.json"), QJsonDocument(json).toJson()));
        json[u"partial"] = true;
        QVERIFY(writeFile(path("partial.json"), QJsonDocument(json).toJson()));
        QCOMPARE(run({u"compare"_s, path("whole.json"), path("whole.json")}).code, 0);
        QCOMPARE(refused({u"compare"_s, path("whole.json"), path("partial.json")}, 3, "is partial").code, 3);
        QCOMPARE(refused(with("prune", {u"--order"_s, path("partial.json")}), 3, "is partial").code, 3);
    }

    void oneExampleIsNeverSignificant()
    {
        const QStringList one{u"--limit"_s, u"1"_s, u"--quiet"_s};
        const Run ablation = checked(with("ablate", one));
        QCOMPARE(ablation.code, 0);
        QVERIFY(!ablation.json()[u"baseline"].toObject().contains(u"ci_low"_s)
                || ablation.json()[u"baseline"][u"ci_low"].isNull());
        for (const QJsonValue &head : ablation.json()[u"heads"].toArray()) {
            QCOMPARE(head[u"p"].toDouble(), 1.0);
            QVERIFY(head[u"ci_low"].isNull() || head[u"changed"].toInt() == 0);
        }
        const Run importance = checked(with("importance", one));
        for (const QJsonValue &head : importance.json()[u"heads"].toArray())
            QVERIFY(head[u"stderr"].isNull());
    }

    void attentionNamesItsRowsMeasureAndData()
    {
        const auto maps = [&](const char *measure) {
            return checked(with("attention",
                                {u"--index"_s, u"5,7"_s, u"--measure"_s, QString::fromLatin1(measure), u"--quiet"_s}))
                .json()[u"sentences"]
                .toArray();
        };
        const auto rowSum = [](const QJsonValue &sentence) {
            const QJsonObject map = sentence[u"maps"].toArray().first().toObject();
            const QJsonArray weights = map[u"weights"].toArray();
            const QJsonValue first = weights.first();
            double sum = 0;
            for (const QJsonValue &weight : first.isArray() ? first.toArray() : weights)
                sum += weight.toDouble();
            return first.isArray() ? sum : sum / map[u"queries"].toInt(1);
        };
        const QJsonArray norms = maps("norms");
        QCOMPARE(norms.size(), 2);
        QCOMPARE(norms[0][u"index"].toInt(), 5);
        QCOMPARE(norms[1][u"index"].toInt(), 7);
        QCOMPARE(norms[0][u"measure"].toString(), u"norms"_s);
        QVERIFY(std::abs(rowSum(norms[0]) - 1) > 1e-3);
        QVERIFY(std::abs(rowSum(maps("norm-shares")[0]) - 1) < 1e-4);
        const QJsonValue manifest = norms[0][u"manifest"];
        QCOMPARE(manifest[u"data"].toString(), u"in"_s);
        QVERIFY(!manifest[u"created"].toString().isEmpty());
        QVERIFY2(manifest[u"command"].toString().startsWith(u"headscope-cli attention"), "");

        const QString file = path("maps.safetensors");
        QCOMPARE(checked(with("attention", {u"--index"_s, u"5,7"_s, u"--out"_s, file, u"--quiet"_s})).code, 0);
        const QByteArray header = readFile(file).left(1 << 16);
        QVERIFY(header.contains("\"7.encoder.0.0\"") && !header.contains("\"0.encoder.0.0\""));
        QVERIFY(header.contains("\"measure\":\"weights\""));
    }

    void samplesAreDrawn()
    {
        const QStringList sample{u"--sample"_s, u"10"_s, u"--quiet"_s};
        const Run first = checked(with("evaluate", sample));
        QCOMPARE(first.json()[u"examples"].toInt(), 10);
        QVERIFY(first.json()[u"manifest"][u"command"].toString().contains(u"--sample 10"));
        const auto hash = [](const Run &result) { return result.json()[u"manifest"][u"data_hash"].toString(); };
        QCOMPARE(hash(checked(with("evaluate", sample))), hash(first));
        QVERIFY(hash(checked(with("evaluate", sample + QStringList{u"--seed"_s, u"3"_s}))) != hash(first));
    }

    void fullDiskLeavesNoHalfDemo()
    {
        // A limit on the size of files stands in for a full disk: the model's weights do not fit.
        QProcess shell;
        const QString command = u"trap '' XFSZ; ulimit -f 1000; exec \"$0\" demo --out \"$1\""_s;
        QVERIFY(QDir().mkpath(path("disk")));
        shell.start(u"/bin/sh"_s, {u"-c"_s, command, program(), path("disk/demo")});
        QVERIFY(shell.waitForFinished(60000));
        QCOMPARE(shell.exitCode(), 3);
        const QByteArray says = shell.readAllStandardError();
        QVERIFY2(says.contains(path("disk/demo").toUtf8()), says.constData());
        QCOMPARE(QDir(path("disk")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot), QStringList());
    }

    void emptySourcesAreNoted()
    {
        QByteArray lines = readFile(path("in.src"));
        const auto second = lines.indexOf('\n') + 1;
        lines.replace(second, lines.indexOf('\n', second) - second, " ");
        QVERIFY(writeFile(path("holes.src"), lines));
        QStringList arguments = with("evaluate");
        arguments[arguments.indexOf(path("in.src"))] = path("holes.src");
        const Run result = run(arguments);
        QCOMPARE(result.code, 0);
        QVERIFY2(result.err.contains("1 empty source text, the first is row 2"), result.err.constData());
        QCOMPARE(result.json()[u"examples"].toInt(), 40);
    }

    void rowsThatAreCutAreSaidAndWritten()
    {
        const QByteArray first = readFile(path("in.src")).split('\n').first();
        QVERIFY(writeFile(path("long.src"), QByteArray(first + ' ').repeated(80) + '\n' + first + '\n'));
        const Run result = run({u"attention"_s, u"--model"_s, path("model"), u"--source"_s, path("long.src"),
                                u"--index"_s, u"0"_s, u"--threads"_s, u"1"_s});
        QVERIFY2(result.code == 0, result.err.constData());
        QVERIFY2(result.err.contains("cut to the model's 64 positions"), result.err.constData());
        const QJsonValue sentence = result.json()[u"sentences"][0];
        QVERIFY(sentence[u"cut"].toBool());
        QCOMPARE(sentence[u"source_tokens"].toArray().size(), 64);
        QVERIFY(!sentence[u"maps"].toArray().isEmpty());
    }

    void weightsThatAreNoNumbersAreSaid_data()
    {
        QTest::addColumn<float>("weight");
        QTest::addColumn<QString>("command");
        for (const char *command : {"ablate", "search"}) {
            QTest::addRow("NaN, %s", command)
                << std::numeric_limits<float>::quiet_NaN() << QString::fromLatin1(command);
            QTest::addRow("infinity, %s", command)
                << std::numeric_limits<float>::infinity() << QString::fromLatin1(command);
        }
    }

    /// All hypotheses of a beam have a score then that no order knows.
    void weightsThatAreNoNumbersAreSaid()
    {
        QFETCH(float, weight);
        QFETCH(QString, command);
        const QByteArray before = readFile(path("model/model.safetensors"));
        QByteArray broken = before;
        for (qsizetype at = broken.size() - 4096; at < broken.size(); at += 4)
            std::memcpy(broken.data() + at, &weight, sizeof weight);
        QVERIFY(writeFile(path("model/model.safetensors"), broken));
        for (const char *beams : {"2", "4"}) {
            QStringList arguments = with(command.toLatin1(), {u"--limit"_s, u"12"_s, u"--resamples"_s, u"10"_s});
            arguments[arguments.indexOf(u"--beams"_s) + 1] = QString::fromLatin1(beams);
            const Run result = run(arguments);
            QVERIFY2(result.code == 0 || result.code == 3, result.err.constData());
            QVERIFY2(result.err.contains("not finite numbers"), result.err.constData());
        }
        QVERIFY(writeFile(path("model/model.safetensors"), before));
    }

    void modelsWithoutHeadsAreSaid()
    {
        writeTinyClassifier(path("bert").toStdString());
        QByteArray config = readFile(path("bert/config.json"));
        QJsonObject json = QJsonDocument::fromJson(config).object();
        for (const int heads : {0, -4}) {
            json[u"num_attention_heads"] = heads;
            QVERIFY(writeFile(path("bert/config.json"), QJsonDocument(json).toJson()));
            QCOMPARE(refused({u"inspect"_s, u"--model"_s, path("bert")}, 3, "num_attention_heads").code, 3);
        }
    }
};

QTEST_GUILESS_MAIN(TestCliCare)
#include "tst_clicare.moc"
