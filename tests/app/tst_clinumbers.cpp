#include "tests/support/clirun.h"
#include "tests/support/tinyclassifier.h"
#include "tests/support/tinymodel.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <cstdint>
#include <cstring>

using namespace Qt::StringLiterals;
using namespace headscope::testing;

namespace {

QList<QJsonObject> linesOf(const Run &run)
{
    QList<QJsonObject> lines;
    for (const QByteArray &line : run.out.trimmed().split('\n'))
        lines << QJsonDocument::fromJson(line).object();
    return lines;
}

double perplexityOf(const Run &run)
{
    return run.json()[u"metrics"][u"perplexity"].toDouble();
}

/// Runs that end with this code and say this.
bool fails(const QStringList &arguments, int code, const char *part)
{
    const Run result = run(arguments);
    if (result.code == code && result.err.contains(part))
        return true;
    qWarning("code %d: %s", result.code, result.err.constData());
    return false;
}

} // namespace

/// What numbers are of: how rows are read, where outputs are cut, what windows begin with, and what is said where a
/// number says little.
class TestCliNumbers : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    QString path(const QString &name) const { return m_folder.filePath(name); }
    QStringList with(const QString &command, const QString &model, const QStringList &more) const
    {
        return QStringList{command, u"--model"_s, path(model), u"--threads"_s, u"1"_s} + more;
    }
    /// A model of tests/goldens with a tokenizer of words w0, w1, … and the end of texts.
    bool makeLanguageModel() const;

private Q_SLOTS:
    void initTestCase();
    void emptySecondTextsAreReadAlike();
    void numbersAsLabelsAreNamed();
    void cutOutputsAreCounted();
    void tasksOfTheConfiguration();
    void windowsBegin();
    void firstWordsOfMinimalPairs();
    void languageModelsSayWhatComesNext();
    void dataOfAnotherTask_data();
    void dataOfAnotherTask();
    void labelsAreNoTranslations();
    void emptyReferencesAreSaid();
    void brokenWeightsGiveNoResult();
    void nothingChangedIsNoProof();
};

bool TestCliNumbers::makeLanguageModel() const
{
    const QString from = qEnvironmentVariable("HEADSCOPE_SOURCE_DIR") + u"/tests/goldens/families/gpt2-hub/"_s;
    QDir().mkpath(path(u"gpt2"_s));
    for (const QString &file : {u"config.json"_s, u"generation_config.json"_s, u"model.safetensors"_s}) {
        if (!QFile::copy(from + file, path(u"gpt2/"_s + file)))
            return false;
    }
    QJsonObject words;
    for (int i = 0; i < 36; ++i)
        words[u"w%1"_s.arg(i)] = i;
    const QJsonObject end{
        {u"id"_s, 36},        {u"content"_s, u"<|endoftext|>"_s}, {u"single_word"_s, false}, {u"lstrip"_s, false},
        {u"rstrip"_s, false}, {u"normalized"_s, false},           {u"special"_s, true}};
    const QJsonObject tokenizer{
        {u"added_tokens"_s, QJsonArray{end}},
        {u"pre_tokenizer"_s, QJsonObject{{u"type"_s, u"WhitespaceSplit"_s}}},
        {u"model"_s, QJsonObject{{u"type"_s, u"WordLevel"_s}, {u"vocab"_s, words}, {u"unk_token"_s, u"w0"_s}}}};
    return writeFile(path(u"gpt2/tokenizer.json"_s), QJsonDocument(tokenizer).toJson())
        && writeFile(path(u"gpt2/tokenizer_config.json"_s), R"({"tokenizer_class": "PreTrainedTokenizerFast"})");
}

void TestCliNumbers::initTestCase()
{
    QVERIFY2(QFile::exists(program()), qPrintable(program()));
    writeTinyClassifier(path(u"classifier"_s).toStdString());
    writeTinyModel(path(u"translator"_s).toStdString());
    writeTinyCorpus(path(u"s.txt"_s).toStdString(), path(u"r.txt"_s).toStdString(), 12, 5);
    QVERIFY(makeLanguageModel());
}

