#include "core/formats/atomicfile.h"
#include "core/formats/jsonfile.h"
#include "core/formats/textlines.h"
#include "core/tokenize/cleanup.h"
#include "core/tokenize/tokenizer.h"
#include "tests/core/tokenize/spmmodel.h"
#include "tests/support/shareddata.h"

#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace headscope::testing;

namespace {

using Ids = std::vector<std::int64_t>;

constexpr const char *kVocabulary = R"({"</s>": 0, "<unk>": 1, "▁a": 2, "b": 3, "▁": 4, ">>fra<<": 5, "▁c": 6,
    ".": 7, "▁.": 8, "<pad>": 9})";

/// A made-up model folder; single files can be changed before opening.
class Folder
{
public:
    Folder()
    {
        write("source.spm", serialize(smallModel({"▁a", "b", "▁", "a", "d"})));
        write("target.spm", serialize(smallModel({"▁c", "b", "▁", ".", "▁."})));
        write("vocab.json", kVocabulary);
        write("tokenizer_config.json", R"({"tokenizer_class": "MarianTokenizer", "model_max_length": 512})");
    }

    void write(const char *name, const std::string &bytes) const
    {
        (void)writeFileAtomically(path() / name, bytes).valueOrThrow();
    }
    void remove(const char *name) const { std::filesystem::remove(path() / name); }
    std::filesystem::path path() const { return m_folder.path().toStdString(); }

    Result<std::unique_ptr<Tokenizer>> open() const { return openTokenizer(path(), {{"model_type", "marian"}}); }
    std::unique_ptr<Tokenizer> tokenizer() const { return open().valueOrThrow(); }

private:
    QTemporaryDir m_folder;
};

Encoding source(const Tokenizer &tokenizer, const char *text)
{
    return tokenizer.encodeSource(text).valueOrThrow();
}

} // namespace

