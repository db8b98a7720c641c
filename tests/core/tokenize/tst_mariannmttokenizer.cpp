// Vocabularies as Marian itself keeps them: YAML beside SentencePiece models, or models that are the vocabulary.
#include "core/formats/atomicfile.h"
#include "core/tokenize/tokenizer.h"
#include "tests/core/tokenize/spmmodel.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

namespace {

using Ids = std::vector<std::int64_t>;

/// OPUS-MT's files in small.
class Folder
{
public:
    Folder()
    {
        write("source.spm", serialize(smallModel({"▁a", "b", "▁", "a", "d"})));
        write("target.spm", serialize(smallModel({"▁c", "b", "▁", ".", "▁."})));
        write("vocab.yml", "</s>: 0\n<unk>: 1\n\"\\u2581a\": 2\nb: 3\n▁: 4\n\">>fra<<\": 5\n\"▁c\": 6\n.: 7\n▁.: 8\n");
    }

    void write(const char *name, const std::string &bytes) const
    {
        (void)writeFileAtomically(path() / name, bytes).valueOrThrow();
    }
    void remove(const char *name) const { std::filesystem::remove(path() / name); }
    std::filesystem::path path() const { return m_folder.path().toStdString(); }
    Result<std::unique_ptr<Tokenizer>> open(const std::string &source = "vocab.yml",
                                            const std::string &target = "vocab.yml", int padding = 9) const
    {
        return openTokenizer(path(),
                             {{"model_type", "marian-nmt"}, {"vocabs", {source, target}}, {"pad_token_id", padding}});
    }
    std::string error() const
    {
        const auto opened = open();
        return opened.isError() ? opened.error().message : std::string("no error");
    }

private:
    QTemporaryDir m_folder;
};

/// Marian's own models: </s> is 0 and <unk> is 1.
std::string ownModel(const std::vector<std::string> &texts)
{
    SpmModel model;
    model.pieces = {{"</s>", 0, PieceType::Control}, {"<unk>", 0, PieceType::Unknown}};
    float score = -1;
    for (const std::string &text : texts)
        model.pieces.push_back({text, score -= 0.5f, PieceType::Normal});
    return serialize(model);
}

bool has(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class TestMarianNmtTokenizer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void idsComeFromTheYaml()
    {
        const Folder folder;
        const auto tokenizer = folder.open().valueOrThrow();
        const Encoding encoding = tokenizer->encodeSource(">>fra<< ab ad b").valueOrThrow();
        QCOMPARE(encoding.ids, (Ids{5, 2, 3, 2, 1, 4, 3, 0}));
        QCOMPARE(tokenizer->encodeTarget("c .").valueOrThrow().ids, (Ids{6, 8, 0}));
        QCOMPARE(tokenizer->vocabularySize(), 10); // with padding
        QVERIFY(tokenizer->isSpecial(0) && tokenizer->isSpecial(1) && tokenizer->isSpecial(9));
        QCOMPARE(tokenizer->pieceText(6), std::string("▁c"));
        // As Marian prints it, without Hugging Face's clean-up of blanks before full stops.
        QCOMPARE(tokenizer->decode(Ids{6, 3, 8, 0}), std::string("cb ."));
    }

    void modelsAreVocabularies()
    {
        const Folder folder;
        folder.write("vocab.src.spm", ownModel({"▁a", "b", "▁"}));
        folder.write("vocab.trg.spm", ownModel({"▁c", "b"}));
        const auto tokenizer = folder.open("vocab.src.spm", "vocab.trg.spm", 5).valueOrThrow();
        QCOMPARE(tokenizer->encodeSource("ab b").valueOrThrow().ids, (Ids{2, 3, 4, 3, 0}));
        QCOMPARE(tokenizer->encodeTarget("cb").valueOrThrow().ids, (Ids{2, 3, 0}));
        QCOMPARE(tokenizer->decode(Ids{2, 3, 0}), std::string("cb"));
        QCOMPARE(tokenizer->vocabularySize(), 6);
        QCOMPARE(tokenizer->targetVocabularySize(), 6);
    }

    void oldNamesAndTextAreRead()
    {
        const Folder folder;
        folder.write("vocab.yml", "eos: 0\nUNK: 1\n\"▁a\": 2\nb: 3\n");
        QCOMPARE(folder.open().valueOrThrow()->encodeSource("abd").valueOrThrow().ids, (Ids{2, 3, 1, 0}));
        folder.write("src.vocab", "</s>\n<unk>\n▁a\nb\n");
        QCOMPARE(folder.open("src.vocab", "src.vocab").valueOrThrow()->encodeSource("ab").valueOrThrow().ids,
                 (Ids{2, 3, 0}));
    }

    /// As OPUS-MT's vocabularies have them: YAML forbids the first and takes the second for the end of a line.
    void controlCharactersOfPiecesAreRead()
    {
        const Folder folder;
        folder.write("source.spm", serialize(smallModel({"▁a", "b", "▁", "\u0092", "\u0085", "\u2028"})));
        folder.write("vocab.yml", "</s>: 0\n<unk>: 1\n\"▁a\": 2\nb: 3\n\"\u0092\": 4\n\"\u0085\": 5\n\u2028: 6\n");
        const auto tokenizer = folder.open().valueOrThrow();
        QCOMPARE(tokenizer->encodeSource("a\u0092b").valueOrThrow().ids, (Ids{2, 4, 3, 0}));
        QCOMPARE(tokenizer->pieceText(5), std::string("\u0085"));
        QCOMPARE(tokenizer->pieceText(6), std::string("\u2028"));
    }

    void foldersWithoutPiecesHaveNoTokenizer()
    {
        const Folder folder;
        folder.remove("source.spm");
        folder.remove("target.spm");
        const auto opened = folder.open();
        QVERIFY(opened.isOk() && !opened.value()); // data bring input_ids
    }

    void whatIsMissingIsNamed()
    {
        const Folder folder;
        folder.write("vocab.yml", "</s>: 0\n<unk>: 1\na: 1\n");
        QVERIFY2(has(folder.error(), "vocab.yml: the id 1 is given to two pieces"), folder.error().c_str());
        folder.write("vocab.yml", "</s>: 0\n<unk>: x\n");
        QVERIFY2(has(folder.error(), "the id of \"<unk>\" is not a whole number"), folder.error().c_str());
        folder.write("vocab.yml", "a: 0\nb: 1\n");
        QVERIFY2(has(folder.error(), "vocab.yml lacks the special token \"</s>\""), folder.error().c_str());
        folder.remove("target.spm");
        folder.write("vocab.yml", "</s>: 0\n<unk>: 1\n");
        QVERIFY2(has(folder.error(), "lacks target.spm"), folder.error().c_str());
        folder.remove("vocab.yml");
        QVERIFY2(has(folder.error(), "vocab.yml"), folder.error().c_str());
    }

    void foldersWithoutVocabulariesHaveNoTokenizer()
    {
        const QTemporaryDir empty;
        const auto opened = openTokenizer(empty.path().toStdString(),
                                          {{"model_type", "marian-nmt"}, {"vocabs", nlohmann::json::array()}});
        QVERIFY(opened.isOk() && !opened.value());
    }
};

QTEST_APPLESS_MAIN(TestMarianNmtTokenizer)
#include "tst_mariannmttokenizer.moc"