/// One encoding of a row, whatever else is selected: [CLS] a [SEP] [SEP] by itself, among others and as a picture.
void TestCliNumbers::emptySecondTextsAreReadAlike()
{
    const QString file = path(u"half.tsv"_s);
    QVERIFY(writeFile(file, "sentence1\tsentence2\tlabel\na good film\t\t1\nthe dog\ta film\t0\n"));
    const auto predicted = [&](const QStringList &more) {
        return linesOf(checked(with(u"predict"_s, u"classifier"_s, QStringList{u"--data"_s, file} + more)));
    };
    const auto all = predicted({});
    QCOMPARE(all.size(), 2);
    const auto first = predicted({u"--limit"_s, u"1"_s});
    QCOMPARE(first.size(), 1);
    const auto apart = [](const QJsonObject &a, const QJsonObject &b) { // more than sums in another order are
        return std::abs(a[u"logits"].toArray()[0].toDouble() - b[u"logits"].toArray()[0].toDouble()) > 1e-5;
    };
    QVERIFY(!apart(first[0], all[0]));
    QVERIFY(apart(predicted({u"--pair-column"_s, u"none"_s})[0], all[0]));

    const auto tokensOf = [&](const QStringList &more) {
        const Run run = checked(with(u"attention"_s, u"classifier"_s, more));
        return run.json()[u"sentences"].toArray()[0][u"source_tokens"].toArray();
    };
    for (const QStringList &more :
         {QStringList{u"--data"_s, file, u"--index"_s, u"0"_s}, QStringList{u"--data"_s, file, u"--limit"_s, u"1"_s},
          QStringList{u"--text"_s, u"a good film"_s, u"--pair"_s, QString()}}) {
        const QJsonArray tokens = tokensOf(more);
        QCOMPARE(tokens.size(), 6);
        QCOMPARE(tokens[4][u"text"].toString(), u"[SEP]"_s);
        QCOMPARE(tokens[5][u"text"].toString(), u"[SEP]"_s);
    }
    QCOMPARE(tokensOf({u"--text"_s, u"a good film"_s}).size(), 5);
    // Roles look at the same tokens.
    QCOMPARE(checked(with(u"roles"_s, u"classifier"_s, {u"--data"_s, file, u"--limit"_s, u"1"_s})).code, 0);
}

void TestCliNumbers::numbersAsLabelsAreNamed()
{
    const QString file = path(u"numbers.tsv"_s);
    QVERIFY(writeFile(file, "review\tlabel\na good film\t1\nthe dog\t0\n"));
    const Run run = checked(with(u"evaluate"_s, u"classifier"_s, {u"--data"_s, file, u"--text-column"_s, u"review"_s}));
    QVERIFY2(run.err.contains("0 is read as negative, 1 is read as positive"), run.err.constData());
}

void TestCliNumbers::cutOutputsAreCounted()
{
    const QStringList data{u"--source"_s, path(u"s.txt"_s), u"--reference"_s, path(u"r.txt"_s)};
    const Run cut = checked(with(u"evaluate"_s, u"translator"_s, data + QStringList{u"--max-length"_s, u"3"_s}));
    QCOMPARE(cut.code, 0);
    const int reached = cut.json()[u"reached_limit"].toInt();
    QVERIFY(reached > 0);
    QCOMPARE(cut.json()[u"longest_output"].toInt(), 3);
    const QByteArray note = QByteArray::number(reached) + " of 12 outputs reached the limit of 3 tokens";
    QVERIFY2(cut.err.contains(note) && cut.err.contains("--max-length"), cut.err.constData());
    QVERIFY(cut.json()[u"signature"].toString().endsWith(u"|max-length:3"_s));
    const Run predicted = checked(with(u"predict"_s, u"translator"_s, data + QStringList{u"--max-length"_s, u"3"_s}));
    QVERIFY2(predicted.err.contains(note), predicted.err.constData());
    const Run sweep = checked(
        with(u"ablate"_s, u"translator"_s, data + QStringList{u"--max-length"_s, u"3"_s, u"--resamples"_s, u"10"_s}));
    QVERIFY(sweep.json()[u"baseline"][u"signature"].toString().endsWith(u"|max-length:3"_s));
}