class TestMarianTokenizer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void idsComeFromTheVocabulary()
    {
        const Folder folder;
        const auto tokenizer = folder.tokenizer();
        const Encoding encoding = source(*tokenizer, "ab ad b");
        QCOMPARE(encoding.ids, (Ids{2, 3, 2, 1, 4, 3, 0}));
        QCOMPARE(encoding.pieces, (std::vector<std::string>{"▁a", "b", "▁a", "d", "▁", "b", "</s>"}));
        QCOMPARE(encoding.words, (std::vector<int>{0, 0, 1, 1, 2, 2, -1}));
        QCOMPARE(tokenizer->vocabularySize(), 10);
        QCOMPARE(tokenizer->pieceText(6), std::string("▁c"));
        QCOMPARE(tokenizer->pieceText(10), std::string());
        QCOMPARE(tokenizer->pieceText(-1), std::string());
        for (const std::int64_t id : {0, 1, 9})
            QVERIFY(tokenizer->isSpecial(id));
        QVERIFY(!tokenizer->isSpecial(2));
        QVERIFY(tokenizer->description().find("5 source") == std::string::npos);
        QVERIFY(tokenizer->description().find("8 source and 8 target") != std::string::npos);
    }

    void theTargetSideHasItsOwnPieces()
    {
        const Folder folder;
        const auto tokenizer = folder.tokenizer();
        QCOMPARE(tokenizer->encodeTarget("cb").valueOrThrow().ids, (Ids{6, 3, 0}));
        QCOMPARE(tokenizer->encodeTarget("a").valueOrThrow().ids, (Ids{4, 1, 0}));
    }

    void emptyTextIsOnlyItsEnd()
    {
        const Folder folder;
        QCOMPARE(source(*folder.tokenizer(), "").ids, Ids{0});
        QCOMPARE(source(*folder.tokenizer(), "   ").ids, Ids{0});
    }

    void languageCodeIsCutOffTheFront()
    {
        const Folder folder;
        const auto tokenizer = folder.tokenizer();
        QCOMPARE(source(*tokenizer, ">>fra<< ab").ids, (Ids{5, 2, 3, 0}));
        QCOMPARE(source(*tokenizer, ">>fra<< ab").words, (std::vector<int>{-1, 0, 0, -1}));
        QCOMPARE(source(*tokenizer, ">>deu<< ab").ids, (Ids{1, 2, 3, 0}));
        QCOMPARE(source(*tokenizer, ">><< ab").pieces.front(), std::string("▁"));
        QCOMPARE(source(*tokenizer, "a >>fra<<").ids.front(), 2);
    }

    void specialTokensInTheTextCount()
    {
        const Folder folder;
        QCOMPARE(source(*folder.tokenizer(), "ab </s> a<pad>").ids, (Ids{2, 3, 0, 2, 9, 0}));
    }

    void decodingSkipsSpecialTokensAndCleansUp()
    {
        const Folder folder;
        folder.write("tokenizer_config.json", R"({"clean_up_tokenization_spaces": true})");
        const auto tokenizer = folder.tokenizer();
        const Ids ids{9, 6, 3, 6, 8, 1, 0, 9, 99};
        QCOMPARE(tokenizer->decode(ids), std::string("cb c."));
        folder.write("tokenizer_config.json", R"({"clean_up_tokenization_spaces": false})");
        QCOMPARE(folder.tokenizer()->decode(ids), std::string("cb c ."));
        QCOMPARE(tokenizer->decode({}), std::string());
    }

    /// "▁a" is a piece of the source's model only.
    void piecesOfTheOtherSideBeginWords()
    {
        const Folder folder;
        folder.write("tokenizer_config.json", R"({"clean_up_tokenization_spaces": false})");
        const auto tokenizer = folder.tokenizer();
        QCOMPARE(tokenizer->decode(Ids{2, 3, 2}), std::string("ab a"));
        QCOMPARE(tokenizer->decode(Ids{6, 2, 3, 0}), std::string("c ab"));
    }

    void addedTokensAreWords()
    {
        const Folder folder;
        folder.write("added_tokens.json", R"({"[X]": 10, "</s>": 0, "b": 3, "<ctx>": 11})");
        folder.write("special_tokens_map.json", R"({"additional_special_tokens": ["<ctx>"]})");
        const auto tokenizer = folder.tokenizer();
        QCOMPARE(source(*tokenizer, "a [X]b<ctx> a").ids, (Ids{2, 10, 3, 11, 2, 0}));
        QCOMPARE(tokenizer->decode(Ids{6, 10, 2, 11, 2, 0}), std::string("c [X] a a"));
        QVERIFY(tokenizer->isSpecial(11) && !tokenizer->isSpecial(10));
        QCOMPARE(tokenizer->vocabularySize(), 12);
        folder.write("added_tokens.json", R"({"[X]": 4})");
        QVERIFY(folder.open().error().message.find("belongs to another piece") != std::string::npos);
    }

    void separateVocabularies()
    {
        const Folder folder;
        folder.write("tokenizer_config.json", R"({"separate_vocabs": true})");
        QVERIFY(folder.open().error().message.find("target_vocab.json") != std::string::npos);
        folder.write("target_vocab.json", R"({"</s>": 0, "<unk>": 1, "<pad>": 2, "▁c": 12})");
        const auto tokenizer = folder.tokenizer();
        QCOMPARE(tokenizer->encodeTarget("cb").valueOrThrow().ids, (Ids{12, 1, 0}));
        QCOMPARE(source(*tokenizer, "ab").ids, (Ids{2, 3, 0}));
        QCOMPARE(tokenizer->vocabularySize(), 10);
        QCOMPARE(tokenizer->targetVocabularySize(), 13);
    }

    void pairsAreForOthers()
    {
        const Folder folder;
        const auto pair = folder.tokenizer()->encodePair("a", "b", 9);
        QVERIFY(pair.isError());
        QVERIFY(pair.error().code == ErrorCode::Usage);
    }

    void textMustBeUtf8()
    {
        const Folder folder;
        QVERIFY(folder.tokenizer()->encodeSource("a\xFF").isError());
    }

    void badFoldersAreExplained_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char *name, const char *file, const char *content, const char *reason) {
            QTest::newRow(name) << QByteArray(file) << QByteArray(content) << QByteArray(reason);
        };
        row("no vocabulary", "vocab.json", nullptr, "lacks vocab.json");
        row("no source pieces", "source.spm", nullptr, "lacks source.spm");
        row("pieces are text", "target.spm", "hello", "target.spm is not a SentencePiece model");
        row("list", "vocab.json", "[1]", "JSON object");
        row("text id", "vocab.json", R"({"a": "1"})", "\"a\"");
        row("negative id", "vocab.json", R"({"a": -1})", "\"a\"");
        row("huge id", "vocab.json", R"({"a": 99999999999})", "\"a\"");
        row("id twice", "vocab.json", R"({"a": 1, "b": 1})", "two pieces");
        row("no end token", "vocab.json", R"({"<unk>": 1, "<pad>": 2})", "\"</s>\"");
        row("no unknown token", "vocab.json", R"({"</s>": 0, "<pad>": 2})", "\"<unk>\"");
        row("empty token", "tokenizer_config.json", R"({"eos_token": ""})", "special token");
        row("other tokenizer", "tokenizer_config.json", R"({"tokenizer_class": "FunnelTokenizer"})", "FunnelTokenizer");
        row("settings are a list", "tokenizer_config.json", "[]", "JSON object");
    }

    void badFoldersAreExplained()
    {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, content);
        QFETCH(QByteArray, reason);
        const Folder folder;
        if (content.isNull())
            folder.remove(file.constData());
        else
            folder.write(file.constData(), content.toStdString());
        const auto opened = folder.open();
        QVERIFY(opened.isError());
        QVERIFY2(opened.error().message.find(reason.toStdString()) != std::string::npos,
                 opened.error().message.c_str());
    }

    void aFolderWithoutTokenizerIsNoError()
    {
        const QTemporaryDir empty;
        const auto opened = openTokenizer(empty.path().toStdString(), {{"model_type", "marian"}});
        QVERIFY(opened.isOk());
        QVERIFY(opened.value() == nullptr);
    }

    void cleanUpRules()
    {
        QCOMPARE(cleanUpTokenization("a , b . c ? d !"), std::string("a, b. c? d!"));
        QCOMPARE(cleanUpTokenization("do n't I 'm he 's we 've you 're l ' eau"),
                 std::string("don't I'm he's we've you're l'eau"));
        QCOMPARE(cleanUpTokenization(" . .."), std::string("..."));
    }

    void equalsHuggingFaceOnTheRealModel()
    {
        const auto model = sharedData("models/marian-multi30k-en-fr");
        const auto text = sharedData("data/multi30k/test_2016_flickr.en.gz");
        if (model.empty() || text.empty())
            QSKIP("the real model is not on this machine (HEADSCOPE_SHARED)");
        const auto tokenizer = openTokenizer(model, readJsonFile(model / "config.json").valueOrThrow()).valueOrThrow();
        const auto sources = readLines(text).valueOrThrow();
        QCOMPARE(sources.size(), std::size_t{1000});
        for (const char *beams : {"1", "4"}) {
            const auto golden
                = readLines(model / ("golden.test_2016_flickr.beams" + std::string(beams) + ".jsonl")).valueOrThrow();
            QCOMPARE(golden.size(), sources.size());
            for (std::size_t i = 0; i < golden.size(); ++i) {
                const auto line = parseJson(golden[i], "golden").valueOrThrow();
                QCOMPARE(source(*tokenizer, sources[i].c_str()).ids, line["source_ids"].get<Ids>());
                QCOMPARE(tokenizer->decode(line["tokens"].get<Ids>()), line["text"].get<std::string>());
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestMarianTokenizer)
#include "tst_mariantokenizer.moc"
