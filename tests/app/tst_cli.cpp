#include "tests/support/clirun.h"
#include "tests/support/shareddata.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace headscope::testing;

namespace {

/// A result of `importance` with these values.
QByteArray importanceResult(const QList<double> &values, const char *weightsHash = "w")
{
    QJsonArray heads;
    for (qsizetype i = 0; i < values.size(); ++i)
        heads.append(QJsonObject{{u"head"_s, u"encoder.0.%1"_s.arg(i)}, {u"importance"_s, values[i]}});
    const QJsonObject manifest{{u"analysis"_s, u"importance"_s}, {u"weights_hash"_s, QString::fromLatin1(weightsHash)}};
    return QJsonDocument(QJsonObject{{u"result"_s, u"importance"_s}, {u"heads"_s, heads}, {u"manifest"_s, manifest}})
        .toJson();
}

/// Whether the process holds SIGTERM back: from then on it ends in an orderly way.
bool isReadyForSignals(qint64 pid)
{
    for (const QByteArray &line : readFile(u"/proc/%1/status"_s.arg(pid)).split('\n')) {
        if (line.startsWith("SigBlk:"))
            return (line.mid(7).trimmed().toULongLong(nullptr, 16) & (1ULL << 14)) != 0;
    }
    return false;
}

} // namespace

/// Drives the program as a script would.
class TestCli : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void versionAndHelp();
    void usageErrors_data();
    void usageErrors();
    void badModelFolders_data();
    void badModelFolders();
    void comparesResults();
    void badResultsAreBadInput();
    void unwritableOutputIsRefusedBeforeTheWork();
    void writesTheDemo();
    void computesTheStudiesOfADemo();
    void badTrainingConfigurations_data();
    void badTrainingConfigurations();
    // On the real model
    void saysWhatOpens();
    void inspectsTheModel();
    void predictsTheGoldenTokens();
    void evaluatesAndAblates();
    void badDataIsBadInput_data();
    void badDataIsBadInput();
    void unknownHeadsAreUsageErrors();
    void writesAttentionMaps();
    void cancelEndsWithFour();

private:
    QString path(const QString &name) const { return m_folder->filePath(name); }
    QStringList data(int limit) const;

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_model; ///< empty where there is none
    QString m_source;
    QString m_reference;
};

#define REQUIRE_MODEL()                                                                                                \
    if (m_model.isEmpty())                                                                                             \
    QSKIP("The real model is not here: set HEADSCOPE_SHARED to the folder that has it.")

void TestCli::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    QVERIFY2(QFile::exists(program()), qPrintable(program()));
    m_model = QString::fromStdString(sharedData("models/marian-multi30k-en-fr").string());
    m_source = QString::fromStdString(sharedData("data/multi30k/test_2016_flickr.en.gz").string());
    m_reference = QString::fromStdString(sharedData("data/multi30k/test_2016_flickr.fr.gz").string());
    if (m_source.isEmpty() || m_reference.isEmpty())
        m_model.clear();
}

/// One thread: OpenMP's threads wait for each other in a hurry, which is slow where other tests run beside this one.
QStringList TestCli::data(int limit) const
{
    return {u"--model"_s,   m_model, u"--source"_s, m_source, u"--reference"_s, m_reference,
            u"--threads"_s, u"1"_s,  u"--beams"_s,  u"1"_s,   u"--limit"_s,     QString::number(limit)};
}

