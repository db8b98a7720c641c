#include "core/results/resultstore.h"
#include "core/results/study.h"
#include "tests/core/results/sampleresults.h"
#include "tests/core/results/samplestudy.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <memory>
#include <sstream>

using namespace headscope;
using samples::sampleStudy;
namespace fs = std::filesystem;

namespace {

void writeText(const fs::path &path, const std::string &text)
{
    std::ofstream(path, std::ios::binary) << text;
}

std::string readText(const fs::path &path)
{
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

std::size_t fileCount(const fs::path &folder)
{
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

} // namespace

class TestStudy : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void comesBack();
    void pathsAreRelativeAndMoveAlong();
    void damagedResultsAreReported();
    void headsOfOtherModelsAreLeftOut();
    void misplacedResultsAreRefused();
    void savingAgainDropsOldResults();
    void failedSavingKeepsTheOldStudy();
    void changedFilesAndStrangeResultsStay();
    void strangeLayoutsAreLeftOut();
    void formatOneStaysReadable();
    void badStudiesAreRefused_data();
    void badStudiesAreRefused();
    void storeRefusesStrangeKeys();

private:
    fs::path root() const { return fs::path(m_folder->path().toStdString()); }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestStudy::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void TestStudy::comesBack()
{
    const fs::path file = root() / "a.headscope";
    Study study = sampleStudy(root());
    const StudyResults results = {{{samples::ablation(), samples::evaluation()}, {samples::pruning()}}};
    QVERIFY(saveStudy(study, results, file).isOk());
    QVERIFY(fs::is_directory(root() / "a.headscope.results"));
    const auto loaded = loadStudy(file);
    QVERIFY(loaded.isOk());
    QVERIFY(!loaded.value().study.version.empty());
    study.version = loaded.value().study.version;
    QVERIFY(loaded.value().study == study);
    QVERIFY(loaded.value().problems.empty());
    QCOMPARE(loaded.value().results[0].size(), std::size_t{2});
    QCOMPARE(loaded.value().results[1].size(), std::size_t{1});
    QCOMPARE(jsonText(toJson(loaded.value().results[0][0])), jsonText(toJson(samples::ablation())));
}

void TestStudy::pathsAreRelativeAndMoveAlong()
{
    fs::create_directories(root() / "one");
    const fs::path file = root() / "one" / "a.headscope";
    QVERIFY(saveStudy(sampleStudy(root() / "one"), {}, file).isOk());
    const std::string text = readText(file);
    QVERIFY(text.find("\"models/tiny\"") != std::string::npos);
    QVERIFY(text.find("\"data/test.en\"") != std::string::npos);
    QVERIFY2(text.find(root().string()) == std::string::npos, "an absolute path is in the file");
    fs::rename(root() / "one", root() / "two");
    const auto loaded = loadStudy(root() / "two" / "a.headscope");
    QCOMPARE(loaded.value().study.model->folder.string(), (root() / "two" / "models" / "tiny").string());
    QCOMPARE(loaded.value().study.data[0]->origin.source, (root() / "two" / "data" / "test.en").string());
    QVERIFY(loaded.value().study.data[0]->origin.table.empty());
}

/// Whoever shows a study looks its heads up in tables of the model's.
void TestStudy::headsOfOtherModelsAreLeftOut()
{
    const fs::path file = root() / "a.headscope";
    const Study own = sampleStudy(root());
    Study study = own;
    for (const HeadRef &head : {HeadRef{HeadKind::Decoder, 9, 9}, HeadRef{HeadKind::Encoder, 1, 1}})
        study.mask.set(head, true);
    study.pins.push_back({HeadKind::Cross, 7, 0});
    QVERIFY(saveStudy(study, {}, file).isOk());
    const LoadedStudy loaded = loadStudy(file).valueOrThrow();
    QVERIFY(loaded.study.mask == own.mask);
    QVERIFY(loaded.study.pins == own.pins);
    QCOMPARE(loaded.problems.size(), std::size_t{1});
    for (const char *head : {"encoder.1.1", "decoder.9.9"})
        QVERIFY2(loaded.problems.front().find(head) != std::string::npos, loaded.problems.front().c_str());
}

void TestStudy::damagedResultsAreReported()
{
    const fs::path file = root() / "a.headscope";
    const StudyResults results = {{{samples::ablation(), samples::importance(), samples::confidence()}, {}}};
    QVERIFY(saveStudy(sampleStudy(root()), results, file).isOk());
    const ResultStore store(resultsFolder(file));
    writeText(store.folder() / (samples::ablation().manifest.key() + ".json"), "{\"result\": \"abl");
    fs::remove(store.folder() / (samples::importance().manifest.key() + ".json"));
    const auto loaded = loadStudy(file);
    QVERIFY(loaded.isOk());
    QCOMPARE(loaded.value().problems.size(), std::size_t{2});
    QCOMPARE(loaded.value().results[0].size(), std::size_t{1});
    QVERIFY(loaded.value().results[0][0].is<ConfidenceResult>());
}

// Swapped files would show other numbers under their names. Results of other data or weights come back as what they
// are.
void TestStudy::misplacedResultsAreRefused()
{
    const fs::path file = root() / "a.headscope";
    const StudyResults results = {{{samples::ablation(), samples::importance(), samples::confidence()}, {}}};
    QVERIFY(saveStudy(sampleStudy(root()), results, file).isOk());
    const ResultStore store(resultsFolder(file));
    const fs::path one = store.folder() / (samples::ablation().manifest.key() + ".json");
    const fs::path two = store.folder() / (samples::importance().manifest.key() + ".json");
    const std::string first = readText(one);
    writeText(one, readText(two));
    writeText(two, first);
    auto loaded = loadStudy(file);
    QVERIFY(loaded.isOk());
    QCOMPARE(loaded.value().problems.size(), std::size_t{2});
    QVERIFY(loaded.value().problems[0].find(one.string()) != std::string::npos);
    QCOMPARE(loaded.value().results[0].size(), std::size_t{1});

    AblationResult foreign = samples::ablation();
    foreign.manifest.dataHash = "other data";
    ImportanceResult old = samples::importance();
    old.manifest.weightsHash = "other weights";
    QVERIFY(saveStudy(sampleStudy(root()), {{{AnyResult(foreign), AnyResult(old), samples::confidence()}, {}}}, file)
                .isOk());
    loaded = loadStudy(file);
    QVERIFY(loaded.isOk());
    QVERIFY(loaded.value().problems.empty());
    QCOMPARE(loaded.value().results[0].size(), std::size_t{3});
    QCOMPARE(manifestOf(loaded.value().results[0][0])->dataHash, foreign.manifest.dataHash);
}

void TestStudy::savingAgainDropsOldResults()
{
    const fs::path file = root() / "a.headscope";
    const Study study = sampleStudy(root());
    QVERIFY(saveStudy(study, {{{samples::ablation(), samples::importance()}, {}}}, file).isOk());
    writeText(resultsFolder(file) / "notes.json", "{}");
    QVERIFY(saveStudy(study, {{{samples::confidence()}, {}}}, file).isOk());
    // The user's own file stays.
    QCOMPARE(fileCount(resultsFolder(file)), std::size_t{2});
    QVERIFY(ResultStore(resultsFolder(file)).contains(samples::confidence().manifest.key()));
    QVERIFY(!ResultStore(resultsFolder(file)).contains(samples::ablation().manifest.key()));
}

void TestStudy::failedSavingKeepsTheOldStudy()
{
    const fs::path file = root() / "a.headscope";
    QVERIFY(saveStudy(sampleStudy(root()), {{{samples::ablation()}, {}}}, file).isOk());
    const std::string before = readText(file);
    // A comparison has no manifest: it must be refused before anything is written.
    Study changed = sampleStudy(root());
    changed.mask = {};
    QVERIFY(saveStudy(changed, {{{samples::comparison()}, {}}}, file).isError());
    QCOMPARE(readText(file), before);
    const auto nowhere = saveStudy(changed, {}, root() / "missing" / "a.headscope");
    QVERIFY(nowhere.isError());
    QVERIFY(nowhere.error().message.find("missing") != std::string::npos);
}

// A file as version 1 was written: must stay readable whatever the newest version is.
void TestStudy::formatOneStaysReadable()
{
    const fs::path file = root() / "old.headscope";
    writeText(file, R"({"format": "headscope-study", "format_version": 1, "version": "0.1.0",
        "model": {"folder": "m", "weights_hash": "w", "family": "marian", "heads": {"encoder": [[0, 1]]}},
        "data": {"in": {"name": "t", "hash": "h", "rows": 3, "source": "t.en", "reference": "t.fr",
                        "limit": 0, "results": []}},
        "run": {"seed": 7, "batch_tokens": 4096, "plain": false, "beams": 1},
        "mask": "encoder.0.1", "pins": ["encoder.0.0"], "layout": "x", "added later": 1})");
    const auto loaded = loadStudy(file);
    QVERIFY(loaded.isOk());
    const Study &study = loaded.value().study;
    QCOMPARE(study.model->layout.size(), 2);
    QCOMPARE(study.data[0]->origin.reference, (root() / "t.fr").string());
    QVERIFY(!study.data[1]);
    QVERIFY(study.data[0]->references);
    QCOMPARE(study.run.seed, std::uint64_t{7});
    QCOMPARE(toText(study.mask), std::string("encoder.0.1"));

    writeText(file, R"({"format": "headscope-study", "format_version": 1,
        "data": {"in": {"name": "a", "source": "t.en", "given_name": "mine", "limit": 5, "results": ["k"]},
                 "out": {"name": "b", "table": "t.tsv", "label_column": "y", "header": false}}})");
    const auto second = loadStudy(file);
    QVERIFY(second.isOk());
    const auto &data = second.value().study.data;
    QVERIFY(!data[0]->references);
    QCOMPARE(data[0]->origin.name, std::string("mine"));
    QCOMPARE(data[0]->origin.limit, 5);
    QVERIFY(data[1]->references);
    QVERIFY(!data[1]->origin.header);
    QCOMPARE(data[1]->origin.labelColumn, std::string("y"));
}

