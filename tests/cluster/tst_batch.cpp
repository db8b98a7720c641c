// Plans of many analyses: what is there is not made again, what is made is what the commands make.
#include "tests/support/clirun.h"
#include "tests/support/tinyclassifier.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QProcess>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <cstddef>
#include <memory>

using namespace Qt::StringLiterals;
using namespace headscope::testing;

class TestBatch : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;

    QString path(const char *name) const { return m_folder->filePath(QString::fromLatin1(name)); }
    QString plan() const { return path("plan.json"); }

    /// Two models × two data sets × four analyses.
    static QJsonObject plainPlan()
    {
        return QJsonDocument::fromJson(R"({
            "output": "out",
            "models": ["model-a", {"name": "b", "model": "model-b", "threads": 1}],
            "data": [{"name": "in", "data": "in.tsv"}, {"name": "other", "data": "out.tsv", "limit": 40}],
            "analyses": [{"command": "ablate", "resamples": 20},
                         {"command": "prune", "resamples": 20, "step": 1},
                         {"command": "prune", "resamples": 20, "step": 2, "order-on": "@other", "data": ["in"], "models": ["b"]},
                         {"command": "confidence"}]})")
            .object();
    }
    bool write(const QJsonObject &object) const { return writeFile(plan(), QJsonDocument(object).toJson()); }
    QStringList results() const { return QDir(path("out/results")).entryList({u"*.json"_s}, QDir::Files, QDir::Name); }

    /// Of a result all but when it was made and how long it took.
    static QByteArray content(const QByteArray &json)
    {
        QJsonObject result = QJsonDocument::fromJson(json).object();
        QJsonObject manifest = result[u"manifest"].toObject();
        manifest.remove(u"created"_s);
        manifest.remove(u"seconds"_s);
        result[u"manifest"_s] = manifest;
        result.remove(u"seconds"_s);
        return QJsonDocument(result).toJson();
    }
    QSet<QByteArray> contents() const
    {
        QSet<QByteArray> found;
        for (const QString &file : results())
            found.insert(content(readFile(path("out/results/") + file)));
        return found;
    }
    static QList<QByteArrayList> cells(const QByteArray &tsv)
    {
        QList<QByteArrayList> rows;
        for (const QByteArray &line : tsv.trimmed().split('\n'))
            rows.append(line.split('\t'));
        return rows;
    }

