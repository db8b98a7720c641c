#include "core/analysis/evaluationspec.h"
#include "core/formats/atomicfile.h"
#include "core/formats/jsonfile.h"
#include "core/session/session.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <iterator>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

namespace {

bool contains(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

/// A model of several languages: which two was chosen when it was opened, and shows wherever it matters.
class TestLanguages : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path path(const char *name) const { return fs::path(m_folder.path().toStdString()) / name; }

    Result<std::shared_ptr<Session>> open(const std::string &source, const std::string &target) const
    {
        return Session::open(path("model"), {.threads = 1, .sourceLanguage = source, .targetLanguage = target}, {});
    }

    DataSource data() const
    {
        DataSource data;
        data.source = path("in.src");
        data.reference = path("in.ref");
        return data;
    }

    void write(const char *file, const std::string &bytes) const
    {
        (void)writeFileAtomically(path("model") / file, bytes).valueOrThrow();
    }

private Q_SLOTS:
    /// The tiny model, with M2M-100's tokenizer: two of its pieces make way for languages.
    void initTestCase()
    {
        writeTinyModel(path("model"));
        writeTinyCorpus(path("in.src"), path("in.ref"), 12, 1);
        nlohmann::json vocabulary = readJsonFile(path("model") / "vocab.json").valueOrThrow();
        for (auto piece = vocabulary.begin(); piece != vocabulary.end();)
            piece = *piece == 20 || *piece == 21 ? vocabulary.erase(piece) : std::next(piece);
        write("vocab.json", vocabulary.dump());
        write("added_tokens.json", R"({"__de__": 20, "__en__": 21})");
        write("tokenizer_config.json", R"({"tokenizer_class": "M2M100Tokenizer"})");
        fs::rename(path("model") / "source.spm", path("model") / "sentencepiece.bpe.model");
    }

    void withoutLanguagesThereIsNoData()
    {
        const auto session = open("", "").valueOrThrow();
        QCOMPARE(session->card().languages, (std::vector<std::string>{"de", "en"}));
        const auto warned = std::ranges::any_of(session->card().warnings, [](const std::string &warning) {
            return contains(warning, "--source-language and --target-language");
        });
        QVERIFY(warned);
        const auto refused = session->setData(Domain::In, data(), {});
        QVERIFY(!refused.isOk());
        QVERIFY(contains(refused.error().message, "--source-language and --target-language (it knows de, en)"));
        QVERIFY(!session->attention("a man", "", {}, {}, {}).isOk());
        const auto half = open("en", "").valueOrThrow()->setData(Domain::In, data(), {});
        QVERIFY(!half.isOk() && !contains(half.error().message, "--source-language"));
    }

    void unknownLanguagesAreRefused()
    {
        const auto refused = open("en", "fr");
        QVERIFY(!refused.isOk());
        QVERIFY(contains(refused.error().message, "--target-language") && contains(refused.error().message, "de, en"));
    }

    void theDecoderBeginsWithTheTarget()
    {
        for (const char *language : {"de", "en"}) {
            const auto session = open("en", language).valueOrThrow();
            const auto result = session->attention("a man runs", "", {}, {}, {}).valueOrThrow();
            QVERIFY(result.targetTokens.size() >= 2); // after the start token
            QCOMPARE(result.targetTokens[1].text, std::string("__") + language + "__");
            QCOMPARE(result.sourceTokens.front().text, std::string("__en__"));
        }
    }

    void languagesArePartOfEveryResult()
    {
        std::vector<std::string> keys;
        for (const char *language : {"de", "en"}) {
            const auto session = open("en", language).valueOrThrow();
            (void)session->setData(Domain::In, data(), {}).valueOrThrow();
            const Manifest manifest = session->run<EvaluationSpec>(Domain::In, {}, {}).valueOrThrow().manifest;
            QVERIFY2(contains(manifest.command, " --source-language en")
                         && contains(manifest.command, std::string(" --target-language ") + language),
                     manifest.command.c_str());
            QVERIFY(contains(manifest.spec, "\"target-language\":\"" + std::string(language) + "\""));
            keys.push_back(manifest.key());
        }
        QVERIFY(keys[0] != keys[1]);
    }
};

QTEST_GUILESS_MAIN(TestLanguages)
#include "tst_languages.moc"