void TestCli::writesTheDemo()
{
    QCOMPARE(run({u"demo"_s}).code, 2);
    const Run written = run({u"demo"_s, u"--out"_s, path(u"demo"_s)});
    QVERIFY2(written.code == 0, written.err.constData());
    QVERIFY(QFile::exists(path(u"demo/demo.headscope"_s)));
    QVERIFY(readFile(path(u"demo/tables/demo/in-ablate.csv"_s)).startsWith("head,kind,layer"));
    QVERIFY(readFile(path(u"demo/tables/demo/in-ablate.csv"_s))
            != readFile(path(u"demo/tables/demo/in-ablate-all-but-one.csv"_s)));
    QVERIFY(readFile(path(u"demo/tables/demo/out-prune-random.csv"_s)).size() > 100);
    QVERIFY(readFile(path(u"demo/tables/classifier/in-prune-ablation.csv"_s)).size() > 100);
    QVERIFY(readFile(path(u"demo/tables/pronunciation/in-roles.csv"_s)).contains("rare word"));
    // The copy is a model and data like any other.
    const Run score = run({u"evaluate"_s, u"--model"_s, path(u"demo/training/epoch-006"_s), u"--source"_s,
                           path(u"demo/corpus/in_domain.en"_s), u"--reference"_s, path(u"demo/corpus/in_domain.fr"_s),
                           u"--limit"_s, u"100"_s, u"--threads"_s, u"1"_s});
    QVERIFY2(score.code == 0, score.err.constData());
    QCOMPARE(run({u"demo"_s, u"--out"_s, path(u"demo"_s)}).code, 2); // not empty any more
    // The corpus by itself has what its models were trained on, and the same test sets.
    QCOMPARE(run({u"demo"_s, u"--corpus"_s, path(u"corpus"_s), u"--make"_s, path(u"made"_s)}).code, 2);
    QCOMPARE(run({u"demo"_s, u"--corpus"_s, path(u"corpus"_s)}).code, 0);
    QVERIFY(readFile(path(u"corpus/train.fr"_s)).count('\n') > 10'000);
    QCOMPARE(readFile(path(u"corpus/in_domain.en"_s)), readFile(path(u"demo/corpus/in_domain.en"_s)));
}

/// The smallest demo, on the first lines of its corpus: the studies are new, the trained model is not touched.
void TestCli::computesTheStudiesOfADemo()
{
    const Run written = run({u"demo"_s, u"--out"_s, path(u"demo"_s)});
    QVERIFY2(written.code == 0, written.err.constData());
    for (const QString &name : {u"known"_s, u"unknown"_s}) {
        for (const QString &side : {u"spelt"_s, u"said"_s}) {
            const QString file = path(u"demo/corpus/villages_%1.%2"_s.arg(name, side));
            const QByteArrayList lines = readFile(file).split('\n').first(12);
            QVERIFY(writeFile(file, lines.join('\n') + '\n'));
        }
    }
    const auto models = [&] {
        QMap<QString, QByteArray> files;
        QDirIterator entries(path(u"demo/pronunciation"_s), QDir::Files, QDirIterator::Subdirectories);
        while (entries.hasNext()) {
            const QString file = entries.next();
            files.insert(file, readFile(file));
        }
        return files;
    };
    const auto results = [&] { return QDir(path(u"demo/pronunciation.headscope.results"_s)).entryList(QDir::Files); };
    const auto trained = models();
    const QStringList before = results();
    const QByteArray others = readFile(path(u"demo/classifier.headscope"_s));
    const QStringList command{u"demo"_s, u"--studies"_s, path(u"demo"_s), u"--only"_s, u"pronunciation"_s};
    const Run computed = run(command);
    QVERIFY2(computed.code == 0, computed.err.constData());
    QVERIFY(models() == trained && trained.size() > 5);
    QCOMPARE(readFile(path(u"demo/classifier.headscope"_s)), others);
    const QStringList after = results();
    QCOMPARE(after.size(), before.size());
    for (const QString &file : after) {
        const QJsonObject result
            = QJsonDocument::fromJson(readFile(path(u"demo/pronunciation.headscope.results/"_s + file))).object();
        const bool isOfOneText = result.value("result"_L1) == "attention"_L1;
        QVERIFY2(before.contains(file) == isOfOneText, qPrintable(file)); // of other data, thus by another key
        const QJsonObject manifest = result.value("manifest"_L1).toObject();
        QCOMPARE(manifest.value("model"_L1).toString(), u"pronunciation/epoch-014"_s); // wherever the demo will be
        if (result.value("result"_L1) == "prune"_L1)
            QCOMPARE(result.value("examples"_L1).toInt(), 12);
    }
    // A study is of the whole training.
    QVERIFY(QDir().rename(path(u"demo/pronunciation/epoch-014"_s), path(u"demo/pronunciation/epoch-003"_s)));
    const Run unfinished = run(command);
    QCOMPARE(unfinished.code, 3);
    QVERIFY2(unfinished.err.contains("3 of 14"), unfinished.err.constData());
    QCOMPARE(results(), after);
    QVERIFY(QDir(path(u"demo/pronunciation"_s)).removeRecursively());
    QCOMPARE(run(command).code, 3);
    QCOMPARE(run({u"demo"_s, u"--corpus"_s, path(u"corpus"_s), u"--only"_s, u"pronunciation"_s}).code, 2);
}

void TestCli::badTrainingConfigurations_data()
{
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("named");
    QTest::newRow("damaged") << QByteArray("{") << 3 << QByteArray("config.json");
    QTest::newRow("unknown key") << QByteArray(R"({"epoch": 3})") << 3 << QByteArray("\"epoch\"");
    QTest::newRow("no data") << QByteArray(R"({"output": "run"})") << 2 << QByteArray("training data");
    QTest::newRow("missing file") << QByteArray(R"({"output": "run", "train": {"source": "a", "reference": "b"}})") << 3
                                  << QByteArray("cannot");
}

void TestCli::badTrainingConfigurations()
{
    QFETCH(QByteArray, config);
    QFETCH(int, code);
    QFETCH(QByteArray, named);
    QVERIFY(writeFile(path(u"config.json"_s), config));
    const Run trained = run({u"train"_s, path(u"config.json"_s)});
    QCOMPARE(trained.code, code);
    QVERIFY2(trained.err.contains(named), trained.err.constData());
    QVERIFY(!QFile::exists(path(u"run"_s)));
}

void TestCli::versionAndHelp()
{
    const Run version = run({u"--version"_s});
    QCOMPARE(version.code, 0);
    QVERIFY(version.out.startsWith("headscope-cli "));
    const Run help = run({u"--help"_s});
    QCOMPARE(help.code, 0);
    for (const char *command :
         {"inspect", "predict", "evaluate", "ablate", "importance", "prune", "speed", "attention", "compare"}) {
        QVERIFY2(help.out.contains(command), command);
        const Run commandHelp = run({QString::fromLatin1(command), u"--help"_s});
        QCOMPARE(commandHelp.code, 0);
        QVERIFY(commandHelp.out.contains("--out"));
    }
}

void TestCli::usageErrors_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    const auto add = [](const char *name, const QString &arguments, const char *says) {
        QTest::newRow(name) << arguments.split(u' ', Qt::SkipEmptyParts) << QByteArray(says);
    };
    add("nothing", u""_s, "command");
    add("unknown command", u"dance"_s, "dance");
    add("unknown option", u"inspect --model x --loud"_s, "--loud");
    add("no model", u"inspect"_s, "--model");
    add("unknown dtype", u"inspect --model x --dtype f16"_s, "f16");
    add("negative limit", u"evaluate --model x --source a --reference b --limit -1"_s, "limit");
    add("no beams", u"evaluate --model x --source a --reference b --beams 0"_s, "beams");
    add("no data", u"evaluate --model x"_s, "--source");
    add("no reference", u"ablate --model x --source a"_s, "--reference");
    add("columns without a table", u"evaluate --model x --source a --reference b --text-column c"_s, "--data");
    add("two data sets", u"evaluate --model x --source a --reference b --data c"_s, "only one");
    add("reference alone", u"predict --model x --data c --reference b"_s, "--reference");
    add("unknown replacement", u"ablate --model x --source a --reference b --replace one"_s, "one");
    add("unknown kind", u"prune --model x --source a --reference b --kinds encoder,middle"_s, "middle");
    add("random export", u"prune --model x --source a --reference b --order random --export d"_s, "--export");
    add("export point alone", u"prune --model x --source a --reference b --export-at 3"_s, "--export");
    add("targets without texts", u"attention --model x --source a --target b"_s, "--target");
    add("pairs without texts", u"attention --model x --data a --pair b"_s, "--pair");
    add("one result", u"compare a.json"_s, "B");
    add("unknown format", u"compare a.json b.json --format xml"_s, "xml");
}