void TestStudy::badStudiesAreRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("empty") << QByteArray() << QByteArray("JSON");
    QTest::newRow("cut off") << QByteArray(R"({"format": "heads)") << QByteArray("JSON");
    QTest::newRow("other JSON") << QByteArray(R"({"a": 1})") << QByteArray("headscope-study");
    QTest::newRow("a list") << QByteArray("[]") << QByteArray("headscope-study");
    QTest::newRow("newer") << QByteArray(R"({"format": "headscope-study", "format_version": 99, "version": "9.0"})")
                           << QByteArray("99");
    QTest::newRow("no version") << QByteArray(R"({"format": "headscope-study"})") << QByteArray("format_version");
    QTest::newRow("no heads") << QByteArray(
        R"({"format": "headscope-study", "format_version": 1, "model": {"folder": "x"}})")
                              << QByteArray("heads");
    QTest::newRow("bad mask") << QByteArray(
        R"({"format": "headscope-study", "format_version": 1, "mask": "encoder.a.b"})")
                              << QByteArray("encoder.a.b");
}

// How the window looked when it was saved is no reason to refuse results.
void TestStudy::strangeLayoutsAreLeftOut()
{
    const fs::path file = root() / "strange.headscope";
    writeText(file, R"({"format": "headscope-study", "format_version": 1, "layout": 7,
        "pins": [3, "nonsense", "encoder.0.0", {"a": 1}]})");
    const auto loaded = loadStudy(file);
    QVERIFY2(loaded.isOk(), loaded.isOk() ? "" : loaded.error().message.c_str());
    QVERIFY(loaded.value().study.layout.empty());
    QCOMPARE(loaded.value().study.pins, (std::vector<HeadRef>{{HeadKind::Encoder, 0, 0}}));
}

