#include "core/data/datasource.h"
#include "tests/core/data/files.h"

#include <QTest>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

using namespace headscope;
using namespace headscope::testing;

namespace {

using Names = std::vector<std::string>;

/// Names of the columns in use, for one comparison.
std::string used(const TableColumns &columns)
{
    return columns.text + "/" + columns.pair + "/" + columns.label;
}

std::string tabbed(std::string text)
{
    std::replace(text.begin(), text.end(), ';', '\t');
    return text;
}

} // namespace

class TestTables : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void quotedTablesAreNoticed_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("noticed");
        const auto row = [](const char *name, const char *text, bool noticed) {
            QTest::newRow(name) << QByteArray(text) << noticed;
        };
        row("pandas, what needs it", "text;label\ngood;1\n\"\"\"no, \"\" he said\";0\n", true);
        row("pandas, all", "text;label\n\"good\";\"1\"\n\"bad\";\"0\"\n", true);
        row("no marks", "text;label\ngood;1\n", false);
        row("speech", "text;label\n\"Good\";1\nbad;0\n", false);
        row("inches", "text;label\na 3\" nail;1\n\"so \"\"good\"\"\";0\n", false);
    }

    void quotedTablesAreNoticed()
    {
        QFETCH(QByteArray, text);
        QFETCH(bool, noticed);
        const Files files;
        DataSource source = files.table("t.tsv", tabbed(text.toStdString()));
        const Dataset raw = read(source);
        const bool said = std::any_of(raw.warnings.begin(), raw.warnings.end(), [](const std::string &warning) {
            return warning.find("--quoted") != std::string::npos;
        });
        QCOMPARE(said, noticed);
        source.quoted = true;
        if (noticed)
            QVERIFY(read(source).warnings.empty());
    }

    void quotedNamesAreHintedAt()
    {
        const Files files;
        QVERIFY(has(errorOf(files.table("t.tsv", tabbed("\"text\";\"label\"\n\"a\";\"1\"\n"))), "add --quoted"));
    }

    /// A second text may be empty; a row that lacks it is no pair.
    void emptySecondTexts()
    {
        const Files files;
        const Dataset rows = read(files.table("t.tsv", tabbed("sentence1;sentence2;label\na;;1\nb;c;0\n")));
        QVERIFY(rows.examples[0].secondText() == std::string_view());
        QVERIFY(rows.examples[1].secondText() == std::string_view("c"));
        const Dataset lines = read(files.table("t.jsonl", "{\"text\": \"a\", \"text_pair\": \"\"}\n{\"text\": \"a\"}\n"
                                                          "{\"text\": \"a\", \"text_pair\": null}\n"));
        QVERIFY(lines.examples[0].secondText().has_value());
        QVERIFY(!lines.examples[1].secondText() && !lines.examples[2].secondText());
        const auto hashOf = [&](const char *line) { return read(files.table("u.jsonl", line)).hash; };
        QVERIFY(hashOf("{\"text\": \"a\", \"text_pair\": \"\"}\n") != hashOf("{\"text\": \"a\"}\n"));
    }

    void prefixesStandBeforeSources()
    {
        const Files files;
        DataSource source = files.parallel("a b\n\n", "x\ny\n");
        const Dataset plain = read(source);
        source.sourcePrefix = "translate English to German: ";
        const Dataset data = read(source);
        QCOMPARE(data.examples[0].source, std::string("translate English to German: a b"));
        QCOMPARE(data.examples[0].reference, std::string("x"));
        QVERIFY(data.hash != plain.hash);
        QCOMPARE(data.warnings, plain.warnings); // of the empty line
        QCOMPARE(data.meanWords, plain.meanWords);
        source.conllu
            = files.write("t.conllu", "1\ta\t_\tNOUN\t_\t_\t0\troot\t_\t_\n2\tb\t_\tNOUN\t_\t_\t1\tdep\t_\t_\n\n");
        source.source = files.write("one.en", "a b\n");
        source.reference.clear();
        const Dataset trees = read(source);
        const TreeWord &word = trees.examples[0].tree.at(1);
        QCOMPARE(trees.examples[0].source.substr(word.begin, word.end - word.begin), std::string("b"));
        DataSource running;
        running.text = files.write("t.txt", "a\n");
        running.sourcePrefix = "x";
        QVERIFY(has(errorOf(running), "--source-prefix"));
        DataSource ids = files.table("ids.jsonl", "{\"input_ids\": [1]}\n");
        ids.sourcePrefix = "x";
        QVERIFY(has(errorOf(ids), "input_ids"));
    }

    /// EAP-IG's tables (Hanna et al. 2024): answers are ids of tokens.
    void tablesOfEapIg()
    {
        const Files files;
        const Dataset data = read(files.table("ioi.csv", "clean,corrupted,correct_idx,incorrect_idx\n"
                                                         "John gave it to,Mary gave it to,5335,1757\n"));
        QVERIFY(data.columns.answersAreIds);
        const Example &pair = data.examples.front();
        QCOMPARE(pair.source, std::string("John gave it to"));
        QCOMPARE(pair.corrupt, std::string("Mary gave it to"));
        QCOMPARE(pair.reference, std::string("5335"));
        QCOMPARE(pair.wrongAnswer, std::string("1757"));
    }

    /// Lines of the MIB benchmark (Mueller et al. 2025).
    void linesOfMib()
    {
        const Files files;
        const auto line = [&](const std::string &counterfactuals, int key = 1) {
            return files.table("mib.jsonl", "{\"prompt\": \"a\", \"choices\": [\"Ann\", \"Bob\"], \"answerKey\": "
                                                + std::to_string(key) + counterfactuals + "}\n");
        };
        const std::string other = R"({"prompt": "b", "choices": ["Cid", "Dan"], "answerKey": 0})";
        const Example pair = read(line(", \"abc_counterfactual\": " + other)).examples.front();
        QCOMPARE(pair.source, std::string("a"));
        QCOMPARE(pair.corrupt, std::string("b"));
        QCOMPARE(pair.reference, std::string("Bob"));
        QCOMPARE(pair.wrongAnswer, std::string("Cid"));
        QVERIFY(has(errorOf(line(", \"x_counterfactual\": " + other + ", \"y_counterfactual\": " + other)),
                    "x_counterfactual, y_counterfactual"));
        QVERIFY(has(errorOf(line(", \"x_counterfactual\": " + other, 2)), "answerKey"));
    }

    void usualColumns_data()
    {
        QTest::addColumn<QByteArray>("header");
        QTest::addColumn<QByteArray>("columns");
        const auto row = [](const char *name, const char *header, const char *columns) {
            QTest::newRow(name) << QByteArray(header) << QByteArray(columns);
        };
        row("SST-2", "sentence;label", "sentence//label");
        row("RTE, WNLI", "index;sentence1;sentence2;label", "sentence1/sentence2/label");
        row("MRPC", "Quality;#1 ID;#2 ID;#1 String;#2 String", "#1 String/#2 String/Quality");
        row("QQP", "id;qid1;qid2;question1;question2;is_duplicate", "question1/question2/is_duplicate");
        row("QNLI", "index;question;sentence;label", "question/sentence/label");
        row("STS-B", "index;genre;source1;source2;sentence1;sentence2;score", "sentence1/sentence2/score");
        row("MNLI", "index;sentence1_parse;sentence1;sentence2;label1;label2;gold_label",
            "sentence1/sentence2/gold_label");
        row("ANLI", "premise;hypothesis;label", "premise/hypothesis/label");
        row("transformers", "text;text_pair;label", "text/text_pair/label");
        row("counterfactual IMDB", "Sentiment;Text", "Text//Sentiment");
        row("translation", "source;target", "source//target");
        row("half a pair", "sentence2;sentence1x;premise", "premise//");
    }

    void usualColumns()
    {
        QFETCH(QByteArray, header);
        QFETCH(QByteArray, columns);
        const Files files;
        const std::string text = tabbed(header.toStdString());
        std::string row = text;
        std::replace_if(
            row.begin(), row.end(), [](char c) { return c != '\t'; }, 'x');
        const Dataset data = read(files.table("a.tsv", text + '\n' + row + '\n'));
        QCOMPARE(used(data.columns), columns.toStdString());
        QCOMPARE(data.examples[0].pair.empty(), data.columns.pair.empty());
    }

    void theUserChoosesColumns()
    {
        const Files files;
        const char *table = "sentence1;sentence2;premise;hypothesis;label;x\na;b;c;d;e;f\n";
        DataSource source = files.table("a.tsv", tabbed(table));
        source.textColumn = "premise";
        QCOMPARE(used(read(source).columns), std::string("premise/hypothesis/label"));
        source.pairColumn = "none";
        QCOMPARE(used(read(source).columns), std::string("premise//label"));
        source.pairColumn = "x";
        QCOMPARE(read(source).examples[0].pair, std::string("f"));
        source.labelColumn = "none";
        QVERIFY(read(source).examples[0].reference.empty());
        source.textColumn = "x";
        source.pairColumn.clear();
        source.labelColumn = "premise";
        QCOMPARE(used(read(source).columns), std::string("x//premise"));
        source.textColumn = "sentence1";
        source.labelColumn = "sentence2"; // not both label and second text
        QCOMPARE(used(read(source).columns), std::string("sentence1//sentence2"));
        source.pairColumn = "4";
        QVERIFY(has(errorOf(source), "no column \"4\"; it has: sentence1, sentence2, premise, hypothesis, label, x. "
                                     "Columns are called by numbers only with --no-header"));
    }

    void pairsInJson()
    {
        const Files files;
        DataSource source = files.table("a.jsonl", "{\"premise\": \"a\", \"hypothesis\": \"b\", \"label\": 1}\n"
                                                   "{\"label\": 0, \"premise\": \"c\", \"extra\": null}\n");
        const Dataset data = read(source);
        QCOMPARE(data.columns.names, (Names{"extra", "hypothesis", "label", "premise"}));
        QCOMPARE(used(data.columns), std::string("premise/hypothesis/label"));
        QCOMPARE(data.examples[0].pair, std::string("b"));
        QCOMPARE(data.examples[1].pair, std::string());
        QCOMPARE(data.warnings, Names{"1 empty second text, the first is row 2"});
        source.pairColumn = "none";
        QCOMPARE(read(source).examples[0].pair, std::string());
    }

    void tablesWithoutHeader()
    {
        const Files files;
        const std::string cola = tabbed("gj04;1;;It rained.\ngj04;0;*;Rained it.\n");
        DataSource source = files.table("a.tsv", cola);
        QVERIFY(has(errorOf(source), "a.tsv: which column is the text? Give --text-column; it has: gj04, 1, , It "
                                     "rained.. If these are no names but the first row, add --no-header"));
        source.header = false;
        QVERIFY(has(errorOf(source), "it has: 1 (gj04), 2 (1), 3 (), 4 (It rained.)"));
        source.textColumn = "5";
        QVERIFY(has(errorOf(source) + "|", "no column \"5\"; it has: 1, 2, 3, 4|"));
        source.textColumn = "4";
        source.labelColumn = "2";
        const Dataset data = read(source);
        QCOMPARE(data.columns.names, (Names{"1", "2", "3", "4"}));
        QCOMPARE(data.examples.size(), std::size_t{2});
        QCOMPARE(data.examples[0].source, std::string("It rained."));
        QCOMPARE(data.examples[1].reference, std::string("0"));
        source.table = files.write("b.tsv", cola + "x\n");
        QVERIFY(has(errorOf(source), "b.tsv: row 3 has 1 columns instead of 4"));
        source.table = files.write("b.tsv", "");
        QVERIFY(has(errorOf(source), "rows were expected"));
    }

    void longFirstRowsAreCutInMessages()
    {
        const Files files;
        const std::string text = std::string(39, 'x') + "é" + std::string(100, 'y'); // é lies over the cut
        const std::string error = errorOf(files.table("a.tsv", text + "\t1\n"));
        QVERIFY(has(error, std::string(39, 'x') + "é…, 1. If"));
    }

    void longHeadersAreCutInMessages()
    {
        const Files files;
        std::string header = "x";
        for (int i = 0; i < 99; ++i)
            header += "\tx";
        QVERIFY(has(errorOf(files.table("a.tsv", header + "\n")), ", x, … (100 in all). If"));
    }

    void textFilesAreTables()
    {
        const Files files;
        DataSource source = files.table("a.txt", "Great phone.\t1\r\"Bad\" one.\t0\r");
        source.header = false;
        source.textColumn = "1";
        source.labelColumn = "2";
        QCOMPARE(read(source).examples[1].source, std::string("\"Bad\" one."));
    }

    void spreadsheetsQuoteFields()
    {
        const Files files;
        const char *table = "sentence\tlabel\r\n\"two\nlines, \"\"one\"\" tab\t.\"\t1\r\nplain\t0\r\n";
        DataSource source = files.table("a.tsv", table);
        QVERIFY(has(errorOf(source), "row 1 has 1 columns instead of 2; if its texts are in quotation marks"));
        QVERIFY(has(errorOf(source), "--quoted"));
        source.quoted = true;
        const Dataset data = read(source);
        QCOMPARE(data.examples.size(), std::size_t{2});
        QCOMPARE(data.examples[0].source, std::string("two\nlines, \"one\" tab\t."));
    }

    /// The first rows are the same however little of the file is read for them.
    void limitsReadOnlyWhatTheyNeed()
    {
        const Files files;
        std::string tsv = "sentence\tgold_label\n";
        std::string csv = "sentence,gold_label\n";
        for (int i = 0; i < 500; ++i) {
            tsv += "text " + std::to_string(i) + "\t" + (i % 3 == 0 ? "-" : "yes") + "\n";
            csv += "\"text " + std::to_string(i) + "\non two lines\",yes\n";
        }
        for (const auto &[name, text] : {std::pair("a.tsv", tsv), std::pair("a.csv", csv)}) {
            DataSource source = files.table(name, text);
            const Dataset all = readDataset(source).value();
            source.limit = 40;
            const Dataset first = readDataset(source).value();
            QCOMPARE(first.examples.size(), std::size_t{40});
            QVERIFY(std::equal(first.examples.begin(), first.examples.end(), all.examples.begin()));
        }
        DataSource damaged = files.table("b.tsv", tsv + "one\ttoo\tmany\n");
        QVERIFY(readDataset(damaged).isError());
        damaged.limit = 40; // what is wrong further on is not read
        QVERIFY(readDataset(damaged).isOk());
    }

    void samplesAreDrawnBySeed()
    {
        const Files files;
        std::string text = "sentence\tlabel\n";
        for (int i = 0; i < 100; ++i)
            text += std::to_string(i) + "\t" + (i < 50 ? "a" : "b") + "\n";
        DataSource source = files.table("sorted.tsv", text);
        source.sample = 30;
        const Dataset one = readDataset(source).value();
        QCOMPARE(one.examples.size(), std::size_t{30});
        QVERIFY(one.examples == readDataset(source).value().examples);
        const auto ofA = std::ranges::count(one.examples, std::string("a"), &Example::reference);
        QVERIFY(ofA > 5 && ofA < 25); // not the first thirty, which are all of one label
        QVERIFY(std::ranges::is_sorted(one.examples, {}, [](const Example &row) { return std::stoi(row.source); }));
        source.sampleSeed = 2;
        QVERIFY(one.hash != readDataset(source).value().hash);
        source.limit = 5;
        QVERIFY(readDataset(source).isError()); // one of the two
    }

    void rowsWithoutGoldLabelAreLeftOut()
    {
        const Files files;
        const Dataset tsv = read(files.table("a.tsv", tabbed("sentence1;sentence2;gold_label\na;b;-\nc;d;neutral\n")));
        QCOMPARE(tsv.examples.size(), std::size_t{1});
        QCOMPARE(tsv.warnings, Names{"1 row without a gold label (\"-\") left out"});
        const std::string none = "{\"sentence1\": \"a\", \"sentence2\": \"b\", \"gold_label\": \"-\"}\n";
        DataSource source = files.table("a.jsonl", none + none + "{\"text\": \"x\", \"label\": \"-\"}\n");
        QCOMPARE(read(source).examples.size(), std::size_t{1}); // "label" may mean what it says
        QCOMPARE(read(source).warnings.at(0), std::string("2 rows without a gold label (\"-\") left out"));
        source.table = files.write("b.jsonl", none);
        QVERIFY(has(errorOf(source), "b.jsonl has no row with a gold label"));
    }

    void labelsInJson_data()
    {
        using Ids = QList<int>;
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QByteArray>("reference");
        QTest::addColumn<Ids>("labels");
        const auto row = [](const char *json, const char *reference, const Ids &labels) {
            QTest::newRow(json) << QByteArray(json) << QByteArray(reference) << labels;
        };
        row(R"("label": 1)", "1", {});
        row(R"("label": "joy")", "joy", {});
        row(R"("label": 1.5)", "1.5", {});
        row(R"("label": true)", "true", {});
        row(R"("label": null)", "", {});
        row(R"("label": [2, 0])", "", {2, 0});
        row(R"("label": [0.0, 1.0])", "", {0, 1});
        row(R"("label": ["joy", "fear"])", "joy,fear", {});
        row(R"("label": ["joy", 1])", "joy,1", {});
        row(R"("labels": 1)", "", {1});
        row(R"("labels": [1])", "", {1});
        row(R"("labels": "joy")", "joy", {});
        row(R"("labels": ["joy", "fear"])", "joy,fear", {});
        row(R"("labels": 2.5)", "2.5", {});
        row(R"("labels": [])", "", {});
        row(R"("labels": [3, 4], "label": "joy")", "joy", {3, 4});
    }

    void labelsInJson()
    {
        QFETCH(QByteArray, json);
        QFETCH(QByteArray, reference);
        QFETCH(QList<int>, labels);
        const Files files;
        const std::string line = "{\"text\": \"a\", " + json.toStdString() + "}\n";
        const Example example = read(files.table("a.jsonl", line)).examples[0];
        QCOMPARE(example.reference, reference.toStdString());
        QCOMPARE(example.labels, (std::vector<std::int64_t>(labels.begin(), labels.end())));
    }

    void labelsThatAreNone()
    {
        const Files files;
        for (const char *line : {"{\"text\": \"a\", \"label\": [[1]]}\n", "{\"text\": \"a\", \"label\": {}}\n"})
            QVERIFY(has(errorOf(files.table("a.jsonl", line)), "line 1: a text or number"));
    }

    void labelMapIsNotPartOfTheHash()
    {
        const Files files;
        DataSource source = files.table("a.tsv", "text\tlabel\na\tx\n");
        const std::string hash = read(source).hash;
        source.labelMap = "x=1";
        QCOMPARE(read(source).hash, hash);
    }

    /// Studies name data sets by these: they must not change.
    void hashesStay()
    {
        const Files files;
        QCOMPARE(read(files.table("a.tsv", "text\tlabel\na\tx\nb\ty\n")).hash,
                 std::string("9e6c5b392d6477e3ae17aff823f899a2"));
        QCOMPARE(read(files.table("a.jsonl", "{\"input_ids\": [1, 2, 0], \"labels\": [3, 0]}\n"
                                             "{\"text\": \"a\", \"label\": 1}\n"))
                     .hash,
                 std::string("5f81351434e3dc321b3c650816c7ccae"));
    }

    void previewOfATable()
    {
        const Files files;
        const std::string text = tabbed("sentence1;sentence2;label\na;b;no\nc;d;yes\ne;f;no\n");
        const DataPreview preview = previewData(files.table("a.tsv", text), {}).valueOrThrow();
        QCOMPARE(preview.columns, (Names{"sentence1", "sentence2", "label"}));
        QCOMPARE(preview.textColumn + preview.pairColumn + preview.labelColumn, std::string("sentence1sentence2label"));
        QCOMPARE(preview.labels, (std::vector<LabelCount>{{"no", 2}, {"yes", 1}}));
        QCOMPARE(preview.first[1].source + preview.first[1].pair + preview.first[1].reference, std::string("cdyes"));
        const DataSource list = files.table("a.jsonl", "{\"text\": \"a\", \"labels\": [0, 2]}\n");
        const DataPreview lists = previewData(list, {}).valueOrThrow();
        QCOMPARE(lists.labels, (std::vector<LabelCount>{{"0,2", 1}}));
        QCOMPARE(lists.first[0].reference, std::string("0,2"));
        std::string many = "text\tlabel\n";
        for (int i = 0; i < 51; ++i)
            many += "a\t" + std::to_string(i) + "\n";
        QVERIFY(previewData(files.table("b.tsv", many), {}).valueOrThrow().labels.empty());
        // Which column is the text? The preview gives the choice.
        const DataPreview unknown = previewData(files.table("c.tsv", "one\ttwo\na\tb\n"), {}).valueOrThrow();
        QCOMPARE(unknown.columns, (std::vector<std::string>{"one", "two"}));
        QCOMPARE(unknown.rows, 0);
        QVERIFY(unknown.warnings.size() == 1 && has(unknown.warnings[0], "which column is the text"));
    }
};

QTEST_GUILESS_MAIN(TestTables)
#include "tst_tables.moc"
