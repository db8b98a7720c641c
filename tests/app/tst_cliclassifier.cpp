#include "tests/support/clirun.h"
#include "tests/support/shareddata.h"
#include "tests/support/tinyclassifier.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <limits>

using namespace Qt::StringLiterals;
using namespace headscope::testing;

/// The commands on a small classifier with fixed random weights, and one number on the real one.
class TestCliClassifier : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void inspectNamesTheLabels();
    void predictsLogitsAndLabels();
    void tableNeedsLabelsOnlyWhereItMeasures();
    void evaluatesByAnyMetric();
    void comparesTwoMasks();
    void ablatesWithMcNemar();
    void importancePrunes();
    void lossJudgesAndPrunes();
    void ordersAreThoseOfTheirAnalyses_data();
    void ordersAreThoseOfTheirAnalyses();
    void exportsAMask();
    void measuresSpeed();
    void gradientsHaveALinePerHead();
    void coreferenceOfDocuments();
    void readsTablesAsTold();
    void attentionOfPairs();
    void usageErrors_data();
    void usageErrors();
    // On the real model
    void realModelScoresAsPublished();

private:
    QString path(const char *name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    QStringList with(const QString &command, const QStringList &more = {}) const;

    QTemporaryDir m_folder;
};

QStringList TestCliClassifier::with(const QString &command, const QStringList &more) const
{
    return QStringList{command, u"--model"_s, path("model"), u"--threads"_s, u"1"_s} + more;
}

void TestCliClassifier::initTestCase()
{
    QVERIFY2(QFile::exists(program()), qPrintable(program()));
    writeTinyClassifier(path("model").toStdString());
    writeTinyTable(path("data.tsv").toStdString(), 60, 5);
    writeTinyTable(path("pairs.tsv").toStdString(), 10, 6, true);
}

void TestCliClassifier::inspectNamesTheLabels()
{
    const Run result = run({u"inspect"_s, u"--model"_s, path("model")});
    QVERIFY2(result.code == 0, result.err.constData());
    QCOMPARE(result.json()[u"family"].toString(), u"bert"_s);
    QCOMPARE(result.json()[u"task"].toString(), u"classification"_s);
    QCOMPARE(result.json()[u"problem"].toString(), u"single_label_classification"_s);
    QCOMPARE(result.json()[u"labels"].toArray(), (QJsonArray{u"negative"_s, u"positive"_s}));
    QCOMPARE(result.json()[u"heads"].toInt(), 8);
    QCOMPARE(result.json()[u"attention"].toArray().size(), 1);
}

void TestCliClassifier::gradientsHaveALinePerHead()
{
    const Run result = run(with(u"gradients"_s, {u"--data"_s, path("data.tsv")}));
    QVERIFY2(result.code == 0, result.err.constData());
    QCOMPARE(result.json()[u"result"].toString(), u"gradients"_s);
    QCOMPARE(result.json()[u"heads"].toArray().size(), 8);
    const Run table = run(with(u"gradients"_s, {u"--data"_s, path("data.tsv"), u"--format"_s, u"csv"_s}));
    const auto lines = table.out.trimmed().split('\n');
    QCOMPARE(lines.size(), 9);
    QVERIFY2(lines[0].contains("delimiter_gradient") && lines[0].contains("self_attention"), lines[0].constData());
}

