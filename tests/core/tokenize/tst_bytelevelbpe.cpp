#include "core/formats/atomicfile.h"
#include "core/tokenize/tokenizerjson.h"
#include "tests/core/tokenize/goldens.h"
#include "tests/support/shareddata.h"

#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace headscope::testing;

namespace {

using Ids = std::vector<std::int64_t>;
using Words = std::vector<int>;

/// The printable characters of all bytes, sorted, from id 5; then the pieces that merges make.
nlohmann::json vocabulary()
{
    nlohmann::json ids{{"<s>", 0}, {"<pad>", 1}, {"</s>", 2}, {"<unk>", 3}, {"<mask>", 4}};
    std::vector<char32_t> chars;
    for (char32_t code = 33; code < 256; ++code)
        if (code < 127 || (code > 160 && code != 173))
            chars.push_back(code);
    for (char32_t code = 256; code < 256 + 68; ++code)
        chars.push_back(code);
    for (const char32_t code : chars)
        ids[QString::fromUcs4(&code, 1).toStdString()] = ids.size();
    for (const char *piece :
         {"Ġt", "he", "Ġthe", "lo", "low", "er", "Ġl", "Ġlow", "new", "ne", "Ġ1", "12", "Ã©", "ĠĠ", "<|endoftext|>"})
        ids[piece] = ids.size();
    return ids;
}

constexpr const char *kMerges
    = "#version: 0.2\nĠ t\nh e\nĠt he\nl o\nlo w\ne r\nĠ l\nĠl ow\nn ew\nn e\nne w\nĠ 1\n1 2\nÃ ©\nĠ Ġ\n";

class Folder
{
public:
    Folder()
    {
        write("vocab.json", vocabulary().dump());
        write("merges.txt", kMerges);
    }
    void write(const char *name, const std::string &bytes) const
    {
        (void)writeFileAtomically(path() / name, bytes).valueOrThrow();
    }
    std::filesystem::path path() const { return m_folder.path().toStdString(); }
    Result<std::unique_ptr<Tokenizer>> open() const { return openTokenizer(path(), {{"model_type", "roberta"}}); }

private:
    QTemporaryDir m_folder;
};

std::unique_ptr<Tokenizer> small()
{
    return Folder().open().valueOrThrow();
}

Encoding encoded(const Tokenizer &tokenizer, std::string_view text)
{
    return tokenizer.encodeSource(text).valueOrThrow();
}

/// A tokenizer.json around a model.
std::unique_ptr<Tokenizer> withModel(const char *model)
{
    return tokenizerFromJson({{"model", parseJson(model, "model").valueOrThrow()}}, "made up").valueOrThrow();
}

} // namespace