void TestCliNumbers::tasksOfTheConfiguration()
{
    const QString file = path(u"translator/config.json"_s);
    QJsonObject config = QJsonDocument::fromJson(readFile(file)).object();
    config[u"task_specific_params"_s]
        = QJsonObject{{u"short"_s, QJsonObject{{u"max_length"_s, 4}, {u"num_beams"_s, 2}, {u"prefix"_s, u"a man "_s}}},
                      {u"plain"_s, QJsonObject{{u"length_penalty"_s, 2.0}}}};
    QDir().mkpath(path(u"tasks"_s));
    for (const QString &name : QDir(path(u"translator"_s)).entryList(QDir::Files))
        QVERIFY(QFile::copy(path(u"translator/"_s + name), path(u"tasks/"_s + name)));
    QVERIFY(QFile::remove(path(u"tasks/config.json"_s)));
    QVERIFY(writeFile(path(u"tasks/config.json"_s), QJsonDocument(config).toJson()));

    const Run card = checked({u"inspect"_s, u"--model"_s, path(u"tasks"_s)});
    QCOMPARE(card.json()[u"tasks"][u"short"].toString(), u"a man "_s);
    QVERIFY2(card.out.contains("--task NAME"), card.out.constData());
    const QStringList data{u"--source"_s, path(u"s.txt"_s), u"--reference"_s, path(u"r.txt"_s)};
    const Run task = checked(with(u"evaluate"_s, u"tasks"_s, data + QStringList{u"--task"_s, u"short"_s}));
    QCOMPARE(task.code, 0);
    const QJsonObject manifest = task.json()[u"manifest"].toObject();
    QCOMPARE(manifest[u"spec"][u"task"].toString(), u"short"_s);
    QVERIFY(manifest[u"command"].toString().contains(u"--source-prefix 'a man '"_s));
    // The same, said one by one.
    const Run byHand = checked(
        with(u"evaluate"_s, u"tasks"_s,
             data + QStringList{u"--max-length"_s, u"4"_s, u"--beams"_s, u"2"_s, u"--source-prefix"_s, u"a man "_s}));
    QCOMPARE(task.json()[u"metrics"].toObject(), byHand.json()[u"metrics"].toObject());
    QCOMPARE(task.json()[u"longest_output"].toInt(), 4);
    QCOMPARE(manifest[u"data_hash"].toString(), byHand.json()[u"manifest"][u"data_hash"].toString());
    const Run without = checked(with(u"evaluate"_s, u"tasks"_s, data));
    QVERIFY(without.json()[u"manifest"][u"data_hash"].toString() != manifest[u"data_hash"].toString());
    QVERIFY(without.json()[u"longest_output"].toInt() > 4);

    QVERIFY(fails(with(u"evaluate"_s, u"tasks"_s, data + QStringList{u"--task"_s, u"other"_s}), 2, "plain, short"));
    QVERIFY(fails(with(u"evaluate"_s, u"translator"_s, data + QStringList{u"--task"_s, u"short"_s}), 2,
                  "task_specific_params"));
}

