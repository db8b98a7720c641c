#include "core/formats/atomicfile.h"
#include "core/formats/textlines.h"
#include "tests/core/tokenize/goldens.h"
#include "tests/support/shareddata.h"

#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace headscope::testing;

namespace {

/// Compares all cases, reports the first ten that differ.
void compare(const Tokenizer &tokenizer, const nlohmann::json &cases)
{
    QVERIFY(cases.size() >= 60);
    int differing = 0;
    for (const nlohmann::json &golden : cases) {
        const std::string why = difference(tokenizer, golden);
        if (!why.empty() && ++differing <= 10)
            qWarning("%s", why.c_str());
    }
    QCOMPARE(differing, 0);
}

/// A folder that lives as long as the test, with files copied from the shared data.
class CopiedFolder
{
public:
    void copy(const std::filesystem::path &from, const char *name) const
    {
        std::filesystem::copy_file(from, path() / name);
    }
    void write(const char *name, const std::string &bytes) const
    {
        (void)writeFileAtomically(path() / name, bytes).valueOrThrow();
    }
    std::filesystem::path path() const { return m_folder.path().toStdString(); }
    std::unique_ptr<Tokenizer> open(const char *modelType) const
    {
        return openTokenizer(path(), {{"model_type", modelType}}).valueOrThrow();
    }

private:
    QTemporaryDir m_folder;
};

} // namespace

/// What Hugging Face's fast tokenizers gave for the same files and texts: ids, types, places, words, decoded text.
class TestTokenizerGoldens : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void madeUpTokenizers_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("generation");
        for (const char *name :
             {"bert-uncased", "bert-cased", "bert-accents", "roberta", "roberta-prefixed", "xlm-roberta", "camembert"})
            for (const char *generation : {"files", "json"})
                QTest::newRow(qPrintable(QString::fromLatin1(name) + u' ' + QLatin1String(generation)))
                    << QString::fromLatin1(name) << QString::fromLatin1(generation);
        for (const char *name : {"word-level", "unigram-bytes", "bpe-suffix", "bytes-sequence"})
            QTest::newRow(name) << QString::fromLatin1(name) << QStringLiteral("json");
    }

    void madeUpTokenizers()
    {
        QFETCH(QString, name);
        QFETCH(QString, generation);
        const std::filesystem::path folder = goldenFolder() / name.toStdString();
        const auto opened = openTokenizer(folder / generation.toStdString(), nlohmann::json::object());
        QVERIFY2(opened.isOk(), opened.isOk() ? "" : opened.error().message.c_str());
        compare(*opened.value(), readJsonFile(folder / "golden.json").valueOrThrow());
    }

    void realBertVocabulary()
    {
        const auto vocabulary = sharedData("data/vocab_bert_base_uncased/vocab.txt");
        if (vocabulary.empty())
            QSKIP("the real vocabulary is not on this machine (HEADSCOPE_SHARED)");
        const CopiedFolder folder;
        folder.copy(vocabulary, "vocab.txt");
        compare(*folder.open("bert"), goldenJson("real/bert-base-uncased.json"));
    }

    void realByteLevelVocabulary()
    {
        const auto vocabulary = sharedData("data/vocab_gpt2/vocab.json");
        if (vocabulary.empty())
            QSKIP("the real vocabulary is not on this machine (HEADSCOPE_SHARED)");
        const CopiedFolder folder;
        folder.copy(vocabulary, "vocab.json");
        folder.copy(sharedData("data/vocab_gpt2/merges.txt"), "merges.txt");
        const nlohmann::json golden = goldenJson("real/gpt2.json");
        folder.write("tokenizer_config.json", golden["settings"].dump());
        compare(*folder.open("roberta"), golden["cases"]);
    }

    void realSentencePieceModels_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"albert_spiece", "hf_test_sentencepiece", "sentencepiece_test_ja_model"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }

    void realSentencePieceModels()
    {
        QFETCH(QString, name);
        const auto model = sharedData("data/spm_models/" + name.toStdString() + ".model");
        if (model.empty())
            QSKIP("the real models are not on this machine (HEADSCOPE_SHARED)");
        const CopiedFolder folder;
        folder.copy(model, "sentencepiece.bpe.model");
        compare(*folder.open("xlm-roberta"), goldenJson("real/" + name.toStdString() + ".json"));
    }

    void sst2SentencesAsTheModelSawThem()
    {
        const auto model = sharedData("models/bert-sst2-mini");
        const auto sentences = sharedData("data/sst2/dev.tsv");
        if (model.empty() || sentences.empty())
            QSKIP("the real model is not on this machine (HEADSCOPE_SHARED)");
        const auto tokenizer = openTokenizer(model, readJsonFile(model / "config.json").valueOrThrow()).valueOrThrow();
        std::vector<std::string> lines = readLines(sentences).valueOrThrow();
        const auto golden = readLines(model / "golden.dev.jsonl").valueOrThrow();
        QCOMPARE(golden.size(), std::size_t{872});
        lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(golden.size())); // a header
        for (std::size_t i = 0; i < golden.size(); ++i) {
            const auto expected = parseJson(golden[i], "golden").valueOrThrow();
            const std::string text = sentenceOf(lines[i]);
            QCOMPARE(tokenizer->encodeSource(text).valueOrThrow().ids,
                     expected["input_ids"].get<std::vector<std::int64_t>>());
        }
    }

private:
    /// Of a line with a label and a sentence, in either order.
    static std::string sentenceOf(const std::string &line)
    {
        const std::size_t tab = line.find('\t');
        const std::string first = line.substr(0, tab);
        const std::string second = tab == std::string::npos ? std::string() : line.substr(tab + 1);
        return first.size() > second.size() ? first : second;
    }
};

QTEST_GUILESS_MAIN(TestTokenizerGoldens)
#include "tst_tokenizergoldens.moc"
