#include "core/formats/atomicfile.h"
#include "tests/core/tokenize/goldens.h"
#include "tests/support/shareddata.h"

#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace headscope::testing;

namespace {

using Ids = std::vector<std::int64_t>;
using Spans = std::vector<TextSpan>;
using Words = std::vector<int>;

constexpr const char *kVocabulary
    = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nun\n##want\n##ed\nrunn\n##ing\n,\n.\n!\n?\n-\n'\nhello\ncafe\ncaf\n##e\n##é\n"
      "naive\n中\n国\na\nb\n##b\nc\n1\n##2\n##3\n$\n##s\nit\ns\nσ\nς\nο\n##δ\n##ο\n##ς\n##σ\n";

/// A made-up BERT folder; single files can be changed before opening.
class Folder
{
public:
    Folder() { write("vocab.txt", kVocabulary); }

    void write(const char *name, const std::string &bytes) const
    {
        (void)writeFileAtomically(path() / name, bytes).valueOrThrow();
    }
    void remove(const char *name) const { std::filesystem::remove(path() / name); }
    std::filesystem::path path() const { return m_folder.path().toStdString(); }

    Result<std::unique_ptr<Tokenizer>> open(const char *modelType = "bert") const
    {
        return openTokenizer(path(), {{"model_type", modelType}});
    }
    std::unique_ptr<Tokenizer> tokenizer() const { return open().valueOrThrow(); }

private:
    QTemporaryDir m_folder;
};

std::unique_ptr<Tokenizer> small(bool lower = true)
{
    const Folder folder;
    folder.write("tokenizer_config.json",
                 fmt::format(R"({{"do_lower_case": {}, "clean_up_tokenization_spaces": true}})", lower));
    return folder.tokenizer();
}

Encoding encoded(const Tokenizer &tokenizer, std::string_view text)
{
    return tokenizer.encodeSource(text).valueOrThrow();
}

} // namespace