void TestCli::usageErrors()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, says);
    const Run result = run(arguments);
    QCOMPARE(result.code, 2);
    QVERIFY2(result.err.contains(says), result.err.constData());
    QVERIFY(result.out.isEmpty());
}

void TestCli::badModelFolders_data()
{
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<QByteArray>("weights");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("no config") << QByteArray() << QByteArray() << QByteArray("config.json");
    QTest::newRow("config is no JSON") << QByteArray("{\"model_type\": ") << QByteArray() << QByteArray("config.json");
    QTest::newRow("no model type") << QByteArray("{}") << QByteArray() << QByteArray("model_type");
    QTest::newRow("unknown model type") << QByteArray(R"({"model_type": "perceptron-9"})") << QByteArray()
                                        << QByteArray("perceptron-9");
    const QByteArray marian = R"({"model_type": "marian", "d_model": 8, "vocab_size": 10, "encoder_layers": 1,
        "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 8,
        "decoder_ffn_dim": 8, "max_position_embeddings": 16, "decoder_start_token_id": 9, "pad_token_id": 9,
        "eos_token_id": 0, "activation_function": "swish"})";
    QTest::newRow("truncated weights") << marian << QByteArray("\x40\0\0\0\0\0\0\0{\"a\":", 13)
                                       << QByteArray("model.safetensors");
    QTest::newRow("no weights") << marian << QByteArray() << QByteArray("safetensors");
}

