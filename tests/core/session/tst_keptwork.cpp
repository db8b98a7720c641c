// Every long analysis × {cancelled, left, killed, on a full disk}: it goes on where it was, and comes to the result of
// a run that nothing disturbed.
#include "core/analysis/ablationspec.h"
#include "core/analysis/anyspec.h"
#include "core/analysis/confidencespec.h"
#include "core/analysis/gatingspec.h"
#include "core/analysis/importancespec.h"
#include "core/analysis/interactionsspec.h"
#include "core/analysis/patchspec.h"
#include "core/analysis/pruningspec.h"
#include "core/analysis/relevancespec.h"
#include "core/analysis/rolesspec.h"
#include "core/analysis/searchspec.h"
#include "core/analysis/shapleyspec.h"
#include "core/results/anyresult.h"
#include "core/results/importanceresult.h"
#include "core/results/json.h"
#include "core/results/results.h"
#include "core/session/session.h"
#include "tests/support/faultydisk.h"
#include "tests/support/tinymodel.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <stop_token>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

namespace {
/// A long analysis, and what it calls the part that takes long.
struct Long
{
    const char *name;
    AnySpec spec;
    std::string phase;
    int killAt = 6;       ///< the call that changes a file at which it is killed, in the middle
    bool ofPairs = false; ///< of clean and corrupt texts
};

std::vector<Long> longOnes()
{
    RunOptions run;
    run.decoding.beams = 1;
    std::vector<Long> all;
    all.push_back({"ablation", AblationSpec{.run = run, .resamples = 20}, "ablating heads", 16});
    all.push_back(
        {"optimal constants",
         AblationSpec{
             .run = run, .replacement = Replacement::Optimal, .resamples = 20, .fitExamples = 8, .fitSteps = 4},
         "fitting constants", 16});
    all.push_back({"one head a layer", AblationSpec{.run = run, .allButOne = true, .resamples = 20},
                   "keeping one head a layer", 16});
    all.push_back(
        {"pruning", PruningSpec{.run = run, .order = "random", .randomOrders = 3, .resamples = 20}, "pruning", 16});
    all.push_back({"greedy pruning", PruningSpec{.run = run, .order = "greedy", .resamples = 20, .greedyStep = 4},
                   "choosing head 1", 16});
    all.push_back({"search", SearchSpec{.run = run, .samples = 32, .resamples = 20}, "measuring masks", 70});
    all.push_back(
        {"Shapley values", ShapleySpec{.run = run, .orders = 2, .resamples = 20}, "measuring sets of heads", 16});
    all.push_back(
        {"interactions",
         InteractionsSpec{.run = run, .among = "encoder.0.0,encoder.1.3,cross.0.1,decoder.1.2", .resamples = 20},
         "removing pairs of heads", 10});
    all.push_back({"gates", GatingSpec{.run = run, .seeds = 6, .steps = 3, .batchExamples = 40}, "fitting gates"});
    all.push_back({"importance", ImportanceSpec{.run = run}, "importance"});
    all.push_back({"importance by batches",
                   ImportanceSpec{.run = run, .reduction = ImportanceReduction::Fisher, .batchExamples = 4},
                   "importance"});
    all.push_back({"confidence", ConfidenceSpec{.run = run}, "confidence"});
    all.push_back({"roles", RolesSpec{.run = run}, "roles"});
    all.push_back({"relevance", RelevanceSpec{.run = run, .sentences = true}, "relevance"});
    all.push_back({"patching", PatchSpec{.run = run, .resamples = 20}, "patching heads", 6, true});
    all.push_back(
        {"circuits", PatchSpec{.run = run, .circuits = true, .resamples = 20}, "measuring circuits", 6, true});
    all.push_back({"masks of a search", SearchSpec{.run = run, .samples = 32, .resamples = 20}, "searching masks", 16});
    return all;
}
} // namespace

class TestKeptWork : public QObject
{
    Q_OBJECT