void TestCliClassifier::coreferenceOfDocuments()
{
    QFile file(path("docs.conll"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("#begin document (a); part 000\n");
    const char *words[] = {"Mary NNP (1)", "saw VBD -", "Paul NNP (2)", "and CC -", "she PRP (1)", "left VBD -"};
    int number = 0;
    for (const QByteArray word : words) {
        const auto parts = word.split(' ');
        file.write("a 0 " + QByteArray::number(number++) + ' ' + parts[0] + ' ' + parts[1] + " * - - - - * " + parts[2]
                   + '\n');
    }
    file.write("\n#end document\n");
    file.close();
    const Run result = run(with(u"coreference"_s, {u"--conllu"_s, path("docs.conll")}));
    QVERIFY2(result.code == 0, result.err.constData());
    QCOMPARE(result.json()[u"mentions"].toInt(), 1);
    QCOMPARE(result.json()[u"heads"].toArray().size(), 8);
    QCOMPARE(result.json()[u"baselines"].toArray()[0][u"accuracy"].toDouble(), 0.0); // Paul is nearer
    // Cut to three words, there is no mention with an antecedent.
    const Run cut = run(with(u"coreference"_s, {u"--conllu"_s, path("docs.conll"), u"--document-words"_s, u"3"_s}));
    QCOMPARE(cut.code, 3);
    QVERIFY2(cut.err.contains("no mention with an antecedent"), cut.err.constData());
    QCOMPARE(run(with(u"coreference"_s, {u"--data"_s, path("data.tsv")})).code, 3);
    QCOMPARE(run(with(u"gradients"_s, {u"--data"_s, path("data.tsv"), u"--document-words"_s, u"3"_s})).code, 2);
}

void TestCliClassifier::predictsLogitsAndLabels()
{
    const Run result = run(with(u"predict"_s, {u"--data"_s, path("data.tsv")}));
    QVERIFY2(result.code == 0, result.err.constData());
    const auto lines = result.out.trimmed().split('\n');
    QCOMPARE(lines.size(), 60);
    int right = 0;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const auto line = QJsonDocument::fromJson(lines[i]).object();
        const auto logits = line[u"logits"].toArray();
        QCOMPARE(line[u"index"].toInt(), static_cast<int>(i));
        QCOMPARE(logits.size(), 2);
        const int predicted = logits[1].toDouble() > logits[0].toDouble() ? 1 : 0;
        QCOMPARE(line[u"predicted"].toInt(), predicted);
        QCOMPARE(line[u"predicted_label"].toString(), predicted == 1 ? u"positive"_s : u"negative"_s);
        right += predicted == line[u"label"].toInt();
    }
    const Run score = run(with(u"evaluate"_s, {u"--data"_s, path("data.tsv")}));
    const Run named = run(with(u"evaluate"_s, {u"--data"_s, path("data.tsv"), u"--metric"_s, u"MCC"_s}));
    QCOMPARE(named.json()[u"manifest"][u"spec"][u"metric"].toString(), u"Matthews"_s);
    for (const QStringList &idle :
         {QStringList{u"evaluate"_s, u"--beams"_s, u"4"_s}, QStringList{u"relevance"_s, u"--own-output"_s},
          QStringList{u"roles"_s, u"--own-output"_s}}) {
        const Run refused = run(with(idle.front(), QStringList{u"--data"_s, path("data.tsv")} + idle.mid(1)));
        QCOMPARE(refused.code, 2);
        QVERIFY2(refused.err.contains(idle[1].toUtf8()), refused.err.constData());
    }
    QCOMPARE(score.json()[u"metrics"][u"accuracy"].toDouble(), right / 60.0);
    const Run table = run(with(u"predict"_s, {u"--data"_s, path("data.tsv"), u"--format"_s, u"csv"_s}));
    QVERIFY(table.out.startsWith("index,predicted,label,predicted_label,logit_0,logit_1\n0,"));
}

void TestCliClassifier::tableNeedsLabelsOnlyWhereItMeasures()
{
    QVERIFY(writeFile(path("bare.tsv"), "sentence\na good film\nthe dog runs\n"));
    const Run outputs = run(with(u"predict"_s, {u"--data"_s, path("bare.tsv")}));
    QVERIFY2(outputs.code == 0, outputs.err.constData());
    QCOMPARE(outputs.out.trimmed().split('\n').size(), 2);
    QVERIFY(!outputs.out.contains("\"label\""));
    for (const QString &command : {u"evaluate"_s, u"ablate"_s, u"importance"_s, u"prune"_s}) {
        const Run score = run(with(command, {u"--data"_s, path("bare.tsv")}));
        QCOMPARE(score.code, 3);
        QVERIFY2(score.err.contains("label"), score.err.constData());
    }
}

void TestCliClassifier::evaluatesByAnyMetric()
{
    for (const QString &metric : {u"accuracy"_s, u"F1"_s, u"Matthews"_s}) {
        const Run result = run(with(u"evaluate"_s, {u"--data"_s, path("data.tsv"), u"--metric"_s, metric}));
        QVERIFY2(result.code == 0, result.err.constData());
        QCOMPARE(result.json()[u"primary"].toString(), metric);
        QVERIFY(result.json()[u"metrics"].toObject().contains(u"loss"_s));
    }
}

void TestCliClassifier::comparesTwoMasks()
{
    const Run result = run(
        with(u"evaluate"_s, {u"--data"_s, path("data.tsv"), u"--mask"_s, u"encoder.1.2"_s, u"--against"_s, QString()}));
    QVERIFY2(result.code == 0, result.err.constData());
    const QJsonObject against = result.json()[u"against"].toObject();
    const double masked = result.json()[u"metrics"][u"accuracy"].toDouble();
    QVERIFY(qAbs(masked - against[u"score"].toDouble() - against[u"delta"].toDouble()) < 1e-12);
    QVERIFY(against.contains(u"p"_s) && against.contains(u"p_mcnemar"_s) && against.contains(u"changed"_s));
    // The sweep compares the same two masks.
    const Run sweep = run(with(u"ablate"_s, {u"--data"_s, path("data.tsv")}));
    for (const QJsonValue &entry : sweep.json()[u"heads"].toArray()) {
        if (entry[u"head"].toString() == u"encoder.1.2"_s) {
            QCOMPARE(entry[u"delta"].toDouble(), against[u"delta"].toDouble());
            QCOMPARE(entry[u"p_mcnemar"].toDouble(), against[u"p_mcnemar"].toDouble());
            QCOMPARE(entry[u"changed"].toInt(), against[u"changed"].toInt());
        }
    }
}

void TestCliClassifier::ablatesWithMcNemar()
{
    const Run table = run(with(u"ablate"_s, {u"--data"_s, path("data.tsv"), u"--format"_s, u"csv"_s}));
    QVERIFY2(table.code == 0, table.err.constData());
    const auto lines = table.out.trimmed().split('\n');
    QCOMPARE(lines.size(), 9);
    QVERIFY(lines[0].contains(",metric,score,delta,") && lines[1].contains(",accuracy,")
            && lines[0].endsWith(",p_mcnemar,p_bh,p_randomization,p_t"));
    const Run plain = run(with(u"ablate"_s, {u"--data"_s, path("data.tsv"), u"--format"_s, u"csv"_s, u"--plain"_s}));
    QCOMPARE(plain.out, table.out); // fast paths give the same numbers
    bool changes = false;
    for (qsizetype i = 1; i < lines.size(); ++i) {
        const auto fields = lines[i].split(',');
        const double p = fields.last().toDouble();
        QVERIFY(p > 0 && p <= 1);
        changes = changes || fields[fields.size() - 2].toInt() > 0;
    }
    QVERIFY(changes); // otherwise the model says nothing
}

void TestCliClassifier::importancePrunes()
{
    const Run importance = run(with(u"importance"_s, {u"--data"_s, path("data.tsv"), u"--out"_s, path("i.json")}));
    QVERIFY2(importance.code == 0, importance.err.constData());
    const Run pruning = run(with(u"prune"_s, {u"--data"_s, path("data.tsv"), u"--order"_s, path("i.json"), u"--step"_s,
                                              u"2"_s, u"--export"_s, path("pruned"), u"--export-at"_s, u"4"_s}));
    QVERIFY2(pruning.code == 0, pruning.err.constData());
    const auto curve = pruning.json()[u"curve"].toArray();
    QCOMPARE(pruning.json()[u"metric"].toString(), u"accuracy"_s);
    QCOMPARE(curve.size(), 5);
    QCOMPARE(curve[2][u"pruned"].toInt(), 4);
    const Run written = run({u"evaluate"_s, u"--model"_s, path("pruned"), u"--data"_s, path("data.tsv")});
    QVERIFY2(written.code == 0, written.err.constData());
    QCOMPARE(written.json()[u"metrics"][u"accuracy"].toDouble(), curve[2][u"score"].toDouble());
}

/// The file of an ablation says that lower is better: the heads with the lowest deltas go first.
void TestCliClassifier::lossJudgesAndPrunes()
{
    const QStringList byLoss{u"--data"_s, path("data.tsv"), u"--metric"_s, u"loss"_s};
    const Run ablation = run(with(u"ablate"_s, byLoss + QStringList{u"--out"_s, path("loss.json")}));
    QVERIFY2(ablation.code == 0, ablation.err.constData());
    const QJsonObject json = QJsonDocument::fromJson(readFile(path("loss.json"))).object();
    QCOMPARE(json[u"baseline"][u"better"].toString(), u"lower"_s);
    QString least;
    double lowest = std::numeric_limits<double>::infinity();
    for (const QJsonValue head : json[u"heads"].toArray()) {
        if (head[u"delta"].toDouble() < lowest) {
            lowest = head[u"delta"].toDouble();
            least = head[u"head"].toString();
        }
    }
    for (const QString &order : {path("loss.json"), u"ablation"_s, u"greedy"_s}) {
        const Run pruning = run(with(u"prune"_s, byLoss + QStringList{u"--order"_s, order, u"--step"_s, u"1"_s}));
        QVERIFY2(pruning.code == 0, pruning.err.constData());
        QCOMPARE(pruning.json()[u"better"].toString(), u"lower"_s);
        QCOMPARE(pruning.json()[u"curve"][1][u"mask"].toString(), least);
    }
}

void TestCliClassifier::ordersAreThoseOfTheirAnalyses_data()
{
    QTest::addColumn<QString>("value"); // by which heads go, the least first
    QTest::newRow("shapley") << u"shapley"_s;
    QTest::newRow("relevance") << u"relevance"_s;
    QTest::newRow("gating") << u"facilitates"_s;
}

/// An order by name, and the file of its analysis; and what both remove is what has the least value there.
void TestCliClassifier::ordersAreThoseOfTheirAnalyses()
{
    QFETCH(QString, value);
    const QString name = QString::fromLatin1(QTest::currentDataTag());
    const QStringList data{u"--data"_s, path("data.tsv")};
    const QString file = path("order.json");
    const Run analysis = run(with(name, data + QStringList{u"--out"_s, file}));
    QVERIFY2(analysis.code == 0, analysis.err.constData());
    const auto heads = QJsonDocument::fromJson(readFile(file)).object()[u"heads"].toArray();
    QString least;
    double lowest = std::numeric_limits<double>::infinity();
    for (const QJsonValue head : heads) {
        const double worth = head[value].toDouble() - head[u"interferes"].toDouble();
        if (worth < lowest) {
            lowest = worth;
            least = head[u"head"].toString();
        }
    }
    const Run byName = run(with(u"prune"_s, data + QStringList{u"--order"_s, name, u"--step"_s, u"1"_s}));
    const Run byFile = run(with(u"prune"_s, data + QStringList{u"--order"_s, file, u"--step"_s, u"1"_s}));
    QVERIFY2(byName.code == 0, byName.err.constData());
    QVERIFY2(byFile.code == 0, byFile.err.constData());
    QCOMPARE(byName.json()[u"curve"].toArray(), byFile.json()[u"curve"].toArray());
    QCOMPARE(byName.json()[u"curve"][1][u"mask"].toString(), least);
    const QJsonValue curve = byName.json()[u"curves"][0];
    QCOMPARE(curve[u"order"].toString(), name);
    QVERIFY(curve[u"order_chosen_on_evaluated"].toBool());
}

void TestCliClassifier::exportsAMask()
{
    const QString heads = u"encoder.0.1,encoder.1.0,encoder.1.1,encoder.1.2,encoder.1.3"_s;
    const Run masked = run(with(u"evaluate"_s, {u"--data"_s, path("data.tsv"), u"--mask"_s, heads}));
    QVERIFY2(masked.code == 0, masked.err.constData());
    // No data is needed; the JSON says what came out.
    const Run small = run(
        with(u"prune"_s, {u"--export"_s, path("small"), u"--export-form"_s, u"small"_s, u"--export-mask"_s, heads}));
    QVERIFY2(small.code == 0, small.err.constData());
    QCOMPARE(small.json()[u"form"].toString(), u"small"_s);
    QVERIFY(small.json()[u"parameters"][u"left"].toInt() < small.json()[u"parameters"][u"original"].toInt());
    const Run smaller = run({u"evaluate"_s, u"--model"_s, path("small"), u"--data"_s, path("data.tsv")});
    QVERIFY2(smaller.code == 0, smaller.err.constData());
    QCOMPARE(smaller.json()[u"metrics"][u"accuracy"], masked.json()[u"metrics"][u"accuracy"]);
    const Run inspected = run({u"inspect"_s, u"--model"_s, path("small")});
    // The emptied layer keeps a head of zeros, without which transformers would not open the folder.
    QCOMPARE(inspected.json()[u"heads"].toInt(), small.json()[u"heads"][u"left"].toInt() + 1);
    // Compensation takes its means from data.
    const QStringList compensate{u"--export"_s, path("compensated"), u"--export-mask"_s, u"encoder.0.1"_s,
                                 u"--compensate"_s};
    QCOMPARE(run(with(u"prune"_s, compensate)).code, 2);
    const Run compensated = run(with(u"prune"_s, compensate + QStringList{u"--data"_s, path("data.tsv")}));
    QVERIFY2(compensated.code == 0, compensated.err.constData());
    QVERIFY(compensated.json()[u"compensated"].toBool());
    // What does not go together.
    const QStringList data{u"--data"_s, path("data.tsv")};
    for (const QStringList &wrong :
         {QStringList{u"--export-form"_s, u"small"_s}, QStringList{u"--compensate"_s},
          QStringList{u"--export-mask"_s, heads},
          QStringList{u"--export"_s, path("x"), u"--export-mask"_s, u"cross.0.0"_s},
          QStringList{u"--export"_s, path("x"), u"--export-form"_s, u"tiny"_s},
          QStringList{u"--export"_s, path("x"), u"--export-mask"_s, heads, u"--export-at"_s, u"1"_s}})
        QCOMPARE(run(with(u"prune"_s, data + wrong)).code, 2);
    QVERIFY(!QFile::exists(path("x")));
}

void TestCliClassifier::measuresSpeed()
{
    const QStringList quick{u"--data"_s,    path("data.tsv"), u"--batch-sizes"_s, u"1,8"_s, u"--repeats"_s, u"2"_s,
                            u"--warm-up"_s, u"1"_s,           u"--examples"_s,    u"10"_s};
    const Run json = run(with(u"speed"_s, quick + QStringList{u"--lengths"_s, u"bucketed,fixed"_s}));
    QVERIFY2(json.code == 0, json.err.constData());
    QCOMPARE(json.json()[u"rows"].toArray().size(), 2 * 2 * 3);
    QVERIFY(!json.json()[u"mask"].toString().isEmpty()); // the less important half
    const Run csv = run(with(u"speed"_s, quick + QStringList{u"--mask"_s, u"encoder.1.2"_s, u"--format"_s, u"csv"_s}));
    QVERIFY2(csv.code == 0, csv.err.constData());
    QCOMPARE(csv.out.count('\n'), 1 + 2 * 2 * 3);
    QVERIFY(csv.out.startsWith("lengths,batch_size,contender"));
    QCOMPARE(run(with(u"speed"_s, quick + QStringList{u"--lengths"_s, u"short"_s})).code, 2);
    QCOMPARE(run(with(u"speed"_s, quick + QStringList{u"--mask"_s, u"encoder.9.2"_s})).code, 2);
}

void TestCliClassifier::readsTablesAsTold()
{
    QVERIFY(writeFile(path("bare.txt"), "a good film\tgut\nthe \"dull\" dog\tschlecht\n"));
    const QStringList common{
        u"--data"_s, path("bare.txt"), u"--no-header"_s, u"--text-column"_s, u"1"_s, u"--label-column"_s, u"2"_s};
    const Run unknown = run(with(u"evaluate"_s, common));
    QCOMPARE(unknown.code, 3);
    QVERIFY2(unknown.err.contains("gut"), unknown.err.constData());
    const Run mapped
        = run(with(u"evaluate"_s, common + QStringList{u"--label-map"_s, u"gut=positive,schlecht=negative"_s}));
    QVERIFY2(mapped.code == 0, mapped.err.constData());
    QCOMPARE(mapped.json()[u"examples"].toInt(), 2);
    QVERIFY(writeFile(path("quoted.tsv"), "sentence\tlabel\n\"a \"\"good\"\" film\"\t1\n"));
    const Run quoted = run(with(u"evaluate"_s, {u"--data"_s, path("quoted.tsv"), u"--quoted"_s}));
    QVERIFY2(quoted.code == 0, quoted.err.constData());
}

void TestCliClassifier::attentionOfPairs()
{
    const auto maps = [](const Run &result) { return result.json()[u"sentences"].toArray()[0].toObject(); };
    const Run typed = run(with(u"attention"_s, {u"--text"_s, u"a good film"_s, u"--pair"_s, u"the dog"_s}));
    QVERIFY2(typed.code == 0, typed.err.constData());
    const auto tokens = maps(typed)[u"source_tokens"].toArray();
    QList<int> segments;
    for (const QJsonValue &token : tokens)
        segments << token[u"segment"].toInt();
    QCOMPARE(segments, (QList<int>{-1, 0, 0, 0, -1, 1, 1, -1}));
    QVERIFY(!maps(typed)[u"predicted"].toString().isEmpty());
    QCOMPARE(maps(typed)[u"maps"].toArray().size(), 8);
    const Run row = run(with(u"attention"_s, {u"--data"_s, path("pairs.tsv"), u"--index"_s, u"3"_s}));
    QVERIFY2(row.code == 0, row.err.constData());
    QVERIFY(!maps(row)[u"target"].toString().isEmpty());
    const Run single = run(
        with(u"attention"_s, {u"--data"_s, path("pairs.tsv"), u"--index"_s, u"3"_s, u"--pair-column"_s, u"none"_s}));
    QVERIFY(maps(single)[u"target"].toString().isEmpty());
    const Run table = run(with(u"attention"_s, {u"--text"_s, u"a dog"_s, u"--format"_s, u"csv"_s}));
    QVERIFY2(table.out.contains("measure,weight,query_segment,key_segment"), table.err.constData());
}

void TestCliClassifier::usageErrors_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("says");
    const auto add = [](const char *name, const QString &arguments, int code, const char *says) {
        QTest::newRow(name) << arguments.split(u' ') << code << QByteArray(says);
    };
    add("unknown metric", u"evaluate --data DATA --metric BLEU"_s, 2, "accuracy, F1, Matthews");
    add("window predictions of nothing", u"evaluate --data DATA --window-predictions hf"_s, 2, "--text-file FILE");
    add("a stride of nothing", u"evaluate --data DATA --stride 8"_s, 2, "--text-file FILE");
    add("texts and a table", u"evaluate --data DATA --text-file DATA"_s, 2, "--text-file is a complete data set");
    add("paradigms of no pairs", u"evaluate --data DATA --paradigm-column label"_s, 3, "--worse-column");
    add("unknown column", u"evaluate --data DATA --text-column headline"_s, 3, "sentence, label");
    add("unknown label in the map", u"evaluate --data DATA --label-map 1=great"_s, 2, "great");
    add("comparison without resamples", u"evaluate --data DATA --resamples 0 --against encoder.0.0"_s, 2,
        "--resamples");
    add("unknown head", u"evaluate --data DATA --against encoder.7.0"_s, 2, "--against");
    add("no decoder", u"attention --text a --target b"_s, 2, "--pair");
    add("no decoder masks", u"evaluate --data DATA --mask cross.0.0"_s, 2, "cross.0.0");
}

void TestCliClassifier::usageErrors()
{
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QByteArray, says);
    arguments.replaceInStrings(u"DATA"_s, path("data.tsv"));
    const Run result = run(with(arguments.takeFirst(), arguments));
    QVERIFY2(result.code == code, result.err.constData());
    QVERIFY2(result.err.contains(says), result.err.constData());
}

void TestCliClassifier::realModelScoresAsPublished()
{
    const auto model = sharedData("models/bert-sst2-mini");
    const auto data = sharedData("data/sst2/dev.tsv");
    if (model.empty() || data.empty())
        QSKIP("The real model is not here: set HEADSCOPE_SHARED to the folder that has it.");
    const Run result = run({u"evaluate"_s, u"--model"_s, QString::fromStdString(model.string()), u"--data"_s,
                            QString::fromStdString(data.string()), u"--threads"_s, u"1"_s});
    QVERIFY2(result.code == 0, result.err.constData());
    QCOMPARE(result.json()[u"examples"].toInt(), 872);
    QCOMPARE(result.json()[u"metrics"][u"accuracy"].toDouble(), 706.0 / 872);
}

QTEST_GUILESS_MAIN(TestCliClassifier)
#include "tst_cliclassifier.moc"