void TestCli::badModelFolders()
{
    QFETCH(QByteArray, config);
    QFETCH(QByteArray, weights);
    QFETCH(QByteArray, says);
    if (!config.isEmpty())
        QVERIFY(writeFile(path(u"config.json"_s), config));
    if (!weights.isEmpty())
        QVERIFY(writeFile(path(u"model.safetensors"_s), weights));
    const Run result = run({u"inspect"_s, u"--model"_s, m_folder->path()});
    QVERIFY2(result.err.contains(says), result.err.constData());
    QCOMPARE(result.code, 3);
    QVERIFY(result.out.isEmpty());
    QCOMPARE(result.err.trimmed().count('\n'), 0); // one message
}

void TestCli::comparesResults()
{
    QVERIFY(writeFile(path(u"a.json"_s), importanceResult({1, 2, 3, 4})));
    QVERIFY(writeFile(path(u"b.json"_s), importanceResult({2, 4, 6, 9})));
    const Run result = run({u"compare"_s, path(u"a.json"_s), path(u"b.json"_s)});
    QCOMPARE(result.code, 0);
    QCOMPARE(result.json()[u"measure"].toString(), u"importance"_s);
    QCOMPARE(result.json()[u"spearman"][u"value"].toDouble(), 1.0);
    QCOMPARE(result.json()[u"heads"].toArray().size(), 4);

    const QString csv = path(u"c.csv"_s);
    const Run table
        = run({u"compare"_s, path(u"a.json"_s), path(u"b.json"_s), u"--format"_s, u"csv"_s, u"--out"_s, csv});
    QCOMPARE(table.code, 0);
    QVERIFY(table.out.isEmpty());
    const QByteArray line = readFile(csv).split('\n').at(4); // r, rho and tau are on every line
    QVERIFY2(line.startsWith("encoder.0.3,encoder,0,3,importance,,4,9,5,,,,,,0.9943"), line.constData());
}

