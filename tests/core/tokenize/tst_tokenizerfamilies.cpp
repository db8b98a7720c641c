#include "core/formats/atomicfile.h"
#include "core/formats/textlines.h"
#include "core/tokenize/pipeline/pattern.h"
#include "core/tokenize/pipeline/pretokenizer.h"
#include "tests/core/tokenize/goldens.h"
#include "tests/support/shareddata.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <cstdint>

using namespace headscope;
using namespace headscope::testing;

namespace {

using Ids = std::vector<std::int64_t>;

nlohmann::json goldenOf(const std::string &family)
{
    return readJsonFile(familyFolder() / family / "golden.json").valueOrThrow();
}

TokenizerOptions options(const nlohmann::json &golden)
{
    const auto codes = golden["languages"].get<std::vector<std::string>>();
    return codes.empty() ? TokenizerOptions{} : TokenizerOptions{codes[0], codes[1]};
}

/// Empty when a case with ids and decoded text only is met, otherwise what differs.
std::string textDifference(const Tokenizer &tokenizer, const nlohmann::json &golden)
{
    const Encoding encoding = tokenizer.encodeSource(golden["text"].get<std::string>()).valueOrThrow();
    const std::string about = fmt::format("text {}: ", golden["text"].dump());
    if (encoding.ids != golden["ids"].get<Ids>())
        return about + fmt::format("ids are {} instead of {}", shown(encoding.ids), golden["ids"].dump());
    const std::string decoded = tokenizer.decode(encoding.ids);
    if (decoded != golden["decoded"].get<std::string>())
        return about + fmt::format("decoded \"{}\" instead of {}", decoded, golden["decoded"].dump());
    return {};
}

std::string targetDifference(const Tokenizer &tokenizer, const nlohmann::json &golden)
{
    if (!golden.contains("target"))
        return {};
    const Ids ids = tokenizer.encodeTarget(golden["text"].get<std::string>()).valueOrThrow().ids;
    return ids == golden["target"].get<Ids>() ? std::string()
                                              : fmt::format("text {}: target ids are {} instead of {}",
                                                            golden["text"].dump(), shown(ids), golden["target"].dump());
}

/// Compares all cases, reports the first ten that differ.
void compare(const Tokenizer &tokenizer, const nlohmann::json &cases)
{
    QVERIFY(cases.size() >= 60);
    int differing = 0;
    for (const nlohmann::json &golden : cases) {
        std::string why = golden.contains("words") ? difference(tokenizer, golden) : textDifference(tokenizer, golden);
        if (why.empty())
            why = targetDifference(tokenizer, golden);
        if (!why.empty() && ++differing <= 10)
            qWarning("%s", why.c_str());
    }
    QCOMPARE(differing, 0);
}

std::string errorOf(const Result<std::unique_ptr<Tokenizer>> &opened)
{
    return opened.isOk() ? std::string() : opened.error().message;
}

std::unique_ptr<Tokenizer> open(const std::string &folder, const TokenizerOptions &options = {},
                                const nlohmann::json &config = nlohmann::json::object())
{
    return openTokenizer(familyFolder() / folder, config, options).valueOrThrow();
}

} // namespace