/// With the model's first token before every window, all tokens are counted, as if rows had been given by their ids.
void TestCliNumbers::windowsBegin()
{
    QByteArray text;
    QByteArray first = "{\"input_ids\": [36";
    QByteArray second = first;
    for (int i = 0; i < 20; ++i) { // 14 positions: windows of 14 tokens and 6
        const QByteArray id = QByteArray::number((i * 7 + 3) % 36);
        text += (i > 0 ? " w" : "w") + id;
        (i < 14 ? first : second) += ", " + id;
    }
    QVERIFY(writeFile(path(u"long.txt"_s), text + '\n'));
    QVERIFY(writeFile(path(u"windows.jsonl"_s), first + "]}\n" + second + "]}\n"));
    const QStringList file{u"--text-file"_s, path(u"long.txt"_s)};
    const Run none = checked(with(u"evaluate"_s, u"gpt2"_s, file));
    const Run bos = checked(with(u"evaluate"_s, u"gpt2"_s, file + QStringList{u"--window-start"_s, u"bos"_s}));
    const Run ids = checked(with(u"evaluate"_s, u"gpt2"_s, {u"--data"_s, path(u"windows.jsonl"_s)}));
    QVERIFY(std::abs(perplexityOf(bos) / perplexityOf(ids) - 1) < 1e-6);
    QVERIFY(std::abs(perplexityOf(bos) / perplexityOf(none) - 1) > 1e-6);
    QVERIFY(none.json()[u"signature"].toString().contains(u"window-start:none"_s));
    QVERIFY(bos.json()[u"signature"].toString().contains(u"window-start:bos"_s));
    const QJsonObject manifest = bos.json()[u"manifest"].toObject();
    QVERIFY(manifest[u"key"].toString() != none.json()[u"manifest"][u"key"].toString());
    QVERIFY(manifest[u"command"].toString().contains(u"--window-start bos"_s));
    // A text of one token can be predicted then.
    QVERIFY(writeFile(path(u"one.txt"_s), "w3\n"));
    const QStringList one{u"--text-file"_s, path(u"one.txt"_s)};
    QCOMPARE(run(with(u"evaluate"_s, u"gpt2"_s, one)).code, 3);
    QCOMPARE(checked(with(u"evaluate"_s, u"gpt2"_s, one + QStringList{u"--window-start"_s, u"bos"_s})).code, 0);
    QVERIFY(fails(with(u"evaluate"_s, u"gpt2"_s, file + QStringList{u"--window-start"_s, u"eos"_s}), 2, "eos"));
    QVERIFY(fails(
        with(u"predict"_s, u"classifier"_s, {u"--text-file"_s, path(u"one.txt"_s), u"--window-start"_s, u"bos"_s}), 2,
        "causal"));
    // A tokenizer that begins texts by itself begins the first window only.
    QVERIFY(writeFile(path(u"begun.txt"_s), "<|endoftext|>" + text + '\n'));
    const QStringList begun{u"--text-file"_s, path(u"begun.txt"_s)};
    const Run noted = checked(with(u"evaluate"_s, u"gpt2"_s, begun));
    QVERIFY2(noted.err.contains("--window-start bos"), noted.err.constData());
    const Run again = checked(with(u"evaluate"_s, u"gpt2"_s, begun + QStringList{u"--window-start"_s, u"bos"_s}));
    QCOMPARE(perplexityOf(again), perplexityOf(bos));
}