private Q_SLOTS:
    void init()
    {
        QVERIFY2(QFile::exists(program()), qPrintable(program()));
        m_folder = std::make_unique<QTemporaryDir>();
        writeTinyClassifier(path("model-a").toStdString(),
                            {.layers = 2, .heads = 4, .width = 16, .labels = {"a", "b"}});
        writeTinyClassifier(path("model-b").toStdString(),
                            {.layers = 1, .heads = 4, .width = 16, .labels = {"a", "b"}});
        writeTinyTable(path("in.tsv").toStdString(), 60, 3);
        writeTinyTable(path("out.tsv").toStdString(), 60, 4);
        QVERIFY(write(plainPlan()));
    }

    void resultsAreThoseOfTheCommands()
    {
        const Run made = checked({u"batch"_s, plan()});
        QCOMPARE(made.code, 0);
        QCOMPARE(results().size(), 13);
        QVERIFY(QDir(path("out/work")).isEmpty());
        const QSet<QByteArray> mine = contents();
        const QString here = QDir::currentPath();
        QVERIFY(QDir::setCurrent(m_folder->path())); // where the plan's paths begin
        const Run ablate = checked({u"ablate"_s, u"--model"_s, u"model-a"_s, u"--data"_s, u"out.tsv"_s, u"--limit"_s,
                                    u"40"_s, u"--resamples"_s, u"20"_s, u"--quiet"_s});
        const Run prune = checked({u"prune"_s, u"--model"_s, u"model-b"_s, u"--threads"_s, u"1"_s, u"--data"_s,
                                   u"in.tsv"_s, u"--resamples"_s, u"20"_s, u"--step"_s, u"2"_s, u"--order-on"_s,
                                   u"out.tsv"_s, u"--second-reading"_s, u"limit=40"_s, u"--quiet"_s});
        const Run confidence
            = checked({u"confidence"_s, u"--model"_s, u"model-a"_s, u"--data"_s, u"in.tsv"_s, u"--quiet"_s});
        QVERIFY(QDir::setCurrent(here));
        for (const Run *one : {&ablate, &prune, &confidence})
            QVERIFY2(one->code == 0 && mine.contains(content(one->out)), one->out.left(2000).constData());
    }

    void tableSaysWhatCameOut()
    {
        const Run made = checked({u"batch"_s, plan(), u"--quiet"_s});
        QCOMPARE(made.code, 0);
        QVERIFY(made.err.isEmpty());
        const auto rows = cells(made.out);
        QCOMPARE(rows.size(), 5);
        QCOMPARE(rows[0], (QByteArrayList{"model", "data", "metric", "score", "heads", "heads_for_99_percent", "order",
                                          "r", "r_with", "r_all_but_one", "roles", "done", "planned"}));
        QCOMPARE(rows[1].mid(0, 3), (QByteArrayList{"model-a", "in", "accuracy"}));
        QCOMPARE(rows[1][4], QByteArray("8"));
        QVERIFY(rows[1][7].isEmpty()); // the first data set is not compared with itself
        QCOMPARE(rows[2][8], QByteArray("in"));
        QCOMPARE(rows[3].mid(11), (QByteArrayList{"4", "4"}));

        // The same numbers as the commands'.
        const Run json
            = checked({u"batch"_s, plan(), u"--quiet"_s, u"--format"_s, u"json"_s, u"--out"_s, path("table.json")});
        QCOMPARE(json.code, 0);
        const QJsonObject row = QJsonDocument::fromJson(readFile(path("table.json")))[u"rows"][1].toObject();
        const QString here = QDir::currentPath();
        QVERIFY(QDir::setCurrent(m_folder->path()));
        const QStringList ablate{u"ablate"_s, u"--model"_s, u"model-a"_s, u"--resamples"_s,
                                 u"20"_s,     u"--quiet"_s, u"--data"_s};
        QVERIFY(writeFile(path("1"), checked(ablate + QStringList{u"in.tsv"_s}).out));
        QVERIFY(writeFile(path("2"), checked(ablate + QStringList{u"out.tsv"_s, u"--limit"_s, u"40"_s}).out));
        const Run compared = checked({u"compare"_s, path("1"), path("2"), u"--quiet"_s});
        QVERIFY(QDir::setCurrent(here));
        QCOMPARE(row[u"r"].toDouble(), compared.json()[u"pearson"][u"value"].toDouble(-2));
        QCOMPARE(row[u"score"].toDouble(),
                 QJsonDocument::fromJson(readFile(path("2")))[u"baseline"][u"score"].toDouble(-2));
    }

    /// What lies where a result should is taken for one only if it is the one that was made.
    void damagedResultsAreMadeAnew()
    {
        QCOMPARE(checked({u"batch"_s, plan(), u"--quiet"_s}).code, 0);
        const QStringList files = results();
        QCOMPARE(files.size(), 13);
        QList<QByteArray> before;
        for (const QString &file : files)
            before.append(content(readFile(path("out/results/") + file)));
        const QByteArray whole = readFile(path("out/results/") + files[0]);
        // Nothing, cut off, zeros, no result, another one, and with another digit somewhere.
        const QList<QByteArray> damages{"",
                                        whole.left(whole.size() / 2),
                                        QByteArray(whole.size(), '\0'),
                                        "{}",
                                        readFile(path("out/results/") + files[12]),
                                        readFile(path("out/results/") + files[5]).replace('1', '2')};
        for (qsizetype i = 0; i < damages.size(); ++i)
            QVERIFY(writeFile(path("out/results/") + files[i], damages[i]));
        QVERIFY(QFile::remove(path("out/results/") + files[6].chopped(5) + u".hash"_s)); // nobody knows of what it was
        const Run again = run({u"batch"_s, plan()});
        QVERIFY2(again.code == 0, again.err.constData());
        QCOMPARE(again.err.count("is not as it was made"), 7);
        QVERIFY2(again.err.contains("6 of them were there already"), again.err.constData());
        for (qsizetype i = 0; i < files.size(); ++i)
            QCOMPARE(content(readFile(path("out/results/") + files[i])), before[i]);
    }

    void resultsDoNotGoIntoAModel()
    {
        QJsonObject object = plainPlan();
        object[u"output"_s] = u"model-b"_s;
        QVERIFY(write(object));
        const Run refused = run({u"batch"_s, plan()});
        QCOMPARE(refused.code, 3);
        QVERIFY2(refused.err.contains("is the folder of a model"), refused.err.constData());
        QVERIFY(!QFile::exists(path("model-b/results")));
    }

    /// "@NAME" is that set as the plan describes it, whatever the first one is like.
    void namedSetsKeepHowTheyAreRead()
    {
        QByteArray odd; // without a header, the label first
        for (const QByteArray &line : readFile(path("out.tsv")).trimmed().split('\n').mid(1)) {
            const auto cells = line.split('\t');
            odd += cells.last() + '\t' + cells.first() + '\n';
        }
        QVERIFY(writeFile(path("odd.tsv"), odd));
        QJsonObject object = QJsonDocument::fromJson(R"({
            "output": "out", "models": ["model-b"],
            "data": [{"name": "in", "data": "in.tsv"},
                     {"name": "odd", "data": "odd.tsv", "no-header": true, "text-column": "2", "label-column": "1"},
                     {"name": "other", "data": "out.tsv"}],
            "analyses": [{"command": "prune", "resamples": 20, "order-on": "@odd", "data": ["in"]},
                         {"command": "prune", "resamples": 20, "order-on": "@other", "data": ["odd"]},
                         {"command": "prune", "resamples": 20, "order-on": "@other", "data": ["in"]}]})")
                                 .object();
        QVERIFY(write(object));
        const Run made = checked({u"batch"_s, plan(), u"--quiet"_s});
        QCOMPARE(made.code, 0);
        QCOMPARE(results().size(), 3);
        QSet<QByteArray> orders; // of the two that are judged on "in", by the same rows read in two ways
        for (const QString &file : results()) {
            const QJsonObject result = QJsonDocument::fromJson(readFile(path("out/results/") + file)).object();
            if (result[u"manifest"_s][u"data"_s].toString() == u"in"_s)
                orders.insert(QJsonDocument(result[u"order"_s].toArray()).toJson());
        }
        QCOMPARE(orders.size(), 1);
    }

    void readingsOfASecondSetAreChecked()
    {
        const QString here = QDir::currentPath();
        QVERIFY(QDir::setCurrent(m_folder->path()));
        const QStringList words{u"prune"_s, u"--model"_s, u"model-b"_s, u"--data"_s, u"in.tsv"_s, u"--quiet"_s};
        const Run unknown
            = run(words + QStringList{u"--order-on"_s, u"out.tsv"_s, u"--second-reading"_s, u"colour=1"_s});
        const Run alone = run(words + QStringList{u"--second-reading"_s, u"limit=4"_s});
        QVERIFY(QDir::setCurrent(here));
        QCOMPARE(unknown.code, 2);
        QVERIFY2(unknown.err.contains("--second-reading"), unknown.err.constData());
        QCOMPARE(alone.code, 2);
        QVERIFY2(alone.err.contains("--order-on"), alone.err.constData());
    }

    void killedPlansGoOn()
    {
        const QSet<QByteArray> whole = [&] {
            (void)checked({u"batch"_s, plan(), u"--quiet"_s});
            return contents();
        }();
        QCOMPARE(whole.size(), 13);
        QVERIFY(QDir(path("out")).removeRecursively());

        QProcess process;
        process.start(program(), {u"batch"_s, plan(), u"--quiet"_s});
        QTRY_VERIFY_WITH_TIMEOUT(results().size() >= 3, 300000);
        process.kill();
        QVERIFY(process.waitForFinished());
        const QStringList before = results();
        QVERIFY(before.size() < 13);
        QList<QDateTime> times;
        for (const QString &file : before)
            times.append(QFileInfo(path("out/results/") + file).lastModified());

        const Run again = checked({u"batch"_s, plan()});
        QCOMPARE(again.code, 0);
        QCOMPARE(again.err.count("note: batch: "), 13 - before.size() + 1);
        for (qsizetype i = 0; i < before.size(); ++i)
            QCOMPARE(QFileInfo(path("out/results/") + before[i]).lastModified(), times[i]);
        QCOMPARE(contents(), whole);
        QVERIFY2(checked({u"batch"_s, plan()}).err.contains("13/13 analyses, 13 of them were there already"),
                 "made again");
    }

    void shardsMakeTheirParts()
    {
        for (const QString &shard : {u"1/3"_s, u"2/3"_s}) {
            const Run part = checked({u"batch"_s, plan(), u"--quiet"_s, u"--shard"_s, shard});
            QCOMPARE(part.code, 0);
            QVERIFY(part.out.isEmpty());
        }
        QCOMPARE(results().size(), 9); // 5 and 4 of 13
        const Run rest = checked({u"batch"_s, plan()});
        QVERIFY2(rest.err.contains("13/13 analyses, 9 of them were there already"), rest.err.constData());
    }

    void keysFollowContents()
    {
        (void)checked({u"batch"_s, plan(), u"--quiet"_s});
        QCOMPARE(results().size(), 13);
        QJsonObject renamed = plainPlan();
        QVERIFY(QFile::rename(path("in.tsv"), path("moved.tsv")));
        renamed[u"data"_s] = QJsonArray{
            QJsonObject{{u"name"_s, u"in"_s}, {u"data"_s, u"moved.tsv"_s}, {u"models"_s, QJsonArray{u"b"_s}}}};
        renamed[u"analyses"_s] = QJsonArray{QJsonObject{{u"command"_s, u"confidence"_s}}};
        QVERIFY(write(renamed));
        QVERIFY(checked({u"batch"_s, plan()}).err.contains("1 of them were there already"));
        writeTinyTable(path("moved.tsv").toStdString(), 60, 5);
        QVERIFY(checked({u"batch"_s, plan()}).err.contains("0 of them were there already"));
        QCOMPARE(results().size(), 14);
    }

    /// What is large is read once, not at every call: a hash that somebody has changed in the cache is believed, until
    /// the file changes.
    void hashesAreRemembered()
    {
        QVERIFY(qputenv("XDG_CACHE_HOME", path("cache").toUtf8()));
        const QByteArray large(2 << 20, 'x');
        QVERIFY(writeFile(path("model-a/notes.bin"), large));
        // What was written a moment ago is not remembered.
        const QDateTime written = QFileInfo(path("model-a/notes.bin")).lastModified();
        QTRY_VERIFY_WITH_TIMEOUT(written.msecsTo(QDateTime::currentDateTime()) > 2500, 60000);
        QJsonObject one = plainPlan();
        one[u"analyses"_s]
            = QJsonArray{QJsonObject{{u"command"_s, u"confidence"_s}, {u"models"_s, QJsonArray{u"model-a"_s}}}};
        QVERIFY(write(one));
        (void)checked({u"batch"_s, plan(), u"--quiet"_s});
        const QDir kept(path("cache/headscope/hashes"));
        QCOMPARE(kept.entryList(QDir::Files).size(), 1);
        QVERIFY(checked({u"batch"_s, plan()}).err.contains("2/2 analyses, 2 of them were there already"));
        const QString entry = kept.filePath(kept.entryList(QDir::Files).front());
        QJsonObject object = QJsonDocument::fromJson(readFile(entry)).object();
        QCOMPARE(object[u"path"].toString(), QFileInfo(path("model-a/notes.bin")).canonicalFilePath());
        object[u"hash"_s] = QString(32, u'0');
        QVERIFY(writeFile(entry, QJsonDocument(object).toJson()));
        QVERIFY(checked({u"batch"_s, plan()}).err.contains("2/2 analyses, 0 of them were there already"));
        QVERIFY(writeFile(path("model-a/notes.bin"), large)); // the same bytes at another time
        QVERIFY(checked({u"batch"_s, plan()}).err.contains("2/2 analyses, 2 of them were there already"));
        qunsetenv("XDG_CACHE_HOME");
    }

    /// By two programs at the same time: each result is made once, and both come to the whole table.
    void onePlanStartedTwice()
    {
        const QStringList words{u"batch"_s, plan()};
        std::array<QProcess, 2> programs;
        for (QProcess &one : programs)
            one.start(program(), words);
        std::array<QByteArray, 2> tables;
        int made = 0;
        for (std::size_t i = 0; i < programs.size(); ++i) {
            QVERIFY(programs[i].waitForFinished(300000));
            const QByteArray said = programs[i].readAllStandardError();
            QVERIFY2(programs[i].exitCode() == 0, said.constData());
            tables[i] = programs[i].readAllStandardOutput();
            made += static_cast<int>(said.count("analyses, ") - said.count("of them were there already"));
        }
        QCOMPARE(tables[0], tables[1]);
        QCOMPARE(results().size(), 13);
        QCOMPARE(made, 13); // a line for each that is made
        QCOMPARE(QDir(path("out/work")).entryList(QDir::Files | QDir::Hidden), QStringList());
    }

    void failingEntriesDoNotStopTheOthers()
    {
        QJsonObject with = plainPlan();
        QVERIFY(writeFile(path("bad.tsv"), "sentence\tlabel\n"));
        QJsonArray data = with[u"data"].toArray();
        data.insert(0,
                    QJsonObject{{u"name"_s, u"bad"_s}, {u"data"_s, u"bad.tsv"_s}, {u"models"_s, QJsonArray{u"b"_s}}});
        with[u"data"_s] = data;
        QVERIFY(write(with));
        const Run made = run({u"batch"_s, plan()});
        QCOMPARE(made.code, 3);
        QVERIFY2(made.err.contains("3 of 16 analyses failed; the first: ablate of b on bad: "), made.err.constData());
        QCOMPARE(results().size(), 13);
        QCOMPARE(cells(made.out).size(), 6);
    }

    void badPlansAreRefused_data()
    {
        QTest::addColumn<QByteArray>("change");
        QTest::addColumn<QByteArray>("says");
        const auto add = [](const char *name, const char *change, const char *says) {
            QTest::newRow(name) << QByteArray(change) << QByteArray(says);
        };
        add("no JSON", "{", "plan.json");
        add("a list", "[]", "a plan is an object");
        add("no output", R"({"output": null})", "\"output\": a text was expected");
        add("unknown member", R"({"modells": []})", "\"modells\" is unknown");
        add("no models", R"({"models": []})", "\"models\": a list was expected");
        add("no such model", R"({"models": ["model-a", "model-c"]})", "models[1]: there is no folder model-c");
        add("twice the same name", R"({"models": ["model-a", {"name": "model-a", "model": "model-b"}]})",
            "models[1]: another one is also called");
        add("no data file", R"({"data": [{"name": "in", "data": "none.tsv"}]})",
            "data[0]: \"data\": there is no file none.tsv");
        add("no data", R"({"data": [{"name": "in"}]})", "data[0]: it names no file");
        add("data without a name", R"({"data": [{"data": "in.tsv"}]})", "data[0]: \"name\" is missing");
        add("unknown command", R"({"analyses": [{"command": "dance"}]})", "analyses[0]: \"dance\" is no command");
        add("command without a model", R"({"analyses": [{"command": "merge"}]})",
            "analyses[0]: \"merge\" is no command");
        add("unknown option", R"({"analyses": [{"command": "confidence"}, {"command": "prune", "ordr": "random"}]})",
            "analyses[1] (prune), model");
        add("bad number", R"({"analyses": [{"command": "prune", "step": -1}]})", "--step");
        for (const char *option : {"maps", "keep", "work-folder", "out-dir", "export"})
            QTest::addRow("%s", option) << "{\"analyses\": [{\"command\": \"attention\", \"" + QByteArray(option)
                                               + "\": \"elsewhere\"}]}"
                                        << QByteArray("batch itself says where results go");
        add("own option", R"({"analyses": [{"command": "prune", "out": "x"}]})", "analyses[0]: \"out\": batch itself");
        add("no name of an option", R"({"analyses": [{"command": "prune", "--step": 1}]})",
            "analyses[0]: \"--step\": it is no name");
        add("unknown data set", R"({"analyses": [{"command": "prune", "order-on": "@news"}]})",
            "the plan has no data set \"news\"");
        add("for an unknown model", R"({"analyses": [{"command": "prune", "models": ["c"]}]})", "nothing called \"c\"");
        add("for nothing", R"({"analyses": [{"command": "prune", "models": []}]})", "no analysis is for any");
        add("an object as value", R"({"analyses": [{"command": "prune", "step": {}}]})",
            "analyses[0]: \"step\": a text was expected");
    }

    void badPlansAreRefused()
    {
        QFETCH(QByteArray, change);
        QFETCH(QByteArray, says);
        const QJsonDocument parsed = QJsonDocument::fromJson(change);
        if (parsed.isObject()) {
            QJsonObject changed = plainPlan();
            changed.remove(u"analyses"_s);
            changed[u"analyses"_s] = QJsonArray{QJsonObject{{u"command"_s, u"confidence"_s}}};
            const QJsonObject members = parsed.object();
            for (auto member = members.begin(); member != members.end(); ++member)
                changed[member.key()] = member.value();
            QVERIFY(write(changed));
        } else {
            QVERIFY(writeFile(plan(), change));
        }
        const Run refused = run({u"batch"_s, plan()});
        QCOMPARE(refused.code, 3);
        QVERIFY2(refused.err.contains(says), refused.err.constData());
        QCOMPARE(refused.err.count('\n'), 1); // one message
        QVERIFY(!QFile::exists(path("out")));
    }
};

QTEST_GUILESS_MAIN(TestBatch)
#include "tst_batch.moc"
