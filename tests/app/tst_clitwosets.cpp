#include "tests/support/clirun.h"
#include "tests/support/tinyclassifier.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace headscope::testing;

/// The commands that take a second data set, and what reads their results, on a small classifier.
class TestCliTwoSets : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    QString path(const char *name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    QStringList with(const QString &command, const QStringList &more = {}) const
    {
        return QStringList{command, u"--model"_s, path("model"), u"--threads"_s, u"1"_s, u"--data"_s, path("test.tsv")}
             + more;
    }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY2(QFile::exists(program()), qPrintable(program()));
        writeTinyClassifier(path("model").toStdString());
        writeTinyTable(path("test.tsv").toStdString(), 60, 5);
        writeTinyTable(path("other.tsv").toStdString(), 40, 7);
    }

    void resultsNameTheirTests()
    {
        const Run result = checked(with(u"ablate"_s, {u"--sample-ratio"_s, u"0.5"_s, u"--resamples"_s, u"100"_s}));
        QCOMPARE(result.code, 0);
        QCOMPARE(result.json()[u"sample_ratio"].toDouble(), 0.5);
        const QJsonObject tests = result.json()[u"tests"].toObject();
        const QJsonObject head = result.json()[u"heads"].toArray().first().toObject();
        for (const QString &key :
             {u"p"_s, u"p_adjusted"_s, u"p_bh"_s, u"p_mcnemar"_s, u"p_randomization"_s, u"p_t"_s}) {
            QVERIFY2(tests[key].toString().size() > 5, qPrintable(key));
            QVERIFY2(head[key].isDouble(), qPrintable(key));
        }
        QVERIFY(tests[u"p"].toString().contains(u"0.5"));
    }

    void bestHeadsBothWays()
    {
        const Run direct = checked(with(u"ablate"_s, {u"--all-but-one"_s, u"--choose-on"_s, path("other.tsv")}));
        QCOMPARE(direct.code, 0);
        QCOMPARE(direct.json()[u"result"].toString(), u"best-heads"_s);
        const QJsonArray layers = direct.json()[u"layers"].toArray();
        QCOMPARE(layers.size(), 2);
        QCOMPARE(layers[0][u"row"].toArray().size(), 4);
        // From two files the same.
        QCOMPARE(checked(with(u"ablate"_s, {u"--all-but-one"_s, u"--out"_s, path("report.json")})).code, 0);
        QStringList choose = with(u"ablate"_s, {u"--all-but-one"_s, u"--out"_s, path("choose.json")});
        choose[choose.indexOf(u"--data"_s) + 1] = path("other.tsv");
        QCOMPARE(checked(choose).code, 0);
        const Run files = checked({u"compare"_s, path("choose.json"), path("report.json"), u"--best-heads"_s});
        QCOMPARE(files.json()[u"layers"].toArray(), layers);
        const Run table = checked(
            {u"compare"_s, path("choose.json"), path("report.json"), u"--best-heads"_s, u"--format"_s, u"csv"_s});
        QVERIFY(table.out.startsWith("head,kind,layer,head_number,metric,chosen_delta,score"));
    }

    void comparesDomains()
    {
        QStringList in = with(u"ablate"_s, {u"--out"_s, path("in.json")});
        QStringList out = with(u"ablate"_s, {u"--out"_s, path("out.json")});
        out[out.indexOf(u"--data"_s) + 1] = path("other.tsv");
        QCOMPARE(checked(in).code, 0);
        QCOMPARE(checked(out).code, 0);
        const Run result = checked({u"compare"_s, path("in.json"), path("out.json")});
        QCOMPARE(result.code, 0);
        const QJsonObject json = result.json();
        QVERIFY(json.contains(u"kendall"_s) && json[u"overlaps"].toArray().size() == 3);
        QVERIFY(json[u"a"][u"baseline"].isDouble());
        for (const QJsonValue &head : json[u"heads"].toArray()) {
            QVERIFY(head[u"p"].toDouble() > 0 && head[u"p_bh"].toDouble() >= head[u"p"].toDouble());
            QVERIFY(head[u"ci_low"].toDouble() <= head[u"difference"].toDouble() + 1e-12);
            QVERIFY(head[u"ci_high"].toDouble() >= head[u"difference"].toDouble() - 1e-12);
        }
    }

    void prunesByAnOrderOfTheOtherSet()
    {
        const Run result = checked(
            with(u"prune"_s, {u"--order"_s, u"greedy"_s, u"--order-on"_s, path("other.tsv"), u"--step"_s, u"1"_s}));
        QCOMPARE(result.code, 0);
        const QJsonObject curve = result.json()[u"curves"].toArray().first().toObject();
        QCOMPARE(curve[u"order_data"].toString(), u"other"_s);
        QCOMPARE(curve[u"order_chosen_on_evaluated"].toBool(), false);
        QCOMPARE(curve[u"points"].toArray().size(), 9);
        QVERIFY(!result.err.contains("too optimistic"));
        const Run own
            = checked(with(u"prune"_s, {u"--order"_s, u"ablation"_s, u"--reverse"_s, u"--rounding"_s, u"up"_s}));
        QVERIFY(own.err.contains("too optimistic"));
        QCOMPARE(own.json()[u"curves"].toArray().first()[u"rounding"].toString(), u"up"_s);
        QCOMPARE(own.json()[u"curve"].toArray()[1][u"pruned"].toInt(), 1); // a tenth of 8, rounded up
        QVERIFY(own.json()[u"manifest"][u"command"].toString().contains(u"--reverse"));
    }

    void searches()
    {
        const Run result = checked(with(u"search"_s, {u"--search-on"_s, path("other.tsv"), u"--step"_s, u"2"_s}));
        QCOMPARE(result.code, 0);
        QCOMPARE(result.json()[u"result"].toString(), u"search"_s);
        QCOMPARE(result.json()[u"points"].toArray().size(), 5);
        QCOMPARE(result.json()[u"fisher"].toArray().size(), 8);
        const Run table = checked(with(u"search"_s, {u"--step"_s, u"4"_s, u"--format"_s, u"csv"_s}));
        QVERIFY(table.out.startsWith("way,pruned,fraction,"));
        QCOMPARE(table.out.trimmed().split('\n').size(), 1 + 3 * 3);
    }

    void meansOfTheOtherSet()
    {
        const Run result
            = checked(with(u"ablate"_s, {u"--replace"_s, u"mean"_s, u"--reference-on"_s, path("other.tsv")}));
        QCOMPARE(result.json()[u"reference_data"].toString(), u"other"_s);
        QVERIFY(result.json()[u"manifest"][u"command"].toString().contains(u"--reference-on"));
        const Run own = checked(with(u"ablate"_s, {u"--replace"_s, u"resample"_s, u"--draws"_s, u"2"_s}));
        QCOMPARE(own.json()[u"draws"].toInt(), 2);
        QVERIFY(own.err.contains("evaluated set itself"));
    }

    void usageErrors_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("says");
        const auto add = [&](const char *name, const QString &command, const QStringList &more, const char *says) {
            QTest::newRow(name) << with(command, more) << QByteArray(says);
        };
        add("choosing without keeping", u"ablate"_s, {u"--choose-on"_s, u"x.tsv"_s}, "--all-but-one");
        add("a reference for nothing", u"ablate"_s, {u"--reference-on"_s, u"x.tsv"_s}, "--replace");
        add("draws of nothing", u"ablate"_s, {u"--draws"_s, u"3"_s}, "resample");
        add("ratio of zero", u"ablate"_s, {u"--sample-ratio"_s, u"0"_s}, "sample-ratio");
        add("random by data", u"prune"_s, {u"--order"_s, u"random"_s, u"--order-on"_s, u"x.tsv"_s}, "--order-on");
        add("three tables", u"prune"_s, {u"--order-on"_s, u"x.tsv"_s, u"y.tsv"_s, u"z.tsv"_s}, "one table");
        add("unknown rounding", u"prune"_s, {u"--rounding"_s, u"off"_s}, "off");
        add("several curves to export", u"prune"_s, {u"--each-kind"_s, u"--export"_s, path("x")}, "--each-kind");
        add("no mini-batch", u"search"_s, {u"--mini-batch"_s, u"0"_s}, "mini-batch");
    }

    void usageErrors()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, says);
        const Run result = run(arguments);
        QCOMPARE(result.code, 2);
        QVERIFY2(result.err.contains(says), result.err.constData());
        QVERIFY(result.out.isEmpty());
    }
};

QTEST_APPLESS_MAIN(TestCliTwoSets)
#include "tst_clitwosets.moc"