void TestCliNumbers::firstWordsOfMinimalPairs()
{
    // The sentences differ in their first words alone, and what follows is the same.
    QVERIFY(writeFile(path(u"pairs.jsonl"_s), R"({"sentence_good": "w5 w7 w9", "sentence_bad": "w6 w7 w9"})"
                                              "\n"));
    QVERIFY(writeFile(path(u"ids.jsonl"_s), "{\"input_ids\": [36, 5, 7, 9]}\n"));
    const QStringList data{u"--data"_s, path(u"pairs.jsonl"_s)};
    const QStringList bos{u"--window-start"_s, u"bos"_s};
    const Run none = checked(with(u"evaluate"_s, u"gpt2"_s, data));
    const Run counted = checked(with(u"evaluate"_s, u"gpt2"_s, data + bos));
    QVERIFY(none.json()[u"signature"].toString().contains(u"first-token:not counted"_s));
    QVERIFY(counted.json()[u"signature"].toString().contains(u"first-token:counted"_s));
    const double score = linesOf(checked(with(u"predict"_s, u"gpt2"_s, data + bos)))[0][u"score"].toDouble();
    const double byIds
        = linesOf(checked(with(u"predict"_s, u"gpt2"_s, {u"--data"_s, path(u"ids.jsonl"_s)})))[0][u"score"].toDouble();
    QVERIFY(std::abs(score - byIds) < 1e-5);
    QVERIFY(linesOf(checked(with(u"predict"_s, u"gpt2"_s, data)))[0][u"score"].toDouble() > score);
}

void TestCliNumbers::languageModelsSayWhatComesNext()
{
    QVERIFY(writeFile(path(u"next.txt"_s), "w5 w7 w9\nw1 w2\n"));
    const QStringList plain{u"--text-file"_s, path(u"next.txt"_s)};
    const auto lines = linesOf(checked(with(u"predict"_s, u"gpt2"_s, plain)));
    QCOMPARE(lines.size(), 2);
    for (int row = 0; row < 2; ++row) {
        const QString next = lines[row][u"text"].toString();
        QVERIFY(!next.isEmpty());
        // Put behind its text, it is the token that the model guesses there.
        const QString longer = (row == 0 ? u"w5 w7 w9 "_s : u"w1 w2 "_s) + next;
        QVERIFY(writeFile(path(u"longer.txt"_s), longer.toUtf8() + '\n'));
        const auto again = linesOf(checked(with(u"predict"_s, u"gpt2"_s, {u"--text-file"_s, path(u"longer.txt"_s)})));
        const int guessed = again[0][u"tokens"].toArray().last().toInt();
        QCOMPARE(next, guessed == 36 ? u"<|endoftext|>"_s : u"w%1"_s.arg(guessed));
    }
}

void TestCliNumbers::dataOfAnotherTask_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("hint");
    const QStringList source{u"--source"_s, path(u"s.txt"_s)};
    const QStringList both = source + QStringList{u"--reference"_s, path(u"r.txt"_s)};
    QTest::newRow("lines for a language model") << with(u"evaluate"_s, u"gpt2"_s, source) << QByteArray("--text-file");
    QTest::newRow("references for a language model")
        << with(u"evaluate"_s, u"gpt2"_s, both) << QByteArray("--text-file");
    QTest::newRow("prediction") << with(u"predict"_s, u"gpt2"_s, both) << QByteArray("--text-file");
    QTest::newRow("task of a classifier")
        << with(u"predict"_s, u"classifier"_s, source + QStringList{u"--task"_s, u"x"_s}) << QByteArray("--task");
}

void TestCliNumbers::dataOfAnotherTask()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, hint);
    QVERIFY(fails(arguments, 2, hint.constData()));
}

void TestCliNumbers::labelsAreNoTranslations()
{
    QVERIFY(writeFile(path(u"labels.tsv"_s), "sentence\tlabel\na man\t1\nthe dog\t0\n"));
    const QStringList data{u"--data"_s, path(u"labels.tsv"_s)};
    QVERIFY(fails(with(u"evaluate"_s, u"translator"_s, data), 3, "--label-column"));
    QCOMPARE(checked(with(u"predict"_s, u"translator"_s, data)).code, 0);
    // Who names the column means it.
    QCOMPARE(checked(with(u"evaluate"_s, u"translator"_s, data + QStringList{u"--label-column"_s, u"label"_s})).code,
             0);
    QVERIFY(writeFile(path(u"texts.tsv"_s), "sentence\tlabel\na man\ta dog\nthe dog\tthe man runs\n"));
    QCOMPARE(checked(with(u"evaluate"_s, u"translator"_s, {u"--data"_s, path(u"texts.tsv"_s)})).code, 0);
}