/// What Hugging Face's tokenizers of the new families gave for the same files and texts, and their languages.
class TestTokenizerFamilies : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void families_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("generation");
        for (const char *name : {"bart", "gpt2", "qwen2", "mbart", "mbart50", "nllb", "nllb-legacy", "t5", "mt5",
                                 "llama", "llama-new", "deberta", "deberta-lower", "albert", "pegasus", "gemma"})
            for (const char *generation : {"files", "json"})
                QTest::newRow(qPrintable(QString::fromLatin1(name) + u' ' + QLatin1String(generation)))
                    << QString::fromLatin1(name) << QString::fromLatin1(generation);
        for (const char *name : {"gpt2-bos", "m2m", "wmt21", "albert-accents"})
            QTest::newRow(name) << QString::fromLatin1(name) << QStringLiteral("files");
        QTest::newRow("llama3") << QStringLiteral("llama3") << QStringLiteral("json");
    }

    void families()
    {
        QFETCH(QString, name);
        QFETCH(QString, generation);
        const nlohmann::json golden = goldenOf(name.toStdString());
        const std::filesystem::path folder = familyFolder() / name.toStdString() / generation.toStdString();
        const auto opened = openTokenizer(folder, nlohmann::json::object(), options(golden));
        QVERIFY2(opened.isOk(), errorOf(opened).c_str());
        compare(*opened.value(), golden["cases"]);
        if (golden.contains("languageIds"))
            QCOMPARE(opened.value()->languages().targetId, golden["languageIds"][1].get<std::int64_t>());
    }

    /// As transformers 5 saved them (make_version5_tokenizers.py), with the ids that it gives.
    void savedByVersion5_data()
    {
        QTest::addColumn<QString>("folder");
        int count = 0;
        for (const auto &entry : std::filesystem::directory_iterator(familyFolder())) {
            const std::filesystem::path folder = entry.path() / "version5";
            if (!std::filesystem::exists(folder / "golden.json"))
                continue;
            QTest::newRow(entry.path().filename().c_str()) << QString::fromStdString(folder.string());
            ++count;
        }
        QVERIFY(count >= 12);
    }

    void savedByVersion5()
    {
        QFETCH(QString, folder);
        const std::filesystem::path path = folder.toStdString();
        const nlohmann::json golden = readJsonFile(path / "golden.json").valueOrThrow();
        const auto opened = openTokenizer(path, nlohmann::json::object(), options(golden));
        QVERIFY2(opened.isOk(), errorOf(opened).c_str());
        for (const nlohmann::json &one : golden["cases"]) {
            const Ids ids = opened.value()->encodeSource(one["text"].get<std::string>()).valueOrThrow().ids;
            QVERIFY2(ids == one["ids"].get<Ids>(),
                     fmt::format("text {}: ids are {} instead of {}", one["text"].dump(), shown(ids), one["ids"].dump())
                         .c_str());
        }
    }

    void splits_data()
    {
        QTest::addColumn<QByteArray>("golden");
        const nlohmann::json splits = readJsonFile(familyFolder() / "splits.json").valueOrThrow();
        for (const nlohmann::json &golden : splits)
            QTest::newRow(golden["part"]["pattern"].dump().substr(0, 60).c_str())
                << QByteArray::fromStdString(golden.dump());
    }

    void splits()
    {
        QFETCH(QByteArray, golden);
        const nlohmann::json json = parseJson(golden.toStdString(), "golden").valueOrThrow();
        const auto split = pipeline::makePreTokenizer(pipeline::Part(json["part"], "golden"));
        for (const nlohmann::json &one : json["cases"]) {
            std::vector<pipeline::AlignedText> texts;
            texts.emplace_back(one[0].get_ref<const std::string &>());
            nlohmann::json words = nlohmann::json::array();
            for (const auto &word : split->split(std::move(texts)))
                words.push_back(word.text());
            QVERIFY2(words == one[1],
                     fmt::format("{}: {} instead of {}", one[0].dump(), words.dump(), one[1].dump()).c_str());
        }
    }

    void runawayExpressionsEnd_data()
    {
        QTest::addColumn<QByteArray>("expression");
        for (const char *expression : {"(a|aa)+[bc]", "(aa|a)+[bc]"})
            QTest::newRow(expression) << QByteArray(expression);
    }

    void runawayExpressionsEnd()
    {
        QFETCH(QByteArray, expression);
        const nlohmann::json json{
            {"type", "Split"}, {"pattern", {{"Regex", expression.toStdString()}}}, {"behavior", "Isolated"}};
        const auto split = pipeline::makePreTokenizer(pipeline::Part(json, "made up"));
        std::vector<pipeline::AlignedText> texts;
        texts.emplace_back(std::string(5000, 'a'));
        QElapsedTimer timer;
        timer.start();
        std::string message;
        try {
            (void)split->split(std::move(texts));
        } catch (const Failure &failure) {
            message = failure.error().message;
        }
        QVERIFY2(message.find("regular expression takes too much on this text") != std::string::npos, message.c_str());
        QVERIFY(timer.elapsed() < 20'000);
    }

    void unreadableExpressionsAreRefused_data()
    {
        QTest::addColumn<QByteArray>("expression");
        for (const char *expression :
             {"(?i:a", "[a", "*a", "a\\", "\\p{Nowhere}", "(?<name", "\\k<none>", "a{2,1000000}"})
            QTest::newRow(expression) << QByteArray(expression);
    }

    void unreadableExpressionsAreRefused()
    {
        QFETCH(QByteArray, expression);
        const nlohmann::json json{
            {"type", "Split"}, {"pattern", {{"Regex", expression.toStdString()}}}, {"behavior", "Isolated"}};
        std::string message;
        try {
            (void)pipeline::makePreTokenizer(pipeline::Part(json, "made up"));
        } catch (const Failure &failure) {
            message = failure.error().message;
        }
        QVERIFY2(message.find("the regular expression " + expression.toStdString() + " cannot be read: ")
                     != std::string::npos,
                 message.c_str());
    }

    void languagesAndHowTheDecoderLearnsThem_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("languages");
        QTest::addColumn<bool>("isStartToken");
        QTest::newRow("mbart") << QStringLiteral("mbart/files") << 25 << true;
        QTest::newRow("mbart50") << QStringLiteral("mbart50/json") << 52 << false;
        QTest::newRow("nllb") << QStringLiteral("nllb/files") << 202 << false;
        QTest::newRow("nllb with few") << QStringLiteral("nllb-legacy/files") << 4 << false;
        QTest::newRow("m2m") << QStringLiteral("m2m/files") << 100 << false;
        QTest::newRow("wmt21") << QStringLiteral("wmt21/files") << 8 << false;
        QTest::newRow("t5") << QStringLiteral("t5/files") << 0 << false;
    }

    void languagesAndHowTheDecoderLearnsThem()
    {
        QFETCH(QString, name);
        QFETCH(int, languages);
        QFETCH(bool, isStartToken);
        const auto tokenizer = open(name.toStdString());
        QCOMPARE(static_cast<int>(tokenizer->languages().known.size()), languages);
        QCOMPARE(tokenizer->languages().start == Languages::Start::StartToken, isStartToken);
        QCOMPARE(tokenizer->languages().targetId, std::int64_t{-1});
    }

    void languagesThatAreMissingAreAskedFor()
    {
        const auto nobody = open("m2m/files");
        QCOMPARE(QString::fromStdString(nobody->languages().requireBoth().error().message),
                 QStringLiteral("the model translates between 100 languages: choose with --source-language and "
                                "--target-language (it knows af, am, ar, ast, az, ba, be, bg, bn, br, bs, ca and 88 "
                                "more)"));
        QCOMPARE(nobody->encodeSource("the").error().message, nobody->languages().requireSource().error().message);
        QVERIFY(nobody->languages().requireSource().error().message.find("--target") == std::string::npos);
        const auto half = open("mbart50/files", {"de_DE", ""});
        QVERIFY(half->encodeSource("the").isOk());
        QCOMPARE(half->encodeTarget("the").error().message, half->languages().requireBoth().error().message);
        QVERIFY(half->languages().requireBoth().error().message.find("--source") == std::string::npos);
    }

    void languagesThatAreUnknownAreNamedWithTheirLikes()
    {
        QCOMPARE(QString::fromStdString(errorOf(openTokenizer(familyFolder() / "nllb/json", {}, {"eng_Latn", "de"}))),
                 QStringLiteral("--target-language: the model does not know the language \"de\"; it knows deu_Latn, "
                                "ace_Arab, ace_Latn, acm_Arab, acq_Arab, aeb_Arab, afr_Latn, ajp_Arab, aka_Latn, "
                                "amh_Ethi, apc_Arab, arb_Arab and 190 more"));
        const std::string none = errorOf(openTokenizer(familyFolder() / "t5/files", {}, {"en", "de"}));
        QVERIFY2(none.find("leave out --source-language") != std::string::npos, none.c_str());
    }

    void languagesThatTheFolderNamesAreTheDefault()
    {
        const Ids ids = goldenOf("mbart")["languageIds"].get<Ids>();
        // As mBART's translation models have it: the decoder's first token in the model's own settings.
        const auto forced = open("mbart/files", {}, {{"decoder_start_token_id", ids[1]}});
        QCOMPARE(QString::fromStdString(forced->languages().target), QStringLiteral("ro_RO"));
        QCOMPARE(QString::fromStdString(forced->languages().source), QString());
        QCOMPARE(open("mbart/files", {"", "en_XX"}, {{"decoder_start_token_id", ids[1]}})->languages().target,
                 std::string("en_XX"));
        QVERIFY(open("mbart/files", {}, {{"decoder_start_token_id", 2}})->languages().target.empty());
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.path().toStdString();
        std::filesystem::copy(familyFolder() / "m2m/files", path, std::filesystem::copy_options::recursive);
        const nlohmann::json settings{{"tokenizer_class", "M2M100Tokenizer"}, {"src_lang", "fr"}, {"tgt_lang", "zu"}};
        (void)writeFileAtomically(path / "tokenizer_config.json", settings.dump()).valueOrThrow();
        const auto named = openTokenizer(path, {{"model_type", "m2m_100"}}).valueOrThrow();
        QCOMPARE(named->languages().source, std::string("fr"));
        QCOMPARE(named->languages().targetId, goldenOf("m2m")["languageIds"][1].get<std::int64_t>());
    }

    void modelTypesAloneFindTheirTokenizers_data()
    {
        QTest::addColumn<QString>("files");
        QTest::addColumn<QString>("modelType");
        const std::pair<const char *, const char *> rows[] = {
            {"bart/files", "bart"},   {"gpt2/files", "gpt2"},     {"mbart/files", "mbart"}, {"nllb/files", "m2m_100"},
            {"m2m/files", "m2m_100"}, {"t5/files", "t5"},         {"mt5/files", "mt5"},     {"qwen2/files", "qwen2"},
            {"llama/files", "llama"}, {"llama/files", "mistral"}, {"llama3/json", "llama"}};
        for (const auto &[files, modelType] : rows)
            QTest::newRow(qPrintable(QLatin1String(files) + u' ' + QLatin1String(modelType)))
                << QString::fromLatin1(files) << QString::fromLatin1(modelType);
    }

    /// Without the class that tokenizer_config.json names.
    void modelTypesAloneFindTheirTokenizers()
    {
        QFETCH(QString, files);
        QFETCH(QString, modelType);
        const std::string name = files.toStdString();
        const nlohmann::json golden = goldenOf(name.substr(0, name.find('/')));
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.path().toStdString();
        std::filesystem::copy(familyFolder() / name, path, std::filesystem::copy_options::recursive);
        nlohmann::json settings = readJsonFile(path / "tokenizer_config.json").valueOrThrow();
        if (name != "llama3/json") // whose class says that tokenizer.json is all there is
            settings.erase("tokenizer_class");
        (void)writeFileAtomically(path / "tokenizer_config.json", settings.dump()).valueOrThrow();
        const auto opened = openTokenizer(path, {{"model_type", modelType.toStdString()}}, options(golden));
        QVERIFY2(opened.isOk(), errorOf(opened).c_str());
        compare(*opened.value(), golden["cases"]);
    }

    void damagedFilesAreRefused_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("message");
        const auto row = [](const char *name, const char *family, const char *file, const QByteArray &content,
                            const char *message) {
            QTest::newRow(name) << QString::fromLatin1(family) << QString::fromLatin1(file) << content
                                << QString::fromLatin1(message);
        };
        row("extra ids", "t5/files", "tokenizer_config.json", R"({"tokenizer_class":"T5Tokenizer","extra_ids":1e9})",
            "extra_ids");
        row("no model", "t5/files", "spiece.model", "no model", "is not a SentencePiece model");
        row("a Unigram model", "llama/files", "tokenizer.model", contentOf("t5/files/spiece.model"),
            "is no byte pair encoding");
        row("taken id", "m2m/files", "added_tokens.json", R"({"__en__":7})", "belongs to another piece");
        row("huge id", "m2m/files", "added_tokens.json", R"({"__en__":5,"__de__":99999999999})",
            "belongs to another piece");
        row("no object", "m2m/files", "vocab.json", "[]", "must hold a JSON object");
    }

    void damagedFilesAreRefused()
    {
        QFETCH(QString, family);
        QFETCH(QString, file);
        QFETCH(QByteArray, content);
        QFETCH(QString, message);
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.path().toStdString();
        std::filesystem::copy(familyFolder() / family.toStdString(), path, std::filesystem::copy_options::recursive);
        (void)writeFileAtomically(path / file.toStdString(), content.toStdString()).valueOrThrow();
        const std::string error = errorOf(openTokenizer(path, nlohmann::json::object()));
        QVERIFY2(error.find(message.toStdString()) != std::string::npos, error.c_str());
    }

    void realVocabularies_data()
    {
        QTest::addColumn<QString>("golden");
        for (const char *name : {"gpt2", "t5-albert", "mbart50-albert"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }

    void realVocabularies()
    {
        QFETCH(QString, golden);
        const nlohmann::json json
            = readJsonFile(familyFolder() / "real" / (golden.toStdString() + ".json")).valueOrThrow();
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.path().toStdString();
        for (const auto &[name, from] : json["files"].items()) {
            const auto file = sharedData("data/" + from.get<std::string>());
            if (file.empty())
                QSKIP("the real vocabularies are not on this machine (HEADSCOPE_SHARED)");
            std::filesystem::copy_file(file, path / name);
        }
        (void)writeFileAtomically(path / "tokenizer_config.json", json["settings"].dump()).valueOrThrow();
        compare(*openTokenizer(path, nlohmann::json::object(), options(json)).valueOrThrow(), json["cases"]);
    }

private:
    static QByteArray contentOf(const char *file)
    {
        return QByteArray::fromStdString(readBytes(familyFolder() / file, {}, std::int64_t{1} << 20).valueOrThrow());
    }
};

QTEST_GUILESS_MAIN(TestTokenizerFamilies)
#include "tst_tokenizerfamilies.moc"