void TestCli::badResultsAreBadInput()
{
    QVERIFY(writeFile(path(u"a.json"_s), importanceResult({1, 2, 3})));
    QVERIFY(writeFile(path(u"other.json"_s), importanceResult({1, 2}, "w2"))); // another architecture
    QVERIFY(writeFile(path(u"cut.json"_s), importanceResult({1, 2, 3}).left(60)));
    for (const char *name : {"absent.json", "cut.json", "other.json"}) {
        const Run result = run({u"compare"_s, path(u"a.json"_s), path(QString::fromLatin1(name))});
        QCOMPARE(result.code, 3);
        QVERIFY(!result.err.isEmpty());
    }
}

void TestCli::unwritableOutputIsRefusedBeforeTheWork()
{
    QVERIFY(writeFile(path(u"a.json"_s), importanceResult({1, 2, 3})));
    for (const QString &file : {path(u"missing/out.json"_s), m_folder->path()}) {
        const Run result = run({u"inspect"_s, u"--model"_s, u"/nonexistent"_s, u"--out"_s, file});
        QCOMPARE(result.code, 3);
        QVERIFY2(result.err.contains("--out"), result.err.constData());
    }
}

void TestCli::saysWhatOpens()
{
    const Run result = run({u"inspect"_s, u"--families"_s});
    QCOMPARE(result.code, 0);
    const QJsonArray families = result.json()[u"families"].toArray();
    QStringList types;
    for (const auto &family : families) {
        types << family[u"model_type"].toString();
        QVERIFY(!family[u"models"].toString().isEmpty());
    }
    for (const auto &type : {u"bert"_s, u"gpt_neox"_s, u"llama"_s, u"marian"_s})
        QVERIFY2(types.contains(type), qPrintable(type));
    QVERIFY(std::is_sorted(types.begin(), types.end()));
    QCOMPARE(types.removeDuplicates(), 0);
}

void TestCli::inspectsTheModel()
{
    REQUIRE_MODEL();
    const Run result = run({u"inspect"_s, u"--model"_s, m_model});
    QCOMPARE(result.code, 0);
    QCOMPARE(result.json()[u"family"].toString(), u"marian"_s);
    QCOMPARE(result.json()[u"heads"].toInt(), 96);
    QCOMPARE(result.json()[u"attention"].toArray().size(), 3);
}

void TestCli::predictsTheGoldenTokens()
{
    REQUIRE_MODEL();
    const Run result = run(QStringList{u"predict"_s} + data(20));
    QVERIFY2(result.code == 0, result.err.constData());
    const auto lines = result.out.trimmed().split('\n');
    const auto golden = readFile(m_model + u"/golden.test_2016_flickr.beams1.jsonl"_s).split('\n');
    QCOMPARE(lines.size(), 20);
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const auto found = QJsonDocument::fromJson(lines[i]).object();
        const auto expected = QJsonDocument::fromJson(golden[i]).object();
        QCOMPARE(found[u"index"].toInt(), static_cast<int>(i));
        QCOMPARE(found[u"tokens"].toArray(), expected[u"tokens"].toArray());
        QCOMPARE(found[u"text"].toString(), expected[u"text"].toString());
    }
}

void TestCli::evaluatesAndAblates()
{
    REQUIRE_MODEL();
    const Run evaluation = run(QStringList{u"evaluate"_s} + data(4));
    QVERIFY2(evaluation.code == 0, evaluation.err.constData());
    const double bleu = evaluation.json()[u"metrics"][u"BLEU"].toDouble();
    QVERIFY(bleu > 20 && bleu < 100);
    QCOMPARE(evaluation.json()[u"examples"].toInt(), 4);
    QVERIFY(evaluation.json()[u"signature"].toString().startsWith(u"nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp"_s));

    const QString file = path(u"ablation.csv"_s);
    const Run ablation
        = run(QStringList{u"ablate"_s} + data(4) + QStringList{u"--format"_s, u"csv"_s, u"--out"_s, file});
    QVERIFY2(ablation.code == 0, ablation.err.constData());
    const auto lines = readFile(file).trimmed().split('\n');
    QCOMPARE(lines.size(), 97);
    // score − delta is the baseline's score, the same for every head and the one that evaluate gave.
    for (qsizetype i = 1; i < lines.size(); ++i) {
        const auto fields = lines[i].split(',');
        QVERIFY(qAbs(fields[5].toDouble() - fields[6].toDouble() - bleu) < 1e-9);
    }
    const auto manifest = QJsonDocument::fromJson(readFile(file + u".manifest.json"_s)).object();
    QCOMPARE(manifest[u"analysis"].toString(), u"ablate"_s);
}