class TestWordPiece : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void idsOfTheSmallVocabulary_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<Ids>("lower");
        QTest::addColumn<Ids>("cased");
        const auto row = [](const char *name, std::string_view text, Ids lower, std::optional<Ids> cased = {}) {
            QTest::newRow(name) << QByteArray(text.data(), static_cast<qsizetype>(text.size())) << lower
                                << cased.value_or(lower);
        };
        row("accent and comma", "UNwantéd,running", {2, 6, 7, 8, 11, 9, 10, 3}, Ids{2, 1, 11, 9, 10, 3});
        row("white space", "Hello!  the\tcafe\n", {2, 17, 13, 5, 18, 3}, Ids{2, 1, 13, 5, 18, 3});
        row("upper case", "CAFÉ café", {2, 18, 18, 3}, Ids{2, 1, 19, 21, 3});
        row("ideographs", "中国a", {2, 23, 24, 25, 3});
        row("control characters",
            std::string_view("a\0b\xEF\xBF\xBD"
                             "c",
                             7),
            {2, 1, 3});
        row("zero width space", "a\u200bb", {2, 25, 27, 3});
        row("no-break space", "a\u00a0b", {2, 25, 26, 3});
        row("dollar", "$123", {2, 32, 29, 30, 31, 3});
        row("apostrophe", "it's", {2, 34, 16, 35, 3});
        row("101 characters", std::string(101, 'a'), {2, 1, 3});
        row("special in the text", "the [MASK] a", {2, 5, 4, 25, 3});
        row("sigma", "ΟΔΟΣ", {2, 38, 39, 40, 42, 3}, Ids{2, 1, 3});
        row("combining mark", "a\u0301b", {2, 25, 27, 3}, Ids{2, 1, 3});
        row("dash", "a—b", {2, 25, 1, 26, 3});
        row("line separator", "a\u2028b", {2, 25, 26, 3});
        row("empty", "", {2, 3});
        row("blanks only", "  \t ", {2, 3});
        row("specials touch", "[CLS]a[SEP]b", {2, 2, 25, 3, 26, 3});
        row("lower case mask is none", "[mask]", {2, 1, 1, 1, 3});
        row("longest piece first", "cafes", {2, 18, 33, 3});
        row("one unknown part spoils the word", "unwantx", {2, 1, 3});
        row("unassigned is kept", "a\u0378", {2, 1, 3});
        row("private use is deleted", "a\ue000b", {2, 25, 27, 3});
        row("carriage return", "a\r\nb", {2, 25, 26, 3});
        row("next line is deleted", "a\u0085b", {2, 25, 27, 3});
        row("soft hyphen is deleted", "a\u00adb", {2, 25, 27, 3});
    }

    void idsOfTheSmallVocabulary()
    {
        QFETCH(QByteArray, text);
        QFETCH(Ids, lower);
        QFETCH(Ids, cased);
        const std::string_view bytes(text.constData(), static_cast<std::size_t>(text.size()));
        QCOMPARE(encoded(*small(true), bytes).ids, lower);
        QCOMPARE(encoded(*small(false), bytes).ids, cased);
    }

    void sharedGoldens()
    {
        const auto path = sharedData("golden/tokenizer_golden.json");
        if (path.empty())
            QSKIP("the shared goldens are not on this machine (HEADSCOPE_SHARED)");
        const nlohmann::json golden = readJsonFile(path).valueOrThrow()["bert"];
        const auto lower = small(true);
        const auto cased = small(false);
        for (const nlohmann::json &one : golden["cases"]) {
            const std::string text = one["text"];
            // The goldens' tokenizer had not been told its special tokens.
            if (text.find('[') != std::string::npos && text.find("[MASK]") == std::string::npos)
                continue;
            QVERIFY2(encoded(one["lower"] ? *lower : *cased, text).ids == one["ids"].get<Ids>(), one.dump().c_str());
        }
        const Encoding pair
            = lower->encodePair(golden["pair"]["a"].get<std::string>(), golden["pair"]["b"].get<std::string>(), 512)
                  .valueOrThrow();
        QCOMPARE(pair.ids, golden["pair"]["ids"].get<Ids>());
        QCOMPARE(pair.typeIds, golden["pair"]["type"].get<Ids>());
        const nlohmann::json cut = golden["trunc_max4"];
        QCOMPARE(lower->encodePair(cut["a"].get<std::string>(), {}, 4).valueOrThrow().ids, cut["ids"].get<Ids>());
        const nlohmann::json cutPair = golden["trunc_pair_max8"];
        QCOMPARE(
            lower->encodePair(cutPair["a"].get<std::string>(), cutPair["b"].get<std::string>(), 8).valueOrThrow().ids,
            cutPair["ids"].get<Ids>());
        QCOMPARE(lower->decode(golden["decode"]["ids"].get<Ids>()),
                 golden["decode"]["skip_special"].get<std::string>());
    }

    void piecesKnowTheirPlaces()
    {
        const Encoding encoding = encoded(*small(), " UNwantéd, 中x the");
        QCOMPARE(encoding.ids, (Ids{2, 6, 7, 8, 11, 23, 1, 5, 3}));
        QCOMPARE(encoding.pieces,
                 (std::vector<std::string>{"[CLS]", "un", "##want", "##ed", ",", "中", "x", "the", "[SEP]"}));
        QCOMPARE(encoding.words, (Words{-1, 0, 0, 0, 1, 2, 3, 4, -1}));
        QCOMPARE(encoding.segments, (Words{-1, 0, 0, 0, 0, 0, 0, 0, -1}));
        QCOMPARE(encoding.typeIds, Ids(9, 0));
        QVERIFY((encoding.spans == Spans{{}, {1, 3}, {3, 7}, {7, 10}, {10, 11}, {12, 15}, {15, 16}, {17, 20}, {}}));
        QVERIFY(!encoding.cut);
    }

    void specialTokensInTheTextAreOfTheText()
    {
        const Encoding encoding = encoded(*small(), "a [SEP] b");
        QCOMPARE(encoding.ids, (Ids{2, 25, 3, 26, 3}));
        QCOMPARE(encoding.segments, (Words{-1, 0, 0, 0, -1}));
        QCOMPARE(encoding.words, (Words{-1, 0, 1, 2, -1}));
        QVERIFY(encoding.spans[2] == (TextSpan{2, 7}));
    }

    void pairsHaveTypes()
    {
        const Encoding encoding = small()->encodePair("the a", "b c", 512).valueOrThrow();
        QCOMPARE(encoding.ids, (Ids{2, 5, 25, 3, 26, 28, 3}));
        QCOMPARE(encoding.typeIds, (Ids{0, 0, 0, 0, 1, 1, 1}));
        QCOMPARE(encoding.segments, (Words{-1, 0, 0, -1, 1, 1, -1}));
        QCOMPARE(encoding.words, (Words{-1, 0, 1, -1, 0, 1, -1}));
        QVERIFY(encoding.spans[4] == (TextSpan{0, 1}));
    }

    void longTextsAreCut_data()
    {
        QTest::addColumn<int>("first");
        QTest::addColumn<int>("second");
        QTest::addColumn<int>("room");
        QTest::addColumn<int>("firstLeft");
        QTest::addColumn<int>("secondLeft");
        QTest::newRow("all fits") << 3 << 3 << 6 << 3 << 3;
        QTest::newRow("equal") << 3 << 3 << 5 << 2 << 3;
        QTest::newRow("first is longer") << 5 << 3 << 5 << 3 << 2;
        QTest::newRow("second is longer") << 3 << 5 << 5 << 2 << 3;
        QTest::newRow("one is short") << 2 << 9 << 6 << 2 << 4;
        QTest::newRow("the other is short") << 9 << 1 << 6 << 5 << 1;
        QTest::newRow("both are longer than all") << 9 << 8 << 4 << 2 << 2;
        QTest::newRow("both are longer, odd") << 9 << 8 << 5 << 3 << 2;
        QTest::newRow("no room") << 3 << 4 << 0 << 0 << 0;
        QTest::newRow("room for one") << 3 << 4 << 1 << 0 << 1;
        QTest::newRow("nothing second") << 5 << 0 << 3 << 3 << 0;
    }

    void longTextsAreCut()
    {
        QFETCH(int, first);
        QFETCH(int, second);
        QFETCH(int, room);
        QFETCH(int, firstLeft);
        QFETCH(int, secondLeft);
        const auto words = [](int count) {
            std::string text;
            for (int i = 0; i < count; ++i)
                text += "a ";
            return text;
        };
        const Encoding encoding
            = small()->encodePair(words(first), words(second), static_cast<std::size_t>(room) + 3).valueOrThrow();
        QCOMPARE(std::count(encoding.segments.begin(), encoding.segments.end(), 0), firstLeft);
        QCOMPARE(std::count(encoding.segments.begin(), encoding.segments.end(), 1), secondLeft);
        QCOMPARE(encoding.cut, first + second > room);
    }

    void noRoomForSpecialTokensIsAnError()
    {
        const auto encoding = small()->encodePair("a", {}, 1);
        QVERIFY(encoding.isError());
        QVERIFY(encoding.error().code == ErrorCode::Usage);
        QCOMPARE(small()->encodePair("a", {}, 2).valueOrThrow().ids, (Ids{2, 3}));
    }

    void textMustBeUtf8()
    {
        QVERIFY(small()->encodeSource("a\xFF").isError());
        QVERIFY(small()->encodePair("a", "\xC3", 9).isError());
    }

    void decodingSkipsSpecialTokensAndCleansUp()
    {
        const Folder folder;
        folder.write("tokenizer_config.json", R"({"clean_up_tokenization_spaces": true})");
        const Ids ids{2, 17, 11, 34, 16, 35, 6, 7, 8, 13, 3, 99};
        QCOMPARE(folder.tokenizer()->decode(ids), std::string("hello, it's unwanted!"));
        folder.write("tokenizer_config.json", R"({"clean_up_tokenization_spaces": false})");
        QCOMPARE(folder.tokenizer()->decode(ids), std::string("hello, it ' s unwanted!"));
        QCOMPARE(folder.tokenizer()->decode({}), std::string());
    }

    void tellsAboutItself()
    {
        const auto tokenizer = small();
        QCOMPARE(tokenizer->vocabularySize(), 43);
        QCOMPARE(tokenizer->targetVocabularySize(), 43);
        QCOMPARE(tokenizer->pieceText(7), std::string("##want"));
        QCOMPARE(tokenizer->pieceText(43), std::string());
        QCOMPARE(tokenizer->pieceText(-1), std::string());
        for (std::int64_t id = 0; id < 43; ++id)
            QCOMPARE(tokenizer->isSpecial(id), id < 5);
        QCOMPARE(tokenizer->description(), std::string("WordPiece, vocabulary of 43"));
        QCOMPARE(tokenizer->encodeTarget("a").valueOrThrow().ids, (Ids{2, 25, 3}));
    }

    void settingsOfTheFolderCount()
    {
        const Folder folder;
        folder.write("tokenizer_config.json", R"({"strip_accents": false, "model_max_length": 1e30})");
        QCOMPARE(encoded(*folder.tokenizer(), "CAFÉ").ids, (Ids{2, 19, 21, 3}));
        folder.write("tokenizer_config.json", R"({"do_lower_case": false, "strip_accents": true})");
        QCOMPARE(encoded(*folder.tokenizer(), "café Hello").ids, (Ids{2, 18, 1, 3}));
        folder.write("tokenizer_config.json", R"({"tokenize_chinese_chars": false})");
        QCOMPARE(encoded(*folder.tokenizer(), "中国").ids, (Ids{2, 1, 3}));
        folder.write("tokenizer_config.json",
                     R"({"cls_token": "the", "sep_token": {"content": "un", "lstrip": true}})");
        QCOMPARE(encoded(*folder.tokenizer(), "a  un").ids, (Ids{5, 25, 6, 6}));
    }

    /// BertTokenizerFast sets small letters by itself; PreTrainedTokenizerFast and other classes take tokenizer.json
    /// as it is.
    void onlyBertsClassesChangeTheirFile_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<bool>("changes");
        for (const char *name : {"BertTokenizer", "BertTokenizerFast", "DistilBertTokenizerFast", "ElectraTokenizer"})
            QTest::newRow(name) << QByteArray(name) << true;
        for (const char *name : {"PreTrainedTokenizerFast", "TokenizersBackend", "RobertaTokenizerFast"})
            QTest::newRow(name) << QByteArray(name) << false;
        QTest::newRow("none") << QByteArray() << true;
    }

    void onlyBertsClassesChangeTheirFile()
    {
        QFETCH(QByteArray, name);
        QFETCH(bool, changes);
        const Folder folder;
        const auto write = [&](const char *normalizer, const char *more) {
            folder.write("tokenizer.json",
                         fmt::format(R"({{"normalizer": {{"type": "BertNormalizer", "clean_text": true,
                             "handle_chinese_chars": true, "strip_accents": null, {}}},
                             "pre_tokenizer": {{"type": "BertPreTokenizer"}}, "model": {{"type": "WordPiece",
                             "unk_token": "x", "vocab": {{"x": 0, "a": 1, "A": 2}}}}}})",
                                     normalizer));
            folder.write("tokenizer_config.json",
                         fmt::format("{{{}{}\"clean_up_tokenization_spaces\": true}}",
                                     name.isEmpty() ? "" : "\"tokenizer_class\": \"" + name.toStdString() + "\", ",
                                     more));
        };
        const auto idOf = [&] { return encoded(*folder.tokenizer(), "A").ids; };
        write(R"("lowercase": false)", R"("do_lower_case": true, )");
        QCOMPARE(idOf(), Ids{changes ? 1 : 2});
        write(R"("lowercase": true)", R"("do_lower_case": false, )");
        QCOMPARE(idOf(), Ids{changes ? 2 : 1});
        write(R"("lowercase": false)", ""); // small letters are those classes' own choice
        QCOMPARE(idOf(), Ids{changes ? 1 : 2});
    }

    void addedTokensCount()
    {
        const Folder folder;
        folder.write("added_tokens.json", R"({"[OLD]": 50})"); // not read where the settings have a list
        folder.write("tokenizer_config.json", R"({"added_tokens_decoder": {
            "50": {"content": "[NEW]", "special": false}, "51": {"content": "hello the", "special": false}}})");
        const auto tokenizer = folder.tokenizer();
        QCOMPARE(encoded(*tokenizer, "a[new]Hello THE b").ids, (Ids{2, 25, 50, 51, 26, 3}));
        QCOMPARE(tokenizer->vocabularySize(), 52);
        QVERIFY(!tokenizer->isSpecial(50));
    }

    void kindsThatShareTheFiles()
    {
        const Folder folder;
        for (const char *type : {"bert", "distilbert", "electra"})
            QCOMPARE(encoded(*folder.open(type).valueOrThrow(), "a").ids, (Ids{2, 25, 3}));
        for (const char *name : {"BertTokenizer", "BertTokenizerFast", "ElectraTokenizerFast", "DistilBertTokenizer"}) {
            folder.write("tokenizer_config.json", fmt::format(R"({{"tokenizer_class": "{}"}})", name));
            QCOMPARE(encoded(*folder.open("other").valueOrThrow(), "a").ids, (Ids{2, 25, 3}));
        }
    }

    void tokenizerJsonComesFirst()
    {
        const Folder folder;
        folder.write("tokenizer.json", R"({"model": {"type": "WordLevel", "vocab": {"a b": 7}}, "added_tokens": []})");
        QCOMPARE(encoded(*folder.tokenizer(), "a b").ids, Ids{7});
        QVERIFY(folder.tokenizer()->encodeSource("b").isError()); // nothing stands for the unknown
    }

    void linesOfTheVocabulary()
    {
        const Folder folder;
        folder.write("vocab.txt", "[UNK]\r\n[CLS]\r\n[SEP]\r\na\r\na\r\n");
        QCOMPARE(encoded(*folder.tokenizer(), "a b").ids, (Ids{1, 4, 0, 2})); // of equal lines the last
    }

    void badFoldersAreExplained_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char *name, const char *file, const char *content, const char *reason) {
            QTest::newRow(name) << QByteArray(file) << QByteArray(content) << QByteArray(reason);
        };
        row("empty", "vocab.txt", "", "is empty");
        row("no separator", "vocab.txt", "[UNK]\n[CLS]\na\n", "\"[SEP]\"");
        row("no classifier", "vocab.txt", "[UNK]\n[SEP]\na\n", "\"[CLS]\"");
        row("no unknown", "vocab.txt", "[CLS]\n[SEP]\na\n", "\"[UNK]\"");
        row("not UTF-8", "vocab.txt", "[CLS]\n\xFF\n", "vocab.txt");
        row("added tokens are a list", "added_tokens.json", "[]", "JSON object");
        row("added id is huge", "added_tokens.json", R"({"x": 99999999999})", "99999999999");
        row("added id is taken", "added_tokens.json", R"({"x": 5})", "belongs to the piece \"the\"");
        row("json is no object", "tokenizer.json", "[1]", "JSON object");
        row("json without a model", "tokenizer.json", "{}", "\"model\"");
        row("unknown model", "tokenizer.json", R"({"model": {"type": "Lattice"}})", "Lattice");
        row("unknown normalizer", "tokenizer.json",
            R"({"model": {"type": "WordLevel", "vocab": {"a": 0}}, "normalizer": {"type": "Romanise"}})",
            "tokenizer.json.normalizer: the component \"Romanise\"");
        row("unknown pre-tokenizer", "tokenizer.json",
            R"({"model": {"type": "WordLevel", "vocab": {"a": 0}}, "pre_tokenizer": {"type": "UnicodeScripts"}})",
            "UnicodeScripts");
        row("unknown post-processor", "tokenizer.json",
            R"({"model": {"type": "WordLevel", "vocab": {"a": 0}}, "post_processor": {"type": "Glue"}})", "Glue");
        row("unknown decoder", "tokenizer.json",
            R"({"model": {"type": "WordLevel", "vocab": {"a": 0}}, "decoder": {"type": "CTC"}})", "CTC");
        row("regular expression", "tokenizer.json",
            R"({"model": {"type": "WordLevel", "vocab": {"a": 0}}, "pre_tokenizer": {"type": "Split", "behavior": "Isolated", "pattern": {"Regex": "*ab"}}})",
            "*ab");
        row("id twice", "tokenizer.json", R"({"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 0}}})",
            "two pieces");
        row("negative id", "tokenizer.json", R"({"model": {"type": "WordLevel", "vocab": {"a": -1}}})", "\"a\"");
        row("unknown piece is missing", "tokenizer.json",
            R"({"model": {"type": "WordPiece", "vocab": {"a": 0}, "unk_token": "x"}})", "\"x\"");
        row("text twice in the template", "tokenizer.json",
            R"({"model": {"type": "WordLevel", "vocab": {"a": 0}}, "post_processor": {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}], "pair": [], "special_tokens": {}}})",
            "every text once");
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

    void otherFilesAreNotEnough()
    {
        const Folder folder;
        folder.remove("vocab.txt");
        folder.write("vocab.json", "{}");
        QVERIFY(folder.open().error().message.find("neither tokenizer.json nor vocab.txt") != std::string::npos);
        QVERIFY(folder.open("roberta").error().message.find("merges.txt") != std::string::npos);
        QVERIFY(folder.open("xlm-roberta").error().message.find("sentencepiece.bpe.model") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestWordPiece)
#include "tst_wordpiece.moc"

#include <algorithm>
