#include "tests/support/clirun.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace Qt::StringLiterals;
using namespace headscope::testing;

/// Every command on models that predict text: causal ones and those that guess masked tokens, on small models of
/// tests/goldens with ids instead of texts.
class TestCliLanguage : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    QString path(const char *name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    static QString model(const QString &name)
    {
        return qEnvironmentVariable("HEADSCOPE_SOURCE_DIR") + u"/tests/goldens/families/"_s + name;
    }
    QStringList with(const QString &command, const QString &name, const QStringList &more = {}) const
    {
        return QStringList{command,        u"--model"_s, model(name), u"--data"_s, path("texts.jsonl"),
                           u"--threads"_s, u"1"_s,       u"--quiet"_s}
             + more;
    }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY2(QFile::exists(program()), qPrintable(program()));
        QByteArray texts;
        unsigned state = 7;
        for (int row = 0; row < 14; ++row) {
            texts += "{\"input_ids\": [";
            for (int i = 0; i < 5 + row % 6; ++i) {
                state = state * 1103515245U + 12345U;
                texts += (i > 0 ? ", " : "") + QByteArray::number(3 + static_cast<int>(state >> 16) % 30);
            }
            texts += "]}\n";
        }
        QVERIFY(writeFile(path("texts.jsonl"), texts));
    }

    void headsAreJudgedByPerplexity_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"gpt2-inverse-layer", "gpt2-pruned", "llama-grouped", "mistral", "qwen2"})
            QTest::addRow("%s", name) << QString::fromLatin1(name);
    }

    void headsAreJudgedByPerplexity()
    {
        QFETCH(QString, name);
        const Run scores = checked(with(u"evaluate"_s, name));
        QCOMPARE(scores.code, 0);
        const double perplexity = scores.json()[u"metrics"][u"perplexity"].toDouble();
        QVERIFY(perplexity > 1);
        QVERIFY(std::abs(std::log(perplexity) - scores.json()[u"metrics"][u"loss"].toDouble()) < 1e-6);

        const Run fast = checked(with(u"ablate"_s, name));
        const Run library = checked(with(u"ablate"_s, name, {u"--products"_s, u"library"_s}));
        const Run plain = checked(with(u"ablate"_s, name, {u"--plain"_s}));
        for (const Run *run : {&fast, &library, &plain})
            QCOMPARE(run->code, 0);
        QCOMPARE(fast.json()[u"baseline"][u"better"].toString(), u"lower"_s);
        const QJsonArray heads = fast.json()[u"heads"].toArray();
        QVERIFY(!heads.isEmpty());
        for (qsizetype i = 0; i < heads.size(); ++i) {
            QVERIFY(heads[i][u"head"].toString().startsWith(u"decoder."_s));
            for (const Run *other : {&library, &plain})
                QVERIFY(
                    std::abs(heads[i][u"score"].toDouble() - other->json()[u"heads"].toArray()[i][u"score"].toDouble())
                    < 1e-3 * perplexity);
        }
    }

    // Each names the option that is right.
    void dataOfAnotherTaskAreRefused()
    {
        QVERIFY(writeFile(path("en.txt"), "a man\nthe dog\n") && writeFile(path("fr.txt"), "un homme\nle chien\n"));
        const QString language = model(u"llama-tied"_s);
        for (const QString &command : {u"evaluate"_s, u"ablate"_s, u"importance"_s}) {
            const Run alone = run({command, u"--model"_s, language, u"--source"_s, path("en.txt")});
            QCOMPARE(alone.code, 2);
            QVERIFY2(alone.err.contains("Language models are measured by running text (--text-file FILE)"),
                     alone.err.constData());
            const Run both = run(
                {command, u"--model"_s, language, u"--source"_s, path("en.txt"), u"--reference"_s, path("fr.txt")});
            QCOMPARE(both.code, 2);
            QVERIFY2(both.err.contains("leave --reference out") && both.err.contains("--text-file"),
                     both.err.constData());
        }
        QByteArray words = "text\tlabel\n";
        QByteArray numbers = words;
        for (int row = 0; row < 6; ++row) {
            words += QByteArray("the dog runs\t") + (row % 3 == 0 ? "positive\n" : "negative\n");
            numbers += "the dog runs\t" + QByteArray::number(row % 2) + '\n';
        }
        QVERIFY(writeFile(path("words.tsv"), words) && writeFile(path("numbers.tsv"), numbers));
        const QString translates
            = qEnvironmentVariable("HEADSCOPE_SOURCE_DIR") + u"/resources/demo/training/epoch-006"_s;
        for (const char *table : {"words.tsv", "numbers.tsv"}) {
            const Run labels = run({u"evaluate"_s, u"--model"_s, translates, u"--data"_s, path(table)});
            QVERIFY(labels.code != 0);
            QVERIFY2(labels.err.contains("holds labels") && labels.err.contains("--label-column"),
                     labels.err.constData());
            QVERIFY(labels.out.isEmpty());
        }
        // Words that someone chose as what is to be written are scored.
        QCOMPARE(checked({u"evaluate"_s, u"--model"_s, translates, u"--data"_s, path("words.tsv"), u"--label-column"_s,
                          u"label"_s, u"--quiet"_s})
                     .code,
                 0);
    }

    void batchesAreWhatTheCommandSays()
    {
        const auto run = [&](const QStringList &more) {
            const Run made
                = checked(with(u"importance"_s, u"llama-tied"_s,
                               QStringList{u"--reduction"_s, u"fisher"_s, u"--normalize"_s, u"none"_s} + more));
            return made.code == 0 ? made.json() : QJsonValue();
        };
        const QJsonValue whole = run({u"--batch-examples"_s, u"14"_s}); // all examples
        QCOMPARE(whole[u"batches"].toInt(), 1);
        QCOMPARE(whole[u"examples_per_batch"].toInt(), 14);
        QVERIFY(whole[u"tokens_per_batch"].isUndefined());
        QCOMPARE(whole[u"example_loss"].toString(), u"sum"_s);
        QVERIFY(whole[u"values"].toString().startsWith(u"sum over batches of the squared gradient"_s));
        QVERIFY(whole[u"heads"][0][u"stderr"].isNull()); // of one batch
        QVERIFY(whole[u"heads"][0][u"importance"].toDouble() > 0);
        QCOMPARE(run({})[u"heads"], whole[u"heads"]); // 32 unless said: all, too
        const QJsonValue four = run({u"--batch-examples"_s, u"4"_s});
        QCOMPARE(four[u"batches"].toInt(), 4);
        QVERIFY(four[u"heads"][0][u"stderr"].toDouble() > 0);
        QVERIFY(four[u"heads"] != whole[u"heads"]);
        QCOMPARE(run({u"--batch-examples"_s, u"4"_s, u"--memory"_s, u"1MiB"_s})[u"heads"], four[u"heads"]);
        QVERIFY(run({u"--batch-examples"_s, u"4"_s, u"--seed"_s, u"7"_s})[u"heads"] != four[u"heads"]);
        const QJsonValue tokens = run({u"--batch-tokens"_s, u"40"_s});
        QCOMPARE(tokens[u"tokens_per_batch"].toInt(), 40);
        QVERIFY(tokens[u"examples_per_batch"].isUndefined() && tokens[u"batches"].toInt() > 2);
        const QJsonValue mean = run({u"--example-loss"_s, u"mean"_s});
        QCOMPARE(mean[u"example_loss"].toString(), u"mean"_s);
        QVERIFY(mean[u"heads"] != whole[u"heads"]);
    }

    void everyAnalysisRuns_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QStringList>("arguments");
        const auto add = [](const char *name, const QStringList &arguments) {
            QTest::addRow("%s %s", name, qPrintable(arguments.join(u' '))) << QString::fromLatin1(name) << arguments;
        };
        for (const char *name : {"gpt2-hub", "llama-tied"}) {
            add(name, {u"importance"_s});
            add(name, {u"importance"_s, u"--reduction"_s, u"fisher"_s});
            add(name, {u"prune"_s, u"--order"_s, u"importance"_s});
            add(name, {u"roles"_s});
            add(name, {u"relevance"_s});
            add(name, {u"ablate"_s, u"--replace"_s, u"mean"_s});
            add(name, {u"search"_s});
            add(name, {u"predict"_s});
            add(name, {u"speed"_s, u"--fraction"_s, u"0.5"_s, u"--repeats"_s, u"1"_s});
        }
        add("bert-model", {u"roles"_s});
    }

    void everyAnalysisRuns()
    {
        QFETCH(QString, name);
        QFETCH(QStringList, arguments);
        const QString command = arguments.takeFirst();
        const Run run = checked(with(command, name, arguments));
        QCOMPARE(run.code, 0);
    }

    void predictionsKeepTheRowsOfTheirTexts()
    {
        QVERIFY(writeFile(path("short.jsonl"),
                          "{\"input_ids\": [4]}\n{\"input_ids\": [5, 6, 7, 8, 9, 10, 11, 12]}\n"
                          "{\"input_ids\": [9]}\n{\"input_ids\": [3, 4, 5]}\n{\"input_ids\": [8]}\n"));
        const QStringList command{u"predict"_s, u"--model"_s,        model(u"gpt2-hub"_s),
                                  u"--data"_s,  path("short.jsonl"), u"--quiet"_s};
        const Run lines = headscope::testing::run(command);
        QCOMPARE(lines.code, 0);
        const QList<QByteArray> rows = lines.out.trimmed().split('\n');
        QCOMPARE(rows.size(), 5);
        for (int i = 0; i < 5; ++i) {
            const QJsonObject row = QJsonDocument::fromJson(rows[i]).object();
            QCOMPARE(row[u"index"].toInt(-1), i);
            QCOMPARE(row[u"score"].isNull(), i % 2 == 0);
            QCOMPARE(row[u"tokens"].toArray().size(), i == 1 ? 7 : i == 3 ? 2 : 0);
            QVERIFY(!row.contains(u"window"));
        }
        const Run table = headscope::testing::run(command + QStringList{u"--format"_s, u"csv"_s});
        QVERIFY2(table.out.startsWith("index,score,tokens,text\n0,,,\n1,"), table.out.constData());
    }

    void prunedFoldersReopen()
    {
        for (const char *name : {"small", "full"}) {
            const QString form = QString::fromLatin1(name);
            const QString folder = m_folder.filePath(u"pruned-"_s + form);
            const Run made = checked(with(u"prune"_s, u"gpt2-inverse-layer"_s,
                                          {u"--order"_s, u"importance"_s, u"--step"_s, u"1"_s, u"--export"_s, folder,
                                           u"--export-at"_s, u"1"_s, u"--export-form"_s, form}));
            QCOMPARE(made.code, 0);
            QCOMPARE(checked({u"inspect"_s, u"--model"_s, folder}).code, 0);
        }
    }

    void whatCannotBeMeasuredSaysSo()
    {
        const Run run = headscope::testing::run(with(u"evaluate"_s, u"bert-model"_s));
        QVERIFY(run.code == 2 || run.code == 3);
        QVERIFY2(run.err.contains("without a head"), run.err.constData());
    }
};

QTEST_GUILESS_MAIN(TestCliLanguage)
#include "tst_clilanguage.moc"