class TestByteLevelBpe : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void idsOfTheSmallVocabulary_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<Ids>("ids");
        const auto row
            = [](const char *name, const char *text, Ids ids) { QTest::newRow(name) << QByteArray(text) << ids; };
        row("words", "lower newer", {265, 266, 225, 269, 266});
        row("ranks decide", "the low", {88, 262, 225, 265});
        row("blanks in front", " the  low", {263, 225, 225, 265});
        row("two blanks", "  two", {225, 261, 91, 83});
        row("line feeds", "low\n\nnew", {265, 203, 203, 269});
        row("contractions", "it's I'LL they're", {77, 88, 11, 87, 225, 45, 11, 48, 48, 263, 93, 11, 86, 73});
        row("accent", "café", {71, 69, 74, 273});
        row("numbers", "12 123 ½ 三", {272, 271, 22, 23, 225, 131, 126, 225, 165, 121, 236});
        row("dash", "a—b…", {69, 163, 227, 247, 70, 163, 227, 104});
        row("tab", "tab\tend ", {88, 69, 70, 202, 73, 82, 72, 225});
        row("emoji", "\U0001F600", {177, 258, 251, 227});
        row("no-break space", "\u00a0the", {131, 259, 88, 262});
        row("empty", "", {});
        row("special in the text", "<s>the</s>", {0, 88, 262, 2});
        row("mask takes the blank in front", "the <mask> low", {88, 262, 4, 225, 265});
        row("mask takes all blanks in front", "the  <mask>low", {88, 262, 4, 265});
        row("mask in a word", "the<mask>", {88, 262, 4});
    }

    void idsOfTheSmallVocabulary()
    {
        QFETCH(QByteArray, text);
        QFETCH(Ids, ids);
        ids.insert(ids.begin(), 0);
        ids.push_back(2);
        QCOMPARE(encoded(*small(), text.toStdString()).ids, ids);
    }

    void sharedGoldens()
    {
        const auto path = sharedData("golden/tokenizer_golden.json");
        if (path.empty())
            QSKIP("the shared goldens are not on this machine (HEADSCOPE_SHARED)");
        const nlohmann::json golden = readJsonFile(path).valueOrThrow()["bytebpe"];
        const auto tokenizer = small();
        QVERIFY(vocabulary() == golden["vocab"]);
        for (const nlohmann::json &one : golden["cases"]) {
            const std::string text = one["text"];
            // The goldens' tokenizer had not been told its special tokens.
            if (text.find('<') == std::string::npos)
                QVERIFY2(encoded(*tokenizer, text).ids == one["roberta"].get<Ids>(), one.dump().c_str());
        }
    }

    void piecesKnowTheirPlaces()
    {
        const Encoding encoding = encoded(*small(), "the  café <mask>");
        QCOMPARE(encoding.ids, (Ids{0, 88, 262, 225, 225, 71, 69, 74, 273, 4, 2}));
        QCOMPARE(encoding.pieces,
                 (std::vector<std::string>{"<s>", "t", "he", "Ġ", "Ġ", "c", "a", "f", "é", "<mask>", "</s>"}));
        QCOMPARE(encoding.words, (Words{-1, 0, 0, 1, 2, 2, 2, 2, 2, 3, -1}));
        // The blank of a word is not of its place.
        QCOMPARE(flat(encoding.spans), (Ids{0, 0, 0, 1, 1, 3, 4, 4, 5, 5, 5, 6, 6, 7, 7, 8, 8, 10, 11, 17, 0, 0}));
        QCOMPARE(encoding.typeIds, Ids(11, 0));
    }

    void pairsHaveTwoSeparators()
    {
        const Encoding encoding = small()->encodePair("the", "low", 512).valueOrThrow();
        QCOMPARE(encoding.ids, (Ids{0, 88, 262, 2, 2, 265, 2}));
        QCOMPARE(encoding.typeIds, Ids(7, 0));
        QCOMPARE(encoding.segments, (Words{-1, 0, 0, -1, -1, 1, -1}));
    }

    void prefixSpaceBySetting()
    {
        const Folder folder;
        folder.write("tokenizer_config.json", R"({"add_prefix_space": true})");
        const auto tokenizer = folder.open().valueOrThrow();
        QCOMPARE(encoded(*tokenizer, "the low").ids, (Ids{0, 263, 225, 265, 2}));
        QCOMPARE(encoded(*tokenizer, " the").ids, (Ids{0, 263, 2}));
        QCOMPARE(flat(encoded(*tokenizer, "the").spans), (Ids{0, 0, 0, 3, 0, 0}));
    }

    void aPrefixSpaceIsNoCharacterOfTheText()
    {
        const Folder folder;
        folder.write("tokenizer_config.json", R"({"add_prefix_space": true})");
        const Encoding encoding = encoded(*folder.open().valueOrThrow(), "a<mask>low é");
        QCOMPARE(encoding.ids, (Ids{0, 225, 69, 4, 225, 265, 225, 273, 2}));
        QCOMPARE(flat(encoding.spans), (Ids{0, 0, 0, 0, 0, 1, 1, 7, 7, 7, 7, 10, 11, 11, 11, 13, 0, 0}));
    }

    void decodingGivesTheBytesBack()
    {
        const auto tokenizer = small();
        for (const char *text : {"lower newer", " the  low", "café — 😀 中国", "tab\tend\n", "\u00a0x"})
            QCOMPARE(tokenizer->decode(encoded(*tokenizer, text).ids), std::string(text));
        QCOMPARE(tokenizer->decode(Ids{0, 88, 262, 225, 18, 2}), std::string("the ."));
        QCOMPARE(tokenizer->decode(Ids{163, 227, 69, 177}), std::string("\uFFFDa\uFFFD")); // half characters
        const Folder folder;
        folder.write("tokenizer_config.json", R"({"clean_up_tokenization_spaces": false})");
        QCOMPARE(folder.open().valueOrThrow()->decode(Ids{0, 88, 262, 225, 18, 2}), std::string("the ."));
    }

    void mergesAsPairsAndWholeWords()
    {
        const char *model
            = R"({"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "aba": 3, "b a": 4, "abab": 5}, "merges": [["a", "b"]], "ignore_merges": %1})";
        const QString text = QString::fromLatin1(model);
        const auto merging = withModel(text.arg(QStringLiteral("false")).toUtf8().constData());
        QCOMPARE(encoded(*merging, "aba").ids, (Ids{2, 0}));
        const auto whole = withModel(text.arg(QStringLiteral("true")).toUtf8().constData());
        QCOMPARE(encoded(*whole, "aba").ids, Ids{3});
        QCOMPARE(flat(encoded(*whole, "aba").spans), (Ids{0, 3}));
        QCOMPARE(encoded(*whole, "abba").ids, (Ids{2, 1, 0}));
        QCOMPARE(encoded(*whole, "axb").ids, Ids{2}); // nothing stands for the unknown: it is lost
    }

    void unknownCharacters()
    {
        const char *model
            = R"({"type": "BPE", "vocab": {"<u>": 0, "a": 1, "<0xC3>": 2, "<0xA9>": 3}, "merges": [], "unk_token": "<u>", "fuse_unk": %1, "byte_fallback": %2})";
        const auto open = [&](const char *fuse, const char *bytes) {
            return withModel(
                QString::fromLatin1(model).arg(QLatin1String(fuse), QLatin1String(bytes)).toUtf8().constData());
        };
        QCOMPARE(encoded(*open("false", "false"), "axya").ids, (Ids{1, 0, 0, 1}));
        const Encoding fused = encoded(*open("true", "false"), "axya");
        QCOMPARE(fused.ids, (Ids{1, 0, 1}));
        QCOMPARE(fused.pieces, (std::vector<std::string>{"a", "xy", "a"}));
        QCOMPARE(flat(fused.spans), (Ids{0, 1, 1, 3, 3, 4}));
        const Encoding bytes = encoded(*open("true", "true"), "xéa");
        QCOMPARE(bytes.ids, (Ids{0, 2, 3, 1}));
        QCOMPARE(flat(bytes.spans), (Ids{0, 1, 1, 3, 1, 3, 3, 4}));
    }

    void longWordsTakeNoLongTime()
    {
        const auto tokenizer = small();
        std::string text;
        for (int i = 0; i < 100'000; ++i)
            text += "lower";
        const Encoding encoding = encoded(*tokenizer, text);
        QCOMPARE(encoding.ids.size(), std::size_t{200'002});
    }

    void badFoldersAreExplained_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char *name, const char *file, const char *content, const char *reason) {
            QTest::newRow(name) << QByteArray(file) << QByteArray(content) << QByteArray(reason);
        };
        row("three parts", "merges.txt", "#version: 0.2\na b c\n", "a b c");
        row("one part", "merges.txt", "#version: 0.2\nab\n", "\"ab\"");
        row("result is no piece", "merges.txt", "#version: 0.2\na b\n", "\"a\" and \"b\"");
        row("list", "vocab.json", "[1]", "JSON object");
        row("no separator", "vocab.json", R"({"<s>": 0})", "\"</s>\"");
        row("id twice", "vocab.json", R"({"<s>": 0, "</s>": 0})", "two pieces");
        row("id is text", "vocab.json", R"({"<s>": 0, "</s>": 1, "a": "2"})", "\"a\"");
        row("dropout", "tokenizer.json",
            R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [], "dropout": 0.1}})", "dropout");
        row("merges are missing", "tokenizer.json", R"({"model": {"type": "BPE", "vocab": {"a": 0}}})", "\"merges\"");
    }

    void badFoldersAreExplained()
    {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, content);
        QFETCH(QByteArray, reason);
        const Folder folder;
        folder.write(file.constData(), content.toStdString());
        const auto opened = folder.open();
        QVERIFY(opened.isError());
        QVERIFY2(opened.error().message.find(reason.toStdString()) != std::string::npos,
                 opened.error().message.c_str());
    }
};

QTEST_GUILESS_MAIN(TestByteLevelBpe)
#include "tst_bytelevelbpe.moc"