    static constexpr int kRows = 240;
    QTemporaryDir m_folder;
    DataSource m_data;
    DataSource m_pairs;
    mutable bool m_ofPairs = false; ///< what sessions open: as the last chosen analysis needs

    fs::path path(const std::string &name) const { return fs::path(m_folder.path().toStdString()) / name; }

    std::shared_ptr<Session> session(const std::string &work) const
    {
        ModelOptions options;
        options.threads = 2;
        if (!work.empty())
            options.workFolder = path(work);
        auto opened = Session::open(path("model"), options, {}).valueOrThrow();
        (void)opened->setData(Domain::In, m_ofPairs ? m_pairs : m_data, {}).valueOrThrow();
        return opened;
    }
    static std::string contentOf(const AnyResult &result)
    {
        Json value = toJson(result);
        value.erase("manifest");
        return value.dump();
    }
    static std::int64_t examplesOf(const AnyResult &result) { return manifestOf(result)->examples; }

    /// Runs it, somebody watching, until half of it is done. Examples of the last result that was shown.
    std::int64_t runToTheMiddle(Session &session, const Long &one) const
    {
        std::stop_source stop;
        std::int64_t shown = 0;
        const JobControl control(stop.get_token(), [&](const Progress &progress) {
            if (progress.phase.id() == one.phase && progress.total > 0 && progress.done >= progress.total / 2)
                stop.request_stop();
        });
        const auto stopped = session.runAny(Domain::In, one.spec, control,
                                            [&](const AnyResult &partial) { shown = examplesOf(partial); });
        return stopped.isCancelled() ? shown : -1;
    }

    /// What a session that comes later knows at once, and what it comes to. Examples × variants that were done.
    std::int64_t goOn(Session &session, const Long &one, std::string &result) const
    {
        std::optional<std::int64_t> first;
        const JobControl control({}, [&](const Progress &progress) {
            if (progress.phase.id() == one.phase && !first)
                first = progress.done;
        });
        result = contentOf(session.runAny(Domain::In, one.spec, control).valueOrThrow());
        return first.value_or(-1);
    }
    std::string undisturbed(const Long &one) const
    {
        return contentOf(session("")->runAny(Domain::In, one.spec, {}).valueOrThrow());
    }
    static void addRows()
    {
        QTest::addColumn<int>("index");
        const auto all = longOnes();
        for (int i = 0; i < static_cast<int>(all.size()); ++i)
            QTest::newRow(all[static_cast<std::size_t>(i)].name) << i;
    }
    Long chosen(int index) const
    {
        Long one = longOnes()[static_cast<std::size_t>(index)];
        m_ofPairs = one.ofPairs;
        return one;
    }
    /// The same sentences, corrupt with their words in the reverse order, which are as many tokens.
    void writePairs(const std::string &name) const
    {
        std::ifstream sources(path("in.src")), references(path("in.ref"));
        std::ofstream out(path(name));
        out << "clean\tcorrupt\tanswer\twrong_answer\n";
        std::string source, answer, wrong = "none";
        while (std::getline(sources, source) && std::getline(references, answer)) {
            std::istringstream words(source);
            std::string corrupt;
            for (std::string word; words >> word;)
                corrupt = word + (corrupt.empty() ? "" : " ") + corrupt;
            if (answer.substr(0, 2) != wrong.substr(0, 2))
                out << source << '\t' << corrupt << '\t' << answer << '\t' << wrong << '\n';
            wrong = answer;
        }
    }

private Q_SLOTS:
    void initTestCase()
    {
        writeTinyModel(path("model"));
        writeTinyCorpus(path("in.src"), path("in.ref"), kRows, 3);
        m_data.source = path("in.src").string();
        m_data.reference = path("in.ref").string();
        writePairs("pairs.tsv");
        m_pairs.table = path("pairs.tsv").string();
    }

