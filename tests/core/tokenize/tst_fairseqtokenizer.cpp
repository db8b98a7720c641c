// Words cut as subword-nmt cuts them (make_subword_goldens.py), dictionaries of fairseq, and what FSMT makes of both.
#include "core/formats/atomicfile.h"
#include "core/tokenize/subwordcodes.h"
#include "core/tokenize/tokenizer.h"
#include "tests/core/tokenize/goldens.h"

#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace headscope::testing;

namespace {

using Ids = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

/// A made-up folder; single files can be changed before opening.
class Folder
{
public:
    Folder()
    {
        write("dict.en.txt", "l@@ 9\now@@ 8\ner 7\nlow 6\n. 5\n");
        write("dict.de.txt", "tief@@ 4\ner 3\n. 2\nmadeupword0000 0\n");
        write("bpecodes", "#version: 0.2\no w\ne r</w>\nl ow\no w</w>\nl ow</w>\n");
    }

    void write(const char *name, const std::string &bytes) const
    {
        (void)writeFileAtomically(path() / name, bytes).valueOrThrow();
    }
    void remove(const char *name) const { std::filesystem::remove(path() / name); }
    std::filesystem::path path() const { return m_folder.path().toStdString(); }
    Result<std::unique_ptr<Tokenizer>> open(const char *type = "fairseq") const
    {
        return openTokenizer(path(), {{"model_type", type}, {"langs", {"en", "de"}}});
    }
    std::string error() const
    {
        const auto opened = open();
        return opened.isError() ? opened.error().message : std::string("no error");
    }

private:
    QTemporaryDir m_folder;
};

bool has(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class TestFairseqTokenizer final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void wordsAreCutAsBySubwordNmt()
    {
        const nlohmann::json versions = goldenJson("subword.json");
        QCOMPARE(versions.size(), std::size_t(3));
        QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath(QStringLiteral("codes")).toStdString();
        for (const auto &version : versions) {
            (void)writeFileAtomically(file, version.at("codes").get<std::string>()).valueOrThrow();
            const SubwordCodes codes = SubwordCodes::open(file).valueOrThrow();
            for (const auto &[word, expected] : version.at("pieces").items()) {
                Texts pieces = codes.pieces(word);
                for (std::size_t i = 0; i + 1 < pieces.size(); ++i)
                    pieces[i] += "@@";
                QVERIFY2(pieces == expected.get<Texts>(), word.c_str());
            }
        }
    }

    void fastBpesCodesHaveNumbers()
    {
        const Folder folder;
        const auto before = folder.open().valueOrThrow()->encodeSource("lower low").valueOrThrow();
        folder.write("bpecodes", "o w 120\ne r</w> 30\nl ow 7\no w</w> 5\nl ow</w> 2\n");
        QCOMPARE(folder.open().valueOrThrow()->encodeSource("lower low").valueOrThrow().pieces, before.pieces);
        folder.write("bpecodes", "o w 120\ne\n");
        QVERIFY2(has(folder.error(), "bpecodes, line 2"), folder.error().c_str());
        folder.write("bpecodes", "#version: 0.2\n");
        QVERIFY2(has(folder.error(), "holds no codes"), folder.error().c_str());
    }

    void piecesHaveTheDictionarysIds()
    {
        const Folder folder;
        const auto tokenizer = folder.open().valueOrThrow();
        const Encoding encoding = tokenizer->encodeSource("lower  low .").valueOrThrow();
        QCOMPARE(encoding.pieces, (Texts{"low@@", "er", "low", ".", "</s>"}));
        QCOMPARE(encoding.ids, (Ids{3, 6, 7, 8, 2})); // low@@ is none
        QCOMPARE(encoding.words, (std::vector<int>{0, 0, 1, 2, -1}));
        QCOMPARE(encoding.spans[1], (TextSpan{3, 5}));
        QCOMPARE(encoding.spans[2], (TextSpan{7, 10}));
        QCOMPARE(tokenizer->encodeTarget("er .").valueOrThrow().ids, (Ids{5, 6, 2}));
        QCOMPARE(tokenizer->vocabularySize(), 9);
        QCOMPARE(tokenizer->targetVocabularySize(), 8);
        QCOMPARE(tokenizer->decode(Ids{2, 4, 5, 6, 2, 1}), std::string("tiefer ."));
        QCOMPARE(tokenizer->decode(Ids{4, 3, 6}), std::string("tief<unk> ."));
        QVERIFY(tokenizer->isSpecial(1) && tokenizer->isSpecial(2) && !tokenizer->isSpecial(3));
        QVERIFY(tokenizer->encodeSource("\xFF").isError());
    }

    void withoutCodesTextsAreCutAlready()
    {
        const Folder folder;
        folder.remove("bpecodes");
        const Encoding encoding = folder.open().valueOrThrow()->encodeSource("l@@ ow@@ er .").valueOrThrow();
        QCOMPARE(encoding.ids, (Ids{4, 5, 6, 8, 2}));
        QCOMPARE(encoding.words, (std::vector<int>{0, 0, 0, 1, -1}));
    }

    void fsmtHoldsTheSame()
    {
        const Folder folder;
        const auto before = folder.open().valueOrThrow()->encodeSource("lower low . x").valueOrThrow();
        folder.write("vocab-src.json", R"({"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "l": 4, "ow": 5, "er</w>": 6,
            "low</w>": 7, ".</w>": 8})");
        folder.write("vocab-tgt.json", R"({"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "tief": 4, "er</w>": 5})");
        folder.write("merges.txt", "#version: 0.2\no w\ne r</w>\nl ow\no w</w>\nl ow</w>\n");
        folder.remove("bpecodes");
        const auto tokenizer = folder.open("fsmt").valueOrThrow();
        const auto after = tokenizer->encodeSource("lower low . x").valueOrThrow();
        QCOMPARE(after.pieces, before.pieces);
        QCOMPARE(after.ids, before.ids);
        QCOMPARE(tokenizer->decode(Ids{4, 5}), std::string("tiefer"));
    }

    void damagedDictionariesAreTold()
    {
        const Folder folder;
        folder.write("dict.en.txt", "a 3\nb\n");
        QVERIFY2(has(folder.error(), "dict.en.txt, line 2"), folder.error().c_str());
        folder.write("dict.en.txt", "a 3\na 2\n");
        QVERIFY2(has(folder.error(), "\"a\" is in the dictionary twice"), folder.error().c_str());
        folder.write("dict.en.txt", "a 3\n<unk> 2 #fairseq:overwrite\n");
        QCOMPARE(folder.error(), std::string("no error"));
        for (const char *language :
             {"../de", "x/../../de", "", "de/"}) { // config.json says nothing about other folders
            const auto opened = openTokenizer(folder.path(), {{"model_type", "fairseq"}, {"langs", {"en", language}}});
            QVERIFY2(opened.isError() && (*language == '\0' || has(opened.error().message, "names no languages")),
                     language);
        }
        folder.remove("dict.de.txt");
        QVERIFY2(has(folder.error(), "dict.de.txt"), folder.error().c_str());
    }
};

QTEST_APPLESS_MAIN(TestFairseqTokenizer)
#include "tst_fairseqtokenizer.moc"
