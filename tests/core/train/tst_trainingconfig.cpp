#include "core/formats/atomicfile.h"
#include "core/train/trainingconfig.h"

#include <QTemporaryDir>
#include <QTest>

using namespace headscope;

/// CONFIG.json: what is written is read again, and mistakes are named.
class TestTrainingConfig : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    Result<TrainingConfig> read(const std::string &text) const
    {
        const std::filesystem::path file = std::filesystem::path(m_folder.path().toStdString()) / "config.json";
        (void)writeFileAtomically(file, text);
        return readTrainingConfig(file);
    }

private Q_SLOTS:
    void writtenIsRead();
    void pathsAreTakenFromTheFile();
    void mistakesAreNamed_data();
    void mistakesAreNamed();
    void whatCannotBeIsRefused_data();
    void whatCannotBeIsRefused();
};

void TestTrainingConfig::writtenIsRead()
{
    TrainingConfig config;
    config.output = "/tmp/run";
    config.startFrom = "/tmp/model";
    config.train.source = "/tmp/a.en";
    config.train.reference = "/tmp/a.fr";
    config.train.limit = 7;
    config.validation.table = "/tmp/dev.tsv";
    config.validation.textColumn = "text";
    config.model.width = 64;
    config.model.decoderHeads = 2;
    config.vocabulary.joint = false;
    config.vocabulary.type = "bpe";
    config.optimizer = {OptimizerKind::AdamW, 0.8, 0.9, 1e-6, 0.01, 0.5};
    config.schedule = {ScheduleKind::Cosine, 3e-4, 10};
    config.goal = ValidationGoal::Loss;
    config.patience = 3;
    config.saveDtype = "f16";
    config.seed = std::uint64_t(1) << 63;
    config.plain = true;
    const auto again = read(trainingConfigText(config));
    QVERIFY(again.isOk());
    QCOMPARE(trainingConfigText(again.value()), trainingConfigText(config));
    QVERIFY(again.value() == config);
}

void TestTrainingConfig::pathsAreTakenFromTheFile()
{
    const auto config = read(R"({"output": "run", "train": {"source": "../a.en", "reference": "/b.fr"}})");
    QVERIFY(config.isOk());
    const std::filesystem::path folder(m_folder.path().toStdString());
    QCOMPARE(config.value().output, folder / "run");
    QCOMPARE(config.value().train.source, (folder.parent_path() / "a.en").string());
    QCOMPARE(config.value().train.reference, std::string("/b.fr"));
    QVERIFY(config.value().validation.source.empty());
}

void TestTrainingConfig::mistakesAreNamed_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("named");
    QTest::newRow("no JSON") << std::string("{") << std::string("config.json");
    QTest::newRow("no object") << std::string("[]") << std::string("JSON object");
    QTest::newRow("unknown key") << std::string(R"({"epoch": 3})") << std::string("\"epoch\"");
    QTest::newRow("unknown inner key") << std::string(R"({"model": {"heads": 3}})") << std::string("\"heads\"");
    QTest::newRow("text for a number") << std::string(R"({"epochs": "3"})") << std::string("whole number");
    QTest::newRow("negative seed") << std::string(R"({"seed": -3})") << std::string("\"seed\"");
    QTest::newRow("unknown choice") << std::string(R"({"schedule": {"name": "steps"}})") << std::string("inverse-sqrt");
}

void TestTrainingConfig::mistakesAreNamed()
{
    QFETCH(std::string, text);
    QFETCH(std::string, named);
    const auto config = read(text);
    QVERIFY(config.isError());
    QVERIFY2(config.error().message.find(named) != std::string::npos, config.error().message.c_str());
}

void TestTrainingConfig::whatCannotBeIsRefused_data()
{
    QTest::addColumn<std::string>("change");
    QTest::addColumn<std::string>("named");
    const auto row = [](const char *name, const char *change, const char *named) {
        QTest::newRow(name) << std::string(change) << std::string(named);
    };
    row("fine", "", "");
    row("heads", R"(, "model": {"width": 10, "encoder_heads": 3})", "divided");
    row("dropout", R"(, "dropout": 1.5)", "dropout");
    row("patience without validation", R"(, "patience": 2)", "validation");
    row("dtype", R"(, "dtype": "f64")", "f64");
    row("batch", R"(, "batch_tokens": 1)", "batch tokens");
    row("vocabulary", R"(, "vocabulary": {"type": "word"})", "unigram");
}

void TestTrainingConfig::whatCannotBeIsRefused()
{
    QFETCH(std::string, change);
    QFETCH(std::string, named);
    const auto config = read(R"({"output": "run", "train": {"source": "a", "reference": "b"})" + change + "}");
    QVERIFY(config.isOk());
    const auto checked = checkTrainingConfig(config.value());
    QCOMPARE(checked.isOk(), named.empty());
    if (checked.isError())
        QVERIFY2(checked.error().message.find(named) != std::string::npos, checked.error().message.c_str());
}

QTEST_GUILESS_MAIN(TestTrainingConfig)
#include "tst_trainingconfig.moc"