    /// First, while this process has no other threads. Nothing but what is on the disk is left of a killed one.
    void killed_data() { addRows(); }
    void killed()
    {
        QFETCH(int, index);
        const Long one = chosen(index);
        const std::string folder = "killed-" + std::to_string(index);
        // After the first block, or the first sums, while what is shown of them is written.
        QVERIFY(killedAtCall(one.killAt, [&] {
            (void)session(folder)->runAny(Domain::In, one.spec, JobControl(), [](const AnyResult &) {});
        }));
        bool anything = false;
        for (const auto &entry : fs::recursive_directory_iterator(path(folder)))
            anything = anything || entry.path().extension() == ".journal";
        QVERIFY(anything);
    }

    void goesOnAfterAKill_data() { addRows(); }
    void goesOnAfterAKill()
    {
        QFETCH(int, index);
        const Long one = chosen(index);
        std::string result;
        const std::int64_t before = goOn(*session("killed-" + std::to_string(index)), one, result);
        QCOMPARE(result, undisturbed(one));
        qInfo("%s: %lld done before", one.name, static_cast<long long>(before));
        QVERIFY(before != 0); // −1: all of it
    }

    /// In the same session, and in the next program after this one was left.
    void cancelledAndLeft_data() { addRows(); }
    void cancelledAndLeft()
    {
        QFETCH(int, index);
        const Long one = chosen(index);
        const std::string whole = undisturbed(one);
        std::string result;
        {
            const auto same = session("cancelled-" + std::to_string(index));
            QVERIFY(runToTheMiddle(*same, one) >= 0);
            QVERIFY(goOn(*same, one, result) > 0);
            QCOMPARE(result, whole);
        }
        const std::string folder = "left-" + std::to_string(index);
        const std::int64_t shown = runToTheMiddle(*session(folder), one);
        QVERIFY(shown >= 0);
        const auto next = session(folder);
        // What was shown last is known at once, with its examples.
        const std::vector<AnyResult> known = next->unfinished(Domain::In, {}).valueOrThrow();
        QCOMPARE(known.size(), shown > 0 ? 1U : 0U);
        for (const AnyResult &partial : known) {
            QVERIFY(manifestOf(partial)->partial);
            QCOMPARE(examplesOf(partial), shown);
        }
        QVERIFY(goOn(*next, one, result) > 0);
        QCOMPARE(result, whole);
        QVERIFY(next->unfinished(Domain::In, {}).valueOrThrow().empty());
        for (const auto &entry : fs::recursive_directory_iterator(path(folder)))
            QVERIFY2(entry.path().extension() != ".journal", entry.path().c_str());
    }

    /// A study takes what is kept of it along, also what is being written; where the study goes, it is found.
    void goesAlongWithAFolder_data() { addRows(); }
    void goesAlongWithAFolder()
    {
        QFETCH(int, index);
        const Long one = chosen(index);
        const std::string number = std::to_string(index);
        const std::string shared = "shared-" + number;
        const fs::path study = path("study-" + number) / "unfinished";
        fs::create_directories(study.parent_path());
        std::int64_t shown = 0;
        {
            const auto first = session(shared);
            std::stop_source stop;
            bool moved = false;
            const JobControl control(stop.get_token(), [&](const Progress &progress) {
                if (progress.phase.id() != one.phase || progress.total <= 0)
                    return;
                if (!moved && progress.done >= progress.total / 4) {
                    moved = true;
                    first->keepWorkIn(study);
                }
                if (progress.done >= progress.total / 2)
                    stop.request_stop();
            });
            const auto stopped = first->runAny(Domain::In, one.spec, control,
                                               [&](const AnyResult &partial) { shown = examplesOf(partial); });
            QVERIFY(stopped.isCancelled() && moved);
        }
        if (fs::exists(path(shared))) { // else nothing was kept before
            for (const auto &entry : fs::recursive_directory_iterator(path(shared)))
                QVERIFY2(entry.is_directory(), entry.path().c_str());
        }
        const fs::path elsewhere = path("moved-" + number) / "unfinished";
        fs::create_directories(elsewhere.parent_path());
        fs::rename(study, elsewhere);
        const auto next = session("nothing yet");
        next->keepWorkIn(elsewhere);
        const auto known = next->unfinished(Domain::In, {}).valueOrThrow();
        QCOMPARE(known.size(), shown > 0 ? 1U : 0U);
        std::string result;
        QVERIFY(goOn(*next, one, result) != 0);
        QCOMPARE(result, undisturbed(one));
        next->release({manifestOf(next->runAny(Domain::In, one.spec, {}).valueOrThrow())->key()});
        for (const auto &entry : fs::recursive_directory_iterator(elsewhere.parent_path()))
            QVERIFY2(one.phase == "choosing head 1" || entry.is_directory(), entry.path().c_str());
    }