void TestCliNumbers::emptyReferencesAreSaid()
{
    QVERIFY(writeFile(path(u"empty.txt"_s), QByteArray("\n \n").repeated(6)));
    QVERIFY(fails(
        with(u"evaluate"_s, u"translator"_s, {u"--source"_s, path(u"s.txt"_s), u"--reference"_s, path(u"empty.txt"_s)}),
        3, "empty.txt are empty"));
    QVERIFY(writeFile(path(u"column.tsv"_s), "source\ttarget\na man\t\nthe dog\t\n"));
    QVERIFY(fails(with(u"evaluate"_s, u"translator"_s, {u"--data"_s, path(u"column.tsv"_s)}), 3, "\"target\""));
    QVERIFY(writeFile(path(u"hidden.tsv"_s), "sentence\tlabel\na man\t-1\nthe dog\t-1\n"));
    QVERIFY(fails(with(u"evaluate"_s, u"classifier"_s, {u"--data"_s, path(u"hidden.tsv"_s)}), 3, "hidden label"));
}

/// Weights that are no numbers give a message before anything is computed, never a zero or a role.
void TestCliNumbers::brokenWeightsGiveNoResult()
{
    QDir().mkpath(path(u"nan"_s));
    for (const QString &name : QDir(path(u"translator"_s)).entryList(QDir::Files))
        QVERIFY(QFile::copy(path(u"translator/"_s + name), path(u"nan/"_s + name)));
    QByteArray weights = readFile(path(u"nan/model.safetensors"_s));
    std::uint64_t header = 0;
    std::memcpy(&header, weights.constData(), sizeof header);
    const auto from = static_cast<qsizetype>(sizeof header + header);
    weights.replace(from, weights.size() - from, QByteArray(weights.size() - from, '\xFF'));
    QVERIFY(QFile::remove(path(u"nan/model.safetensors"_s)));
    QVERIFY(writeFile(path(u"nan/model.safetensors"_s), weights));
    const QStringList data{u"--source"_s, path(u"s.txt"_s), u"--reference"_s, path(u"r.txt"_s)};
    for (const QString &analysis :
         {u"evaluate"_s, u"ablate"_s, u"importance"_s, u"confidence"_s, u"gating"_s, u"relevance"_s, u"roles"_s})
        QVERIFY2(fails(with(analysis, u"nan"_s, data), 3, "gives no number on example"), qPrintable(analysis));
}

void TestCliNumbers::nothingChangedIsNoProof()
{
    const QStringList data{u"--source"_s,    path(u"s.txt"_s), u"--reference"_s,
                           path(u"r.txt"_s), u"--resamples"_s, u"20"_s};
    const Run same = checked(with(u"evaluate"_s, u"translator"_s, data + QStringList{u"--against"_s, QString()}));
    QCOMPARE(same.json()[u"against"][u"changed"].toInt(), 0);
    QVERIFY2(same.err.contains("3/12 = 25 %"), same.err.constData());
    const Run none = checked(with(u"ablate"_s, u"translator"_s,
                                  data.first(4) + QStringList{u"--resamples"_s, u"0"_s, u"--limit"_s, u"6"_s}));
    for (const QJsonValue &head : none.json()[u"heads"].toArray()) {
        for (const char *field : {"p", "p_adjusted", "ci_low", "ci_high"})
            QVERIFY2(head[QLatin1String(field)].isNull(), field);
    }
    const Run sweep = checked(
        with(u"ablate"_s, u"translator"_s, data + QStringList{u"--max-length"_s, u"2"_s})); // no room for a change
    QVERIFY2(sweep.err.contains("24 of 24 heads change none of the 12 outputs"), sweep.err.constData());
}

QTEST_GUILESS_MAIN(TestCliNumbers)
#include "tst_clinumbers.moc"
