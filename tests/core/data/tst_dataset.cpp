#include "tests/core/data/files.h"
#include "tests/support/shareddata.h"

#include <QProcess>
#include <QTest>

using namespace headscope;
using namespace headscope::testing;

class TestDataset : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void linesBelongTogether()
    {
        const Files files;
        const Dataset data = read(files.parallel("A dog .\nTwo cats\n", "Un chien .\nDeux chats\n"));
        QCOMPARE(data.name, std::string("set"));
        QCOMPARE(data.examples.size(), std::size_t{2});
        QCOMPARE(data.examples[1].source, std::string("Two cats"));
        QCOMPARE(data.examples[1].reference, std::string("Deux chats"));
        QCOMPARE(data.meanWords, 2.5);
        QVERIFY(data.warnings.empty());
        DataSource alone = files.parallel("a\n", "b\n");
        alone.reference.clear();
        QCOMPARE(read(alone).examples[0].reference, std::string());
    }

    void lineEndsOfTheTwoFilesMayDiffer()
    {
        const Files files;
        const Dataset data = read(files.parallel("a\r\nb\r\n", "\xEF\xBB\xBF"
                                                               "c\nd"));
        QCOMPARE(data.examples[0].source, std::string("a"));
        QCOMPARE(data.examples[0].reference, std::string("c"));
    }

    void limitTakesTheFirstRows()
    {
        const Files files;
        DataSource source = files.parallel("a b\nc\nd\n", "1\n2\n3\n");
        source.limit = 2;
        const Dataset data = read(source);
        QCOMPARE(data.examples.size(), std::size_t{2});
        QCOMPARE(data.meanWords, 1.5);
        QCOMPARE(data.origin, source);
        source.limit = 10;
        QCOMPARE(read(source).examples.size(), std::size_t{3});
        source.limit = -1;
        QVERIFY(has(errorOf(source), "negative"));
    }

    void limitReadsNoMoreThanItNeeds()
    {
        const Files files;
        DataSource source = files.parallel("a b\nc\n\xE9t\xE9\n", "1\n2\n3\n4\n5\n");
        source.limit = 2;
        const Dataset data = read(source);
        QCOMPARE(data.hash, read(files.parallel("a b\nc\n", "1\n2\n")).hash);
        source = files.parallel("a\nb\nc\n", "d\n");
        source.limit = 2;
        QVERIFY(has(errorOf(source), "set.en has at least 2 lines but "));
    }

    void limitLeavesTheRestPacked()
    {
        const auto packed = [](const QByteArray &bytes) {
            QProcess process;
            process.start(QStringLiteral("gzip"), {QStringLiteral("-c")});
            process.write(bytes);
            process.closeWriteChannel();
            return process.waitForFinished() ? process.readAllStandardOutput().toStdString() : std::string();
        };
        constexpr int kLarge = 24 << 20;
        std::string lines = packed("a\nb\nc\n" + QByteArray(kLarge, '\n'));
        if (lines.empty())
            QSKIP("no gzip here");
        lines.resize(lines.size() - 60); // what is beyond cannot be unpacked
        const Files files;
        DataSource source;
        source.source = files.write("set.en.gz", lines);
        QVERIFY(has(errorOf(source), "cannot be unpacked"));
        source.limit = 2;
        QCOMPARE(read(source).examples.size(), std::size_t{2});
        source.source = files.write("bomb.en.gz", packed(QByteArray(kLarge, 'a'))); // one line, as it says
        QVERIFY(has(errorOf(source), "holds more than 18 MiB"));
        source.limit = 0;
        QCOMPARE(read(source).examples.front().source.size(), std::size_t{kLarge});
    }

    void hashIsOfTheContent()
    {
        const Files files;
        const std::string one = read(files.parallel("a\nb\n", "c\nd\n")).hash;
        QCOMPARE(read(files.parallel("a\r\nb", "c\nd")).hash, one);
        QVERIFY(read(files.parallel("a\nb\n", "c\ne\n")).hash != one);
        QVERIFY(read(files.parallel("ab\n\n", "c\nd\n")).hash != one);
    }

    void badParallelFilesAreExplained()
    {
        const Files files;
        DataSource source = files.parallel("a\nb\nc\n", "d\ne\n");
        QVERIFY(has(errorOf(source), "set.en has 3 lines but "));
        QVERIFY(has(errorOf(source), "set.fr has 2"));
        QVERIFY(has(errorOf(files.parallel("", "d\n")), "set.en is empty"));
        QVERIFY(has(errorOf(files.parallel("a\n", "")), "set.fr is empty"));
        QVERIFY(has(errorOf(files.parallel("a\n\xE9t\xE9\n", "d\ne\n")), "set.en is not UTF-8 text: line 2"));
        source = files.parallel("a\n", "d\n");
        source.reference = "/no/such/file.fr";
        QVERIFY(has(errorOf(source), "/no/such/file.fr"));
    }

    void oddThingsAreWarnings()
    {
        const Files files;
        const auto warnings = read(files.parallel("a\n \n\nb\n", "c\nd\n\ne\n")).warnings;
        QCOMPARE(warnings, (std::vector<std::string>{"2 empty source texts, the first is row 2",
                                                     "1 empty reference text, the first is row 3"}));
        QVERIFY(has(read(files.parallel("a\nb\n", "a\nb\n")).warnings.at(0), "same text"));
    }

    void tables_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("bytes");
        const char *tsv = "id\ttext\tlabel\tmore\n1\ta \"b\"\tc, d\tx\n2\te\tf\ty\n";
        QTest::newRow("tsv") << QByteArray("set.tsv") << QByteArray(tsv);
        QTest::newRow("csv") << QByteArray("set.csv")
                             << QByteArray("id,text,label,more\r\n1,\"a \"\"b\"\"\",\"c, d\",x\r\n2,e,f,y\r\n");
        QTest::newRow("jsonl") << QByteArray("set.jsonl")
                               << QByteArray("{\"text\": \"a \\\"b\\\"\", \"label\": \"c, d\", \"more\": \"x\"}\n\n"
                                             "{\"more\": \"y\", \"label\": \"f\", \"text\": \"e\"}\n");
    }

    void tables()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, bytes);
        const Files files;
        DataSource source = files.table(name.toStdString(), bytes.toStdString());
        const Dataset data = read(source);
        QCOMPARE(data.name, std::string("set"));
        QCOMPARE(data.examples.size(), std::size_t{2});
        QCOMPARE(data.examples[0].source, std::string("a \"b\""));
        QCOMPARE(data.examples[0].reference, std::string("c, d"));
        source.textColumn = "label";
        source.labelColumn = "text";
        source.pairColumn = "more";
        const Example example = read(source).examples[1];
        QCOMPARE(example.source, std::string("f"));
        QCOMPARE(example.reference, std::string("e"));
        QCOMPARE(example.pair, std::string("y"));
        source.labelColumn = "absent";
        QVERIFY(has(errorOf(source), "\"absent\""));
    }

    void jsonLinesMayCarryIds()
    {
        const Files files;
        const Dataset data = read(
            files.table("ids.jsonl", "{\"input_ids\": [1, 2, 0], \"labels\": [3, 0]}\n"
                                     "{\"input_ids\": [4], \"token_type_ids\": [0], \"labels\": 1, \"label\": 1}\n"));
        QCOMPARE(data.examples[0].inputIds, (std::vector<std::int64_t>{1, 2, 0}));
        QCOMPARE(data.examples[0].labels, (std::vector<std::int64_t>{3, 0}));
        QCOMPARE(data.examples[1].labels, std::vector<std::int64_t>{1});
        QCOMPARE(data.examples[1].tokenTypeIds, std::vector<std::int64_t>{0});
        QCOMPARE(data.examples[1].reference, std::string("1"));
        QCOMPARE(data.meanWords, 0.0);
    }

    void badTablesAreExplained_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char *what, const char *name, const char *bytes, const char *reason) {
            QTest::newRow(what) << QByteArray(name) << QByteArray(bytes) << QByteArray(reason);
        };
        row("unknown ending", "a.xls", "text\na\n", ".tsv, .txt, .csv or .jsonl");
        row("empty tsv", "a.tsv", "", "is empty");
        row("empty csv", "a.csv", "\n\n", "is empty");
        row("empty jsonl", "a.jsonl", "\n", "is empty");
        row("only names", "a.tsv", "text\tlabel\n", "no rows");
        row("no text column", "a.tsv", "x\ty\n1\t2\n", "it has: x, y");
        row("ragged row", "a.tsv", "text\tlabel\na\tb\nc\n", "row 2 has 1 columns instead of 2");
        row("open quote", "a.csv", "text\n\"a\n", "line 2");
        row("bad JSON", "a.jsonl", "{\"text\": \"a\"}\n{\"text\": }\n", "line 2");
        row("no object", "a.jsonl", "[1]\n", "line 1 is not a JSON object");
        row("no text", "a.jsonl", "{\"x\": \"a\"}\n", "neither a text nor input_ids");
        row("text is a list", "a.jsonl", "{\"text\": [\"a\"]}\n", "instead of a list");
        row("ids are texts", "a.jsonl", "{\"input_ids\": [\"a\"]}\n", "whole numbers");
        row("ids are fractions", "a.jsonl", "{\"input_ids\": [1.5]}\n", "whole numbers");
        row("type ids too short", "a.jsonl", "{\"input_ids\": [1, 2], \"token_type_ids\": [0]}\n", "differ in length");
        row("invalid UTF-8", "a.tsv", "text\n\xFF\n", "UTF-8");
    }

    void badTablesAreExplained()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, reason);
        const Files files;
        const DataSource source = files.table(name.toStdString(), bytes.toStdString());
        QVERIFY(has(errorOf(source), reason.toStdString()));
        QVERIFY(has(errorOf(source), name.toStdString()));
    }

    void treebanksAreReadAsText()
    {
        const Files files;
        DataSource source;
        const auto token = [](const char *id, const char *word, const char *misc) {
            return std::string(id) + '\t' + word + "\t_\t_\t_\t_\t_\t_\t_\t" + misc + '\n';
        };
        source.conllu = files.write(
            "set.conllu", "# text = Bonjour !\n" + token("1", "Bonjour", "_") + token("2", "!", "_") + '\n'
                              + token("1-2", "Du", "_") + token("1", "De", "_") + token("2", "le", "_")
                              + token("3", "pain", "SpaceAfter=No") + token("3.1", "x", "_") + token("4", ".", "_"));
        const Dataset data = read(source);
        QCOMPARE(data.examples.size(), std::size_t{2});
        QCOMPARE(data.examples[0].source, std::string("Bonjour !"));
        QCOMPARE(data.examples[1].source, std::string("Du pain."));
        // Spreadsheets and editors leave blanks in the lines between sentences.
        for (const char *between : {"\t", " ", "\t\t\t"}) {
            source.conllu
                = files.write("set.conllu", token("1", "a", "_") + between + '\n' + token("1", "b", "_") + between);
            QCOMPARE(read(source).examples.size(), 2U);
        }
        source.conllu = files.write("set.conllu", "# text = a\n1\ta\n");
        QVERIFY(has(errorOf(source), "line 2 is a line without the ten columns"));
        source.conllu = files.write("set.conllu", "\n");
        QVERIFY(has(errorOf(source), "is empty"));
    }

    void treesComeWithTheirText()
    {
        const Files files;
        const auto word = [](const char *id, const char *form, const char *tag, const char *head,
                             const char *relation) {
            return std::string(id) + '\t' + form + "\t_\t" + tag + "\t_\t_\t" + head + '\t' + relation + "\t_\t_\n";
        };
        const std::string sentence = "# text = Il  mange du pain.\n" + word("1", "Il", "PRON", "2", "nsubj:pass")
                                   + word("2", "mange", "VERB", "0", "root") + word("3-4", "du", "_", "_", "_")
                                   + word("3", "de", "ADP", "5", "case") + word("4", "le", "DET", "5", "det")
                                   + word("5", "pain", "NOUN", "2", "obj") + word("6", ".", "PUNCT", "2", "punct")
                                   + '\n';
        DataSource source;
        source.conllu = files.write("t.conllu", sentence + sentence);
        const Dataset alone = read(source);
        const SentenceTree &tree = alone.examples[0].tree;
        QCOMPARE(tree.size(), std::size_t{6});
        QCOMPARE(tree[0], (TreeWord{"Il", "PRON", 1, "nsubj", 0, 2}));
        QCOMPARE(tree[1].head, -1);
        QCOMPARE(tree[2], (TreeWord{"de", "ADP", 4, "case", 10, 12}));
        QCOMPARE(tree[3], (TreeWord{"le", "DET", 4, "det", 10, 12})); // both are written as one
        QCOMPARE(tree[5].begin, std::size_t{17});
        QVERIFY(!alone.treesHash.empty());

        // Beside lines of text that have other blanks, which changes no hash of the texts
        DataSource both = files.parallel("Il mange du pain .\nIl mange du pain.\n", "a\nb\n");
        const Dataset without = read(both);
        QVERIFY(without.treesHash.empty());
        both.conllu = source.conllu;
        const Dataset beside = read(both);
        QCOMPARE(beside.hash, without.hash);
        QCOMPARE(beside.examples[0].reference, std::string("a"));
        QCOMPARE(beside.examples[0].tree[5], (TreeWord{".", "PUNCT", 1, "punct", 17, 18}));
        QCOMPARE(beside.examples[1].tree[5].begin, std::size_t{16});

        // With translations of its own sentences
        source.reference = files.write("refs.txt", "x\ny\n");
        QCOMPARE(read(source).examples[1].reference, std::string("y"));
        source.reference = files.write("refs.txt", "x\n");
        QVERIFY(has(errorOf(source), "1 lines for the 2 sentences"));

        both = files.parallel("Il mange du pain.\nElle dort.\n", "a\nb\n");
        both.conllu = source.conllu;
        QVERIFY(has(errorOf(both), "row 2 of the data \"Elle dort.\""));
        both = files.parallel("Il mange du pain.\n", "a\n");
        both.conllu = source.conllu;
        QVERIFY(has(errorOf(both), "2 trees for 1 rows"));
        source.reference.clear();
        source.conllu = files.write("t.conllu", word("1", "a", "X", "7", "dep") + '\n');
        QVERIFY(has(errorOf(source), "\"a\" depends on word 7"));
        source.conllu = files.write("t.conllu", word("2", "a", "X", "0", "root") + '\n');
        QVERIFY(has(errorOf(source), "word 2 where word 1 was expected"));
        source.conllu = files.write("t.conllu", "# text = other\n" + word("1", "a", "X", "0", "root") + '\n');
        QCOMPARE(read(source).examples[0].tree[0].end, std::size_t{0}); // a tree that is not of its text has no places
    }

    void oneFormOfDataIsNeeded()
    {
        QCOMPARE(readDataset({}).error().code, ErrorCode::Usage);
        const Files files;
        DataSource source = files.parallel("a\n", "b\n");
        source.table = "x.tsv";
        QCOMPARE(readDataset(source).error().code, ErrorCode::Usage);
        DataSource reference;
        reference.table = "x.tsv";
        reference.reference = "y";
        QCOMPARE(readDataset(reference).error().code, ErrorCode::Usage);
    }

    void cancelIsNotAFailure()
    {
        const Files files;
        std::stop_source stop;
        stop.request_stop();
        const JobControl control(stop.get_token());
        QVERIFY(readDataset(files.parallel("a\n", "b\n"), control).isCancelled());
        QVERIFY(readDataset(files.table("a.jsonl", "{\"text\": \"a\"}\n"), control).isCancelled());
        QVERIFY(previewData(files.table("a.tsv", "text\na\n"), control).isCancelled());
    }

    void previewShowsTheFirstRows()
    {
        const Files files;
        std::string lines;
        for (int i = 0; i < 12; ++i)
            lines += "a b\n";
        const DataPreview preview = previewData(files.parallel(lines, lines), {}).valueOrThrow();
        QCOMPARE(preview.rows, 12);
        QCOMPARE(preview.first.size(), std::size_t{10});
        QCOMPARE(preview.first[0].reference, std::string("a b"));
        QCOMPARE(preview.meanWords, 2.0);
        QCOMPARE(preview.warnings.size(), std::size_t{1});
        QVERIFY(previewData(files.parallel("a\n", "b\nc\n"), {}).isError());
    }

    void realDataAreRead()
    {
        DataSource source;
        source.source = sharedData("data/multi30k/test_2016_flickr.en.gz").string();
        source.reference = sharedData("data/multi30k/test_2016_flickr.fr.gz").string();
        if (source.source.empty() || source.reference.empty())
            QSKIP("the real data are not on this machine (HEADSCOPE_SHARED)");
        const Dataset data = read(source);
        QCOMPARE(data.name, std::string("test_2016_flickr"));
        QCOMPARE(data.examples.size(), std::size_t{1000});
        QVERIFY(data.meanWords > 5 && data.meanWords < 30);
    }
};

QTEST_GUILESS_MAIN(TestDataset)
#include "tst_dataset.moc"
