#include "core/data/readers.h"
#include "core/data/windows.h"
#include "tests/core/data/files.h"

#include <QByteArrayList>
#include <QTest>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

namespace {

using Names = std::vector<std::string>;
using Ids = std::vector<std::int64_t>;

Ids idsUpTo(std::int64_t count)
{
    Ids ids(static_cast<std::size_t>(count));
    std::iota(ids.begin(), ids.end(), 100);
    return ids;
}

Names textsOf(const Dataset &data)
{
    Names texts;
    for (const Example &example : data.examples)
        texts.push_back(example.source);
    return texts;
}

/// Which tokens of the text are counted, in this order.
Ids countedPlaces(const std::vector<TokenWindow> &windows)
{
    Ids places;
    for (const TokenWindow &window : windows) {
        for (std::int64_t i = window.firstCounted; i < std::ssize(window.ids); ++i)
            places.push_back(window.begin + i);
    }
    return places;
}

Ids places(std::int64_t first, std::int64_t end)
{
    Ids list(static_cast<std::size_t>(end - first));
    std::iota(list.begin(), list.end(), first);
    return list;
}

const std::string kLines = "One line.\n\n Two.\nThree.\n  \n\n\nFour.\n";

} // namespace

class TestLanguageData : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void texts_data()
    {
        QTest::addColumn<int>("unit");
        QTest::addColumn<QByteArrayList>("texts");
        QTest::newRow("lines") << int(TextUnit::Line) << QByteArrayList{"One line.", " Two.", "Three.", "Four."};
        QTest::newRow("documents") << int(TextUnit::Document) << QByteArrayList{"One line.", " Two.\nThree.", "Four."};
        QTest::newRow("file") << int(TextUnit::File) << QByteArrayList{"One line.\n\n Two.\nThree.\n  \n\n\nFour."};
    }

    void texts()
    {
        QFETCH(int, unit);
        QFETCH(QByteArrayList, texts);
        const Files files;
        DataSource source;
        source.text = files.write("wiki.test.txt", kLines);
        source.textUnit = static_cast<TextUnit>(unit);
        const Dataset data = read(source);
        Names expected;
        for (const QByteArray &text : texts)
            expected.push_back(text.toStdString());
        QCOMPARE(textsOf(data), expected);
        QCOMPARE(data.name, std::string("wiki.test"));
        QVERIFY(data.warnings.empty());
    }

    void limitsCountTexts()
    {
        const Files files;
        DataSource source;
        source.text = files.write("a.txt", kLines);
        source.textUnit = TextUnit::Document;
        source.limit = 2;
        QCOMPARE(textsOf(read(source)).back(), std::string(" Two.\nThree."));
    }

    void noText()
    {
        const Files files;
        for (const TextUnit unit : {TextUnit::Line, TextUnit::Document, TextUnit::File}) {
            DataSource source;
            source.text = files.write("blank.txt", " \n\n");
            source.textUnit = unit;
            QVERIFY(has(errorOf(source), "has no text in it"));
        }
    }

    void runningTextGoesByItself()
    {
        const Files files;
        DataSource source = files.parallel("a\n", "b\n");
        source.text = files.write("a.txt", "a\n");
        QVERIFY(has(errorOf(source), "either running text or"));
    }

    /// Context 4, stride 2, 9 tokens; by hand, after Hugging Face's guide: windows at 0, 2, 4, 6 (to 9 not further).
    void windowsWithStride()
    {
        const auto windows = cutIntoWindows(idsUpTo(9), {.length = 4, .stride = 2});
        QCOMPARE(windows.size(), std::size_t{4});
        QCOMPARE(windows[0], (TokenWindow{{100, 101, 102, 103}, 0, 1}));
        QCOMPARE(windows[1], (TokenWindow{{102, 103, 104, 105}, 2, 2}));
        QCOMPARE(windows[2], (TokenWindow{{104, 105, 106, 107}, 4, 2}));
        QCOMPARE(windows[3], (TokenWindow{{106, 107, 108}, 6, 2}));
        QCOMPARE(countedPlaces(windows), places(1, 9));
    }

    void windowsWithoutOverlap()
    {
        const auto windows = cutIntoWindows(idsUpTo(9), {.length = 4});
        QCOMPARE(windows.size(), std::size_t{2}); // the ninth token stands alone: nothing says what it follows
        QCOMPARE(countedPlaces(windows), (Ids{1, 2, 3, 5, 6, 7}));
    }

    void everyTokenThatCanBeMaskedCounts()
    {
        QCOMPARE(countedPlaces(cutIntoWindows(idsUpTo(9), {.length = 4, .unpredicted = 0})), places(0, 9));
        QCOMPARE(countedPlaces(cutIntoWindows(idsUpTo(9), {.length = 4, .stride = 3, .unpredicted = 0})), places(0, 9));
    }

    void shortTexts()
    {
        QVERIFY(cutIntoWindows({}, {.length = 4}).empty());
        QVERIFY(cutIntoWindows(idsUpTo(1), {.length = 4}).empty());
        QCOMPARE(cutIntoWindows(idsUpTo(1), {.length = 4, .unpredicted = 0}).size(), std::size_t{1});
        const auto fits = cutIntoWindows(idsUpTo(4), {.length = 4, .stride = 1});
        QCOMPARE(fits, (std::vector<TokenWindow>{{{100, 101, 102, 103}, 0, 1}}));
    }

    /// Whatever the numbers: with overlap all but the first token is counted, once, with all the context that fits.
    void allTokensOnce()
    {
        for (std::int64_t length = 1; length <= 7; ++length) {
            for (std::int64_t stride = 1; stride <= length; ++stride) {
                for (std::int64_t tokens = 0; tokens <= 30; ++tokens) {
                    const auto masked = cutIntoWindows(idsUpTo(tokens), {length, stride, 0});
                    QCOMPARE(countedPlaces(masked), places(0, tokens));
                    const auto causal = cutIntoWindows(idsUpTo(tokens), {length, stride, 1});
                    if (stride < length && tokens > 0)
                        QCOMPARE(countedPlaces(causal), places(1, tokens));
                    for (const TokenWindow &window : masked) {
                        QVERIFY(std::ssize(window.ids) <= length);
                        QVERIFY(window.begin + std::ssize(window.ids) <= tokens);
                        QCOMPARE(window.ids.front(), 100 + window.begin);
                    }
                }
            }
        }
    }

    void minimalPairsOfBlimp()
    {
        const Files files;
        const Dataset data = read(
            files.table("blimp.jsonl",
                        R"({"sentence_good": "Who left?", "sentence_bad": "Who leave?", "field": "syntax", "UID": "a"})"
                        "\n"
                        R"({"sentence_good": "It is.", "sentence_bad": "It are.", "field": "syntax", "UID": "b"})"));
        QCOMPARE(data.columns.text, std::string("sentence_good"));
        QCOMPARE(data.columns.worse, std::string("sentence_bad"));
        QCOMPARE(data.columns.paradigm, std::string("UID"));
        QCOMPARE(data.columns.pair + data.columns.label, std::string());
        QCOMPARE(data.examples[1].source, std::string("It is."));
        QCOMPARE(data.examples[1].worse, std::string("It are."));
        QCOMPARE(data.examples[1].paradigm, std::string("b"));
        QVERIFY(data.warnings.empty());
    }

    void minimalPairsByNamedColumns()
    {
        const Files files;
        DataSource source = files.table("a.tsv", "id\tright\twrong\tkind\n1\tIt is.\tIt are.\tagreement\n");
        source.textColumn = "right";
        source.worseColumn = "wrong";
        QCOMPARE(read(source).examples[0].worse, std::string("It are."));
        QCOMPARE(read(source).examples[0].paradigm, std::string());
        const std::string hash = read(source).hash;
        source.paradigmColumn = "kind";
        QCOMPARE(read(source).examples[0].paradigm, std::string("agreement"));
        QVERIFY(read(source).hash != hash); // scores by paradigm differ
    }

    void noMinimalPairsWhereTheUserSaysSo()
    {
        const Files files;
        DataSource source = files.table("a.csv", "sentence_good,sentence_bad,UID\nIt is.,It are.,a\n");
        QCOMPARE(read(source).columns.worse, std::string("sentence_bad"));
        source.paradigmColumn = "none";
        QCOMPARE(read(source).columns.paradigm, std::string());
        source.paradigmColumn.clear();
        source.worseColumn = "none";
        source.textColumn = "sentence_good";
        QCOMPARE(read(source).columns.worse, std::string());
        QCOMPARE(read(source).examples[0].worse, std::string());
        source.paradigmColumn = "UID";
        QVERIFY(has(errorOf(source), "--worse-column"));
    }

    void minimalPairsNeedBothSentences()
    {
        const Files files;
        QVERIFY(has(errorOf(files.table("a.csv", "sentence_good,sentence_bad\na,b\nIt is., \n")), "row 2"));
        QVERIFY(has(errorOf(files.table("a.csv", "sentence_good,sentence_bad\n,b\n")), "no better sentence"));
    }

    void minimalPairsHaveNoLabels()
    {
        const Files files;
        DataSource source = files.table("a.csv", "sentence_good,sentence_bad,label\na,b,1\n");
        QCOMPARE(read(source).columns.label, std::string());
        source.labelColumn = "label";
        QVERIFY(has(errorOf(source), "cannot be combined with minimal pairs"));
    }

    void previewOfMinimalPairs()
    {
        const Files files;
        const DataSource source = files.table("a.csv", "sentence_good,sentence_bad,UID\nIt is.,It are.,a\n");
        const DataPreview preview = previewData(source, {}).valueOrThrow();
        QCOMPARE(preview.worseColumn + preview.paradigmColumn, std::string("sentence_badUID"));
        QCOMPARE(preview.first.front().pair, std::string("It are."));
        QCOMPARE(preview.first.front().reference, std::string("a"));
    }
};

QTEST_GUILESS_MAIN(TestLanguageData)
#include "tst_languagedata.moc"