void TestCli::badDataIsBadInput_data()
{
    QTest::addColumn<QByteArray>("source");
    QTest::addColumn<QByteArray>("reference");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("unequal line counts") << QByteArray("a\nb\nc\n") << QByteArray("a\nb\n") << QByteArray("2");
    QTest::newRow("empty file") << QByteArray() << QByteArray() << QByteArray("empty");
    QTest::newRow("invalid UTF-8") << QByteArray("a\n\xff\xfe dog\n") << QByteArray("a\nb\n") << QByteArray("UTF-8");
}

void TestCli::badDataIsBadInput()
{
    REQUIRE_MODEL();
    QFETCH(QByteArray, source);
    QFETCH(QByteArray, reference);
    QFETCH(QByteArray, says);
    QVERIFY(writeFile(path(u"s.txt"_s), source));
    QVERIFY(writeFile(path(u"r.txt"_s), reference));
    const Run result = run(
        {u"evaluate"_s, u"--model"_s, m_model, u"--source"_s, path(u"s.txt"_s), u"--reference"_s, path(u"r.txt"_s)});
    QCOMPARE(result.code, 3);
    QVERIFY2(result.err.contains(says), result.err.constData());
    QVERIFY2(result.err.contains("s.txt") || result.err.contains("r.txt"), result.err.constData());
}

void TestCli::unknownHeadsAreUsageErrors()
{
    REQUIRE_MODEL();
    for (const QString &mask : {u"encoder.9.0"_s, u"encoder"_s}) {
        const Run result = run(QStringList{u"evaluate"_s} + data(8) + QStringList{u"--mask"_s, mask});
        QCOMPARE(result.code, 2);
        QVERIFY2(result.err.contains(mask.toUtf8()), result.err.constData());
    }
}

void TestCli::writesAttentionMaps()
{
    REQUIRE_MODEL();
    const QString maps = path(u"maps.safetensors"_s);
    const Run result = run({u"attention"_s, u"--model"_s, m_model, u"--text"_s, u"A dog runs."_s, u"--target"_s,
                            u"Un chien court."_s, u"--maps"_s, maps});
    QVERIFY2(result.code == 0, result.err.constData());
    const auto sentence = result.json()[u"sentences"].toArray()[0].toObject();
    QCOMPARE(sentence[u"target"].toString(), u"Un chien court."_s);
    QCOMPARE(sentence[u"maps"].toArray().size(), 96);
    const auto queries = sentence[u"target_tokens"].toArray().size();
    for (const QJsonValue &value : sentence[u"maps"].toArray()) {
        const auto map = value.toObject();
        const bool isCross = map[u"head"].toString().startsWith(u"cross"_s);
        if (isCross)
            QCOMPARE(map[u"weights"].toArray().size(), queries);
        for (const QJsonValue &row : map[u"weights"].toArray()) {
            double sum = 0;
            for (const QJsonValue &weight : row.toArray())
                sum += weight.toDouble();
            QVERIFY(qAbs(sum - 1) < 1e-5); // float32 softmax
        }
    }
    QVERIFY(readFile(maps).contains("\"0.cross.3.7\""));
}

void TestCli::cancelEndsWithFour()
{
    REQUIRE_MODEL();
    QProcess process;
    process.start(program(), {u"ablate"_s, u"--model"_s, m_model, u"--source"_s, m_source, u"--reference"_s,
                              m_reference, u"--out"_s, path(u"partial.json"_s)});
    QVERIFY(process.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(isReadyForSignals(process.processId()), 60000);
    process.terminate();
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 4);
    QVERIFY(process.readAllStandardError().contains("cancelled"));
}

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"

#include <algorithm>
#include <memory>
