// Heads over training against the single analyses on every checkpoint.
#include "core/analysis/ablationspec.h"
#include "core/analysis/analysisinfo.h"
#include "core/analysis/confidencespec.h"
#include "core/analysis/dynamicsspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/importancespec.h"
#include "core/analysis/pruningspec.h"
#include "core/analysis/rolesspec.h"
#include "core/analysis/similarityspec.h"
#include "core/exporting/csv.h"
#include "core/formats/checkpointfolders.h"
#include "core/results/ablationresult.h"
#include "core/results/anyresult.h"
#include "core/results/confidenceresult.h"
#include "core/results/dynamicsresult.h"
#include "core/results/json.h"
#include "core/results/resultfields.h"
#include "core/results/roles.h"
#include "core/results/rolesfields.h"
#include "core/session/session.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

class TestDynamics : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::shared_ptr<Session> m_session;

    fs::path root() const { return m_folder.path().toStdString(); }
    DataSource data() const
    {
        DataSource source;
        source.source = (root() / "src").string();
        source.reference = (root() / "ref").string();
        return source;
    }
    /// The first sentence that has several words, again and again: every head has its largest weights at the same
    /// offsets always, some at one alone, which is a role.
    DataSource sameLines() const
    {
        std::ifstream lines(root() / "src");
        std::string line;
        while (std::getline(lines, line) && line.find(' ') == std::string::npos) { }
        const std::string two = line.substr(0, line.find(' ', line.find(' ') + 1));
        for (const char *name : {"same-src", "same-ref"}) {
            std::ofstream file(root() / name);
            for (int i = 0; i < 30; ++i)
                file << two << '\n';
        }
        DataSource source;
        source.source = (root() / "same-src").string();
        source.reference = (root() / "same-ref").string();
        return source;
    }
    fs::path keptIn(const char *runs) const { return root() / (std::string("kept-") + runs); }
    DynamicsSpec spec(const char *runs) const
    {
        DynamicsSpec spec;
        spec.runs = (root() / runs).string();
        spec.keep = keptIn(runs).string();
        return spec;
    }
    std::vector<fs::path> kept(const char *runs) const
    {
        std::vector<fs::path> files;
        for (const auto &entry : fs::directory_iterator(keptIn(runs)))
            files.push_back(entry.path());
        std::ranges::sort(files);
        return files;
    }
    /// Other weights than those of the tiny model as it is written: the numbers of its first matrices are shifted.
    static void changeWeights(const fs::path &folder)
    {
        std::fstream file(folder / "model.safetensors", std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(0, std::ios::end);
        const auto size = static_cast<std::int64_t>(file.tellg());
        for (std::int64_t at = size / 4 * 4 - 4; at > size / 2;
             at -= 4 * 37) { // signs of every 37th number of the second half
            file.seekg(at + 3);
            const int byte = file.get();
            file.seekp(at + 3);
            file.put(static_cast<char>(byte ^ 0x80));
        }
    }

private Q_SLOTS:
    void initTestCase()
    {
        writeTinyCorpus(root() / "src", root() / "ref", 12, 5);
        for (const char *name : {"run/epoch-010", "run/epoch-002", "run/epoch-000"})
            writeTinyModel(root() / name);
        changeWeights(root() / "run/epoch-002");
        fs::create_directories(root() / "run/no-model-7");
        m_session = Session::open(root() / "run/epoch-010", {}, {}).valueOrThrow();
        (void)m_session->setData(Domain::In, data(), {}).valueOrThrow();
    }

    void checkpointsAreFoundByTheirNumbers()
    {
        const auto found = checkpointFolders(root() / "run").valueOrThrow();
        QCOMPARE(found.size(), 3U);
        QCOMPARE(found[0].number, 0);
        QCOMPARE(found[1].number, 2);
        QCOMPARE(found[2].number, 10);
        QCOMPARE(found[2].name(), std::string("epoch-010"));
        for (const char *name : {"other/checkpoint-1500", "other/run2-checkpoint-900", "other/.hidden-3"}) {
            fs::create_directories(root() / name);
            std::ofstream(root() / name / "config.json") << "{}";
        }
        const auto other = checkpointFolders(root() / "other").valueOrThrow();
        QCOMPARE(other.size(), 2U);
        QCOMPARE(other[0].number, 900);
        QCOMPARE(other[1].number, 1500);
        QVERIFY(checkpointFolders(root() / "none").isError());
        QVERIFY(checkpointFolders(root() / "other/.hidden-3").isError());
    }

    /// Pythia's and OLMo's names, as folders and as branches in Hugging Face's cache.
    void checkpointsHaveStepsAndStages()
    {
        const std::vector<std::string> names{"step0", "step1", "step512-tokens2B", "stage1-step1000-tokens3B",
                                             "stage2-ingredient1-step200-tokens5B"};
        const auto model = [&](const fs::path &folder) {
            fs::create_directories(folder);
            std::ofstream(folder / "config.json") << "{}";
        };
        const fs::path cache = root() / "models--org--name";
        for (std::size_t i = 0; i < names.size(); ++i) {
            model(root() / "series" / names[i]);
            const std::string commit(1, static_cast<char>('a' + i));
            model(cache / "snapshots" / commit);
            fs::create_directories(cache / "refs");
            std::ofstream(cache / "refs" / names[i]) << commit;
        }
        std::ofstream(cache / "refs/main") << "a";
        std::ofstream(cache / "refs/step77") << "not fetched";
        for (const fs::path &series : {root() / "series", cache}) {
            const auto found = checkpointFolders(series).valueOrThrow();
            QCOMPARE(found.size(), names.size());
            const std::int64_t numbers[] = {0, 1, 512, 1000, 200};
            for (std::size_t i = 0; i < names.size(); ++i) {
                QCOMPARE(found[i].name(), names[i]);
                QCOMPARE(found[i].number, numbers[i]);
            }
            QCOMPARE(found[4].stage, 2);
        }
    }

    void checkpointsAreChosenByLogarithms()
    {
        std::vector<CheckpointFolder> all;
        for (const std::int64_t step : {0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 2000, 3000, 4000})
            all.push_back({"step", step});
        std::vector<std::int64_t> chosen;
        for (const CheckpointFolder &one : logSpaced(all, 4))
            chosen.push_back(one.number);
        QCOMPARE(chosen, (std::vector<std::int64_t>{0, 1, 16, 256, 4000}));
        QCOMPARE(logSpaced(all, 100).size(), all.size());
    }

    void numbersAreThoseOfEachCheckpointByItself()
    {
        std::vector<std::size_t> published;
        const auto result
            = m_session
                  ->run(Domain::In, spec("run"), {},
                        [&](const DynamicsResult &partial) { published.push_back(partial.checkpoints.size()); })
                  .valueOrThrow();
        QCOMPARE(published, (std::vector<std::size_t>{1, 2, 3}));
        QCOMPARE(result.metric, std::string("BLEU"));
        QCOMPARE(result.examples, 12);
        QCOMPARE(result.checkpoints.size(), 3U);
        for (const DynamicsCheckpoint &checkpoint : result.checkpoints) {
            const auto own = Session::open(root() / "run" / checkpoint.name, {}, {}).valueOrThrow();
            (void)own->setData(Domain::In, data(), {}).valueOrThrow();
            QCOMPARE(checkpoint.weightsHash, own->card().weightsHash);
            const auto importance = own->run(Domain::In, ImportanceSpec{}, {}).valueOrThrow();
            const auto ablation = own->run(Domain::In, AblationSpec{.resamples = 0}, {}).valueOrThrow();
            const auto confidence = own->run(Domain::In, ConfidenceSpec{}, {}).valueOrThrow();
            QCOMPARE(checkpoint.heads.size(), importance.heads.size());
            for (std::size_t i = 0; i < checkpoint.heads.size(); ++i) {
                const DynamicsHead &head = checkpoint.heads[i];
                QCOMPARE(head.importance, importance.heads[i].importance);
                const auto delta = std::ranges::find(ablation.heads, head.head, &HeadAblation::head);
                QVERIFY(delta != ablation.heads.end() && head.delta == delta->delta);
                const auto sure = std::ranges::find(confidence.heads, head.head, &HeadConfidence::head);
                QVERIFY(sure != confidence.heads.end() && head.confidence == sure->confidence);
            }
            const auto curve = own->run(Domain::In, PruningSpec{.resamples = 0}, {}).valueOrThrow().curves.front();
            QCOMPARE(checkpoint.curve.size(), 11U); // tenths
            QCOMPARE(checkpoint.score, ablation.baseline.value);
            for (std::size_t i = 0; i < curve.points.size(); ++i) {
                QCOMPARE(checkpoint.curve[i].pruned, curve.points[i].pruned);
                QCOMPARE(checkpoint.curve[i].score, curve.points[i].score);
                QVERIFY(checkpoint.score == 0
                            ? !checkpoint.curve[i].relative
                            : checkpoint.curve[i].relative == checkpoint.curve[i].score / checkpoint.score);
            }
        }
    }

    void equalWeightsAreNamed()
    {
        const auto result = m_session->run(Domain::In, spec("run"), {}).valueOrThrow();
        const auto remarks = AnalysisOf<DynamicsSpec>::remarks(result);
        QCOMPARE(remarks.size(), 1U);
        QVERIFY(remarks.front().find("epoch-000 and epoch-010") != std::string::npos);
    }

    void identicalCheckpointsGiveIdenticalLines()
    {
        // Beside each other in different formats of the same numbers would be other bytes; these are the same, in two
        // runs that keep nothing for each other.
        DynamicsSpec first = spec("run");
        first.keep = (root() / "kept-first").string();
        first.checkpoints = {0};
        DynamicsSpec last = first;
        last.keep = (root() / "kept-last").string();
        last.checkpoints = {10};
        const auto a = m_session->run(Domain::In, first, {}).valueOrThrow().checkpoints;
        const auto b = m_session->run(Domain::In, last, {}).valueOrThrow().checkpoints;
        QCOMPARE(a.size(), 1U);
        QCOMPARE(b.size(), 1U);
        Json one = fieldsJson(a.front());
        Json other = fieldsJson(b.front());
        QCOMPARE(one["name"].get<std::string>(), "epoch-000");
        QCOMPARE(other["name"].get<std::string>(), "epoch-010");
        for (Json *json : {&one, &other}) {
            json->erase("name");
            json->erase("number");
        }
        QCOMPARE(one.dump(), other.dump());
    }

    void otherWeightsGiveOtherLines()
    {
        const auto result = m_session->run(Domain::In, spec("run"), {}).valueOrThrow();
        QVERIFY(result.checkpoints[0].weightsHash == result.checkpoints[2].weightsHash);
        QVERIFY(result.checkpoints[0].weightsHash != result.checkpoints[1].weightsHash);
        QVERIFY(result.checkpoints[0].heads[0].importance != result.checkpoints[1].heads[0].importance);
    }

    void finishedCheckpointsAreNotComputedAgain()
    {
        for (const char *name : {"stopped/step-1", "stopped/step-2"})
            writeTinyModel(root() / name);
        changeWeights(root() / "stopped/step-2");
        // Stopped after the first checkpoint, as by a kill: what is on disk is all that stays.
        std::stop_source stop;
        const auto cut = m_session->run(Domain::In, spec("stopped"), JobControl(stop.get_token()),
                                        [&](const DynamicsResult &) { stop.request_stop(); });
        QVERIFY(cut.isCancelled());
        const auto before = kept("stopped");
        QCOMPARE(before.size(), 4U); // importance, pruning, ablation, confidence
        std::vector<fs::file_time_type> times;
        for (const fs::path &file : before)
            times.push_back(fs::last_write_time(file));
        const auto again = Session::open(root() / "stopped/step-2", {}, {}).valueOrThrow();
        (void)again->setData(Domain::In, data(), {}).valueOrThrow();
        const auto whole = again->run(Domain::In, spec("stopped"), {}).valueOrThrow();
        QCOMPARE(whole.checkpoints.size(), 2U);
        QCOMPARE(kept("stopped").size(), 8U);
        for (std::size_t i = 0; i < before.size(); ++i)
            QVERIFY(fs::last_write_time(before[i]) == times[i]);
        // What is damaged is made anew.
        std::ofstream(before.front()) << "{";
        const auto third = Session::open(root() / "stopped/step-1", {}, {}).valueOrThrow();
        (void)third->setData(Domain::In, data(), {}).valueOrThrow();
        const auto mended = third->run(Domain::In, spec("stopped"), {}).valueOrThrow();
        QCOMPARE(fieldsJson(mended.checkpoints[0]).dump(), fieldsJson(whole.checkpoints[0]).dump());
        QVERIFY(fs::file_size(before.front()) > 10);
    }

    /// A source tree or a share that others read, too: results go where the session keeps its work, or nowhere.
    void nothingIsWrittenBesideCheckpoints()
    {
        for (const char *name : {"shared/step-1", "shared/step-2"})
            writeTinyModel(root() / name);
        const auto listed = [this] {
            std::vector<std::string> names;
            for (const auto &entry : fs::recursive_directory_iterator(root() / "shared"))
                names.push_back(entry.path().string());
            std::ranges::sort(names);
            return names;
        };
        const auto before = listed();
        DynamicsSpec spec;
        spec.runs = (root() / "shared").string();
        spec.curvesOnly = true;
        ModelOptions options;
        options.workFolder = root() / "work";
        for (const ModelOptions &one : {ModelOptions(), options}) {
            const auto opened = Session::open(root() / "shared/step-2", one, {}).valueOrThrow();
            (void)opened->setData(Domain::In, data(), {}).valueOrThrow();
            (void)opened->run(Domain::In, spec, {}).valueOrThrow();
            QCOMPARE(listed(), before);
        }
        // Equal weights have equal results: of importance and of pruning.
        const fs::directory_iterator kept(root() / "work" / "checkpoints");
        QCOMPARE(std::distance(kept, fs::directory_iterator()), 2);
    }

    void curvesByThemselves()
    {
        DynamicsSpec only = spec("run");
        only.curvesOnly = true;
        only.checkpoints = {2};
        only.kinds = {HeadKind::Cross};
        const auto result = m_session->run(Domain::In, only, {}).valueOrThrow();
        QCOMPARE(result.checkpoints.size(), 1U);
        QCOMPARE(result.checkpoints[0].curve.back().pruned, 8);
        QVERIFY(std::ranges::none_of(result.checkpoints[0].heads,
                                     [](const DynamicsHead &head) { return head.delta || head.confidence; }));
        const AnyResult read = resultFromJson(nlohmann::json::parse(jsonText(toJson(result))), "it").valueOrThrow();
        QCOMPARE(jsonText(toJson(read)), jsonText(toJson(result)));
        const std::string csv = toCsv(result);
        QCOMPARE(std::ranges::count(csv, '\n'), 1 + 9 + 24); // tenths of 8 heads are 9 points
        QVERIFY(csv.find("epoch-002,2,head,,,BLEU,,,encoder.0.0,encoder,0,0,") != std::string::npos);
    }

    void rolesAndSpreadAreThoseOfEachCheckpointByItself()
    {
        DynamicsSpec asked = spec("run");
        asked.curvesOnly = asked.roles = asked.spread = true;
        asked.checkpoints = {2};
        const auto own = Session::open(root() / "run/epoch-002", {}, {}).valueOrThrow();
        (void)own->setData(Domain::In, sameLines(), {}).valueOrThrow();
        const auto result = own->run(Domain::In, asked, {}).valueOrThrow();
        const DynamicsCheckpoint &checkpoint = result.checkpoints.front();
        const auto roles = assignRoles(own->run(Domain::In, RolesSpec{}, {}).valueOrThrow());
        std::size_t labels = 0;
        for (std::size_t i = 0; i < roles.size(); ++i) {
            QVERIFY(checkpoint.heads[i].roles == roles[i].labels);
            labels += roles[i].labels.size();
        }
        QVERIFY(labels > 0); // or nothing was compared
        const auto layers = own->run(Domain::In, SimilaritySpec{.resamples = 0}, {}).valueOrThrow().layers;
        QCOMPARE(checkpoint.spreads.size(), layers.size());
        QCOMPARE(checkpoint.spreads.size(), 6U);
        for (std::size_t i = 0; i < layers.size(); ++i)
            QCOMPARE(checkpoint.spreads[i].spread, layers[i].spread);
        const AnyResult read = resultFromJson(nlohmann::json::parse(jsonText(toJson(result))), "it").valueOrThrow();
        QCOMPARE(jsonText(toJson(read)), jsonText(toJson(result)));
        const std::string csv = toCsv(result);
        QCOMPARE(std::ranges::count(csv, '\n'), 1 + 11 + 24 + 6);
        QVERIFY(csv.find("epoch-002,2,spread,,,,,,,encoder,1,,,,,,") != std::string::npos);
    }

    void closedHeadsAreMaskedThroughout()
    {
        fs::create_directories(root() / "gated");
        fs::copy(root() / "run/epoch-002", root() / "gated/epoch-001");
        const auto write
            = [&](const char *text) { std::ofstream(root() / "gated/epoch-001/alive_heads.json") << text; };
        write(R"({"enc-self": [[0, 1, 1, 1], [1, 1, 0, 1]]})");
        const HeadMask mask{{HeadKind::Encoder, 0, 0}, {HeadKind::Encoder, 1, 2}};
        DynamicsSpec asked = spec("gated");
        asked.roles = true;
        const auto checkpoint = m_session->run(Domain::In, asked, {}).valueOrThrow().checkpoints.front();
        QVERIFY(checkpoint.closed == mask);
        QVERIFY(checkpoint.curve.empty()); // the gates have pruned
        const auto own = Session::open(root() / "gated/epoch-001", {}, {}).valueOrThrow();
        (void)own->setData(Domain::In, data(), {}).valueOrThrow();
        const auto score = own->run(Domain::In, EvaluationSpec{.mask = mask, .resamples = 0}, {}).valueOrThrow();
        QCOMPARE(checkpoint.score, score.primary().value);
        const auto importance = own->run(Domain::In, ImportanceSpec{.mask = mask}, {}).valueOrThrow();
        for (std::size_t i = 0; i < importance.heads.size(); ++i)
            QCOMPARE(checkpoint.heads[i].importance, importance.heads[i].importance);
        QVERIFY(checkpoint.heads.front().roles.empty());
        // Other gates beside the same weights are another result.
        write(R"({"enc-self": [[1, 1, 1, 1], [1, 1, 1, 1]]})");
        QCOMPARE(m_session->run(Domain::In, asked, {}).valueOrThrow().checkpoints.front().curve.size(), 11U);
        write(R"({"enc-self": [[1]]})");
        QVERIFY(m_session->run(Domain::In, asked, {}).isError());
    }

    void orderOfOtherData()
    {
        writeTinyCorpus(root() / "src2", root() / "ref2", 9, 11);
        DataSource second;
        second.source = (root() / "src2").string();
        second.reference = (root() / "ref2").string();
        const auto session = Session::open(root() / "run/epoch-010", {}, {}).valueOrThrow();
        (void)session->setData(Domain::In, data(), {}).valueOrThrow();
        (void)session->setData(Domain::Out, second, {}).valueOrThrow();
        DynamicsSpec other = spec("run");
        other.checkpoints = {10};
        other.curvesOnly = other.orderOnOther = true;
        const auto result = session->run(Domain::In, other, {}).valueOrThrow();
        QCOMPARE(result.orderData, std::string("src2"));
        const auto importance = session->run(Domain::Out, ImportanceSpec{}, {}).valueOrThrow();
        QCOMPARE(result.checkpoints[0].heads[3].importance, importance.heads[3].importance);
    }

    void refusesWhatDoesNotFit()
    {
        QVERIFY(m_session->run(Domain::In, DynamicsSpec{}, {}).isError());
        DynamicsSpec missing = spec("run");
        missing.checkpoints = {3};
        const auto none = m_session->run(Domain::In, missing, {});
        QVERIFY(none.isError() && none.error().message.find("number 3") != std::string::npos);
        writeTinyModel(root() / "wider/epoch-001", {.heads = 2});
        const auto other = m_session->run(Domain::In, spec("wider"), {});
        QVERIFY(other.isError() && other.error().message.find("other heads") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestDynamics)
#include "tst_dynamics.moc"