// By somebody else, without asking this program: neither is lost.
void TestStudy::changedFilesAndStrangeResultsStay()
{
    const fs::path file = root() / "a.headscope";
    const Study study = sampleStudy(root());
    auto saved = saveStudy(study, {{{samples::ablation(), samples::importance()}, {}}}, file);
    QVERIFY(saved.isOk());
    const StudyOnDisk mine = saved.value();
    auto theirs = saveStudy(study, {{{samples::ablation(), samples::confidence()}, {}}}, file);
    QVERIFY(theirs.isOk());
    const std::string before = readText(file);
    const auto refused = saveStudy(study, {{{samples::ablation()}, {}}}, file, &mine);
    QVERIFY(refused.isError());
    QVERIFY(refused.error().message.find("changed by another program") != std::string::npos);
    QCOMPARE(readText(file), before);
    QVERIFY(ResultStore(resultsFolder(file)).contains(samples::confidence().manifest.key()));
    // Known again, but with results that this writer never saw.
    StudyOnDisk known = loadStudy(file).value().onDisk;
    known.keys.erase(samples::confidence().manifest.key());
    QVERIFY(saveStudy(study, {{{samples::importance()}, {}}}, file, &known).isOk());
    QVERIFY(ResultStore(resultsFolder(file)).contains(samples::confidence().manifest.key()));
    QVERIFY(!ResultStore(resultsFolder(file)).contains(samples::ablation().manifest.key()));
}

void TestStudy::badStudiesAreRefused()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, says);
    const fs::path file = root() / "bad.headscope";
    writeText(file, text.toStdString());
    const auto loaded = loadStudy(file);
    QVERIFY(loaded.isError());
    const auto message = QByteArray::fromStdString(loaded.error().message);
    QVERIFY2(message.contains("bad.headscope") && message.contains(says), message.constData());
    QVERIFY(loadStudy(root() / "absent.headscope").isError());
}

void TestStudy::storeRefusesStrangeKeys()
{
    const ResultStore store(root() / "store");
    writeText(root() / "secret.json", "{}");
    for (const char *key : {"../secret", "", "ABCDEF0123456789ABCDEF0123456789", "0123"}) {
        QVERIFY(store.load(key).isError());
        QVERIFY(!store.contains(key));
    }
}

QTEST_APPLESS_MAIN(TestStudy)
#include "tst_study.moc"