    /// A copy of a study under another name leaves the first one what it had; a folder that cannot be written nothing
    /// at all.
    void copyOfAStudyKeepsItToo()
    {
        const Long one = chosen(0);
        const auto first = session("first place");
        first->keepWorkIn(path("first.results") / "unfinished");
        const std::int64_t shown = runToTheMiddle(*first, one);
        QVERIFY(shown > 0);
        std::ofstream(path("a file")) << "text";
        first->keepWorkIn(path("a file") / "unfinished");
        QCOMPARE(first->unfinished(Domain::In, {}).valueOrThrow().size(), 1U);
        first->keepWorkIn(path("second.results") / "unfinished");
        const std::string whole = undisturbed(one);
        for (const char *name : {"first.results", "second.results"}) {
            const auto next = session("empty place");
            next->keepWorkIn(path(name) / "unfinished");
            const auto known = next->unfinished(Domain::In, {}).valueOrThrow();
            QCOMPARE(known.size(), 1U);
            QCOMPARE(examplesOf(known.front()), shown);
            std::string result;
            QVERIFY(goOn(*next, one, result) > 0);
            QCOMPARE(result, whole);
        }
    }

    void unfinishedWorkIsOfTheseData()
    {
        const Long one = chosen(0);
        QVERIFY(runToTheMiddle(*session("other"), one) > 0);
        auto other = session("other");
        writeTinyCorpus(path("other.src"), path("other.ref"), kRows, 4);
        DataSource data;
        data.source = path("other.src").string();
        data.reference = path("other.ref").string();
        (void)other->setData(Domain::In, data, {}).valueOrThrow();
        QVERIFY(other->unfinished(Domain::In, {}).valueOrThrow().empty());
        (void)other->setData(Domain::In, m_data, {}).valueOrThrow();
        const auto known = other->unfinished(Domain::In, {}).valueOrThrow();
        QCOMPARE(known.size(), 1U);
        other->release({manifestOf(known.front())->key()}); // nobody wants it
        QVERIFY(other->unfinished(Domain::In, {}).valueOrThrow().empty());
        std::string result;
        QCOMPARE(goOn(*other, one, result), 0);
    }

    void fullDisk_data() { addRows(); }
    void fullDisk()
    {
        QFETCH(int, index);
        const Long one = chosen(index);
        const std::string whole = undisturbed(one);
        const auto opened = session("full-" + std::to_string(index));
        std::string result;
        {
            const DiskFullAfter full(2000);
            result = contentOf(
                opened->runAny(Domain::In, one.spec, JobControl(), [](const AnyResult &) {}).valueOrThrow());
        }
        QCOMPARE(result, whole);
        (void)goOn(*session("full-" + std::to_string(index)), one, result);
        QCOMPARE(result, whole);
    }

    void damagedSumsAreBegunAnew()
    {
        const Long one = chosen(10); // roles
        const std::string whole = undisturbed(one);
        QVERIFY(runToTheMiddle(*session("damaged"), one) >= 0);
        int damaged = 0;
        for (const auto &entry : fs::directory_iterator(path("damaged"))) {
            if (entry.path().extension() == ".journal") {
                fs::resize_file(entry.path(), fs::file_size(entry.path()) - 1);
                ++damaged;
            }
        }
        QCOMPARE(damaged, 1);
        std::string result;
        (void)goOn(*session("damaged"), one, result);
        QCOMPARE(result, whole);
    }
};

QTEST_GUILESS_MAIN(TestKeptWork)
#include "tst_keptwork.moc"
