#include "core/formats/atomicfile.h"
#include "tests/core/tokenize/goldens.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;

namespace {

const nlohmann::json &settingsGoldens()
{
    static const nlohmann::json goldens
        = readJsonFile(familyFolder().parent_path() / "settingsgoldens.json").valueOrThrow();
    return goldens;
}

/// A model folder with these files, opened.
class FolderOfFiles
{
public:
    explicit FolderOfFiles(const nlohmann::json &files)
    {
        for (const auto &[name, content] : files.items())
            (void)writeFileAtomically(path() / name, content.dump()).valueOrThrow();
    }
    std::unique_ptr<Tokenizer> open(const std::string &modelType) const
    {
        return openTokenizer(path(), {{"model_type", modelType}}).valueOrThrow();
    }

private:
    std::filesystem::path path() const { return m_folder.path().toStdString(); }
    QTemporaryDir m_folder;
};

} // namespace

/// What tokenizer_config.json, special_tokens_map.json and added_tokens.json say beside a tokenizer.json, as the
/// version of transformers has it that wrote them (make_settings_goldens.py).
class TestTokenizerSettings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void idsAreTheLibrarys_data()
    {
        QTest::addColumn<int>("number");
        for (std::size_t i = 0; i < settingsGoldens()["cases"].size(); ++i)
            QTest::newRow(settingsGoldens()["cases"][i]["name"].get<std::string>().c_str()) << static_cast<int>(i);
    }

    void idsAreTheLibrarys()
    {
        QFETCH(int, number);
        const nlohmann::json &golden = settingsGoldens()["cases"][static_cast<std::size_t>(number)];
        const nlohmann::json &expected = golden[golden["follows"].get<std::string>()];
        const FolderOfFiles folder(golden["files"]);
        const auto tokenizer = folder.open(golden["model_type"].get<std::string>());
        for (std::size_t i = 0; i < expected["ids"].size(); ++i) {
            const auto text = settingsGoldens()["texts"][i].get<std::string>();
            const nlohmann::json ids = tokenizer->encodeSource(text).valueOrThrow().ids;
            QVERIFY2(ids == expected["ids"][i],
                     (text + ": " + ids.dump() + " instead of " + expected["ids"][i].dump()).c_str());
        }
        const auto first = expected["ids"][0].get<std::vector<std::int64_t>>();
        QCOMPARE(tokenizer->decode(first), expected["decoded"].get<std::string>());
    }

    void whereVersionsDifferANoteSaysSo_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("isNoted");
        QTest::newRow("prefix") << QStringLiteral("prefix of a general class") << true;
        QTest::newRow("prefix by the class") << QStringLiteral("prefix of GPT-2's class") << false;
        QTest::newRow("ends") << QStringLiteral("ends of Gemma") << true;
        QTest::newRow("ends of a general class") << QStringLiteral("ends of a general class") << false;
    }

    void whereVersionsDifferANoteSaysSo()
    {
        QFETCH(QString, name);
        QFETCH(bool, isNoted);
        for (const nlohmann::json &golden : settingsGoldens()["cases"]) {
            if (golden["name"] == name.toStdString())
                QCOMPARE(!FolderOfFiles(golden["files"]).open(golden["model_type"])->notes().empty(), isNoted);
        }
    }

    void idsBeyondTheEmbeddingAreRefused()
    {
        for (const nlohmann::json &golden : settingsGoldens()["cases"]) {
            if (golden["name"] != "a new token is named")
                continue;
            const auto tokenizer = FolderOfFiles(golden["files"]).open("llama");
            QCOMPARE(tokenizer->neededVocabulary(), 18);
            QCOMPARE(tokenizer->vocabularySize(), 19);
            tokenizer->limitIds(18);
            QVERIFY(tokenizer->encodeSource("a b").isOk());
            const auto refused = tokenizer->encodeSource("a<sep>");
            QVERIFY(!refused.isOk());
            QVERIFY(refused.error().message.find("<sep>") != std::string::npos);
        }
    }
};

QTEST_APPLESS_MAIN(TestTokenizerSettings)
#include "tst_tokenizersettings.moc"
