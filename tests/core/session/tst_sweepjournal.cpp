// A sweep that is stopped, killed or dealt out comes to the result of one that was not.
#include "core/analysis/ablationspec.h"
#include "core/analysis/anyspec.h"
#include "core/analysis/pruningspec.h"
#include "core/analysis/searchspec.h"
#include "core/base/phases.h"
#include "core/engine/sweepjournal.h"
#include "core/results/ablationresult.h"
#include "core/results/anyresult.h"
#include "core/results/json.h"
#include "core/session/session.h"
#include "core/session/sweeps.h"
#include "tests/support/faultydisk.h"
#include "tests/support/tinyclassifier.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

using namespace headscope;
using namespace headscope::testing;
namespace fs = std::filesystem;

class TestSweepJournal : public QObject
{
    Q_OBJECT

    static constexpr int kRows = 150;
    QTemporaryDir m_folder;
    DataSource m_data;

    fs::path path(const std::string &name) const { return fs::path(m_folder.path().toStdString()) / name; }

    /// A session that has computed nothing yet.
    std::shared_ptr<Session> session() const
    {
        auto opened = Session::open(path("model"), {}, {}).valueOrThrow();
        (void)opened->setData(Domain::In, m_data, {}).valueOrThrow();
        return opened;
    }

    Result<AblationResult> swept(const std::string &journal, Shard shard = {}, const JobControl &control = {}) const
    {
        AblationSpec spec{.resamples = 20};
        spec.journal = journal.empty() ? journal : path(journal).string();
        spec.shard = shard;
        // Somebody watches, as at the command line: early estimates must not stand for final ones.
        return session()->run(Domain::In, spec, control, [](const AblationResult &) {});
    }

    /// A session whose work folder has this name.
    std::shared_ptr<Session> keeping(const std::string &folder) const
    {
        auto opened = Session::open(path("model"), {.workFolder = path(folder)}, {}).valueOrThrow();
        for (const Domain domain : {Domain::In, Domain::Out})
            (void)opened->setData(domain, m_data, {}).valueOrThrow();
        return opened;
    }
    std::vector<fs::path> filesIn(const std::string &folder, const std::string &ending) const
    {
        std::vector<fs::path> files;
        std::error_code none;
        for (const auto &entry : fs::directory_iterator(path(folder), none)) {
            if (entry.path().extension() == ending)
                files.push_back(entry.path());
        }
        return files;
    }
    /// Of everything that goes over masks.
    static std::vector<std::pair<std::string, AnySpec>> sweeps()
    {
        std::vector<std::pair<std::string, AnySpec>> all;
        all.emplace_back("ablate", AblationSpec{.resamples = 20});
        all.emplace_back("all-but-one", AblationSpec{.allButOne = true, .resamples = 20});
        all.emplace_back("precision", AblationSpec{.resamples = 20, .precision = 0.02});
        for (const char *order : {"importance", "ablation", "random", "greedy"})
            all.emplace_back(order, PruningSpec{.order = order, .randomOrders = 3, .resamples = 20});
        all.emplace_back("search", SearchSpec{.samples = 32, .resamples = 20});
        return all;
    }
    static std::string contentOf(const AnyResult &result)
    {
        Json value = toJson(result);
        value.erase("manifest");
        return value.dump();
    }

    /// All but when and how long.
    static std::string content(const AblationResult &result)
    {
        Json value = toJson(result);
        value.erase("manifest");
        return value.dump();
    }

    static SweptBlock block(double value)
    {
        return {.columns = 2,
                .baseline = {value, 1, value, 0},
                .variants = {{.variant = 1, .changed = 1, .rows = {1}, .values = {value + 1, 1}}},
                .precision = {}};
    }

private Q_SLOTS:
    void initTestCase()
    {
        writeTinyClassifier(path("model"), {.layers = 2, .heads = 4, .width = 16, .labels = {"a", "b"}});
        writeTinyTable(path("table.tsv"), kRows, 3);
        m_data.table = path("table.tsv").string();
    }

    void blocksComeBack()
    {
        const SweepIdentity sweep{.key = "key", .variants = 2, .blocks = {2, 2, 2}};
        {
            const auto journal = SweepJournal::open(path("blocks"), sweep).valueOrThrow();
            QVERIFY(!journal->has(1));
            (void)journal->append(1, block(0.1)).valueOrThrow();
            const SweptBlock read = journal->read(1).valueOrThrow();
            QCOMPARE(read.baseline, block(0.1).baseline);
            QVERIFY(SweepJournal::open(path("blocks"), sweep).isError()); // one program at a time
        }
        const auto journal = SweepJournal::open(path("blocks"), sweep).valueOrThrow();
        QVERIFY(journal->has(1) && !journal->has(0) && !journal->has(2));
        const SweptBlock read = journal->read(1).valueOrThrow();
        QCOMPARE(read.variants.size(), 1U);
        QCOMPARE(read.variants.front().rows, std::vector<std::int64_t>{1});
        QCOMPARE(read.variants.front().values, (std::vector<double>{1.1, 1}));
    }

    void whatIsCutOffIsComputedAgain()
    {
        const std::string whole = content(swept("").valueOrThrow());
        QCOMPARE(content(swept("whole").valueOrThrow()), whole);
        for (const HeadAblation &head : swept("whole").valueOrThrow().heads)
            QVERIFY(head.randomization && !head.replicates.empty());
        const auto size = fs::file_size(path("whole"));
        for (const double share : {0.0, 0.2, 0.4, 0.7, 0.99, 1.0}) { // as a kill leaves it
            fs::copy_file(path("whole"), path("cut"), fs::copy_options::overwrite_existing);
            fs::resize_file(path("cut"), static_cast<std::uintmax_t>(share * static_cast<double>(size)));
            QCOMPARE(content(swept("cut").valueOrThrow()), whole);
            QCOMPARE(fs::file_size(path("cut")), size);
        }
    }

    /// A block that was computed would be written again.
    void whatIsThereIsNotComputedAgain()
    {
        (void)swept("again").valueOrThrow();
        std::ifstream before(path("again"), std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(before), {}};
        const auto result = swept("again").valueOrThrow();
        std::ifstream after(path("again"), std::ios::binary);
        QCOMPARE((std::string{std::istreambuf_iterator<char>(after), {}}), bytes);
        QCOMPARE(result.examples, kRows);
    }

    void cancelledSweepsGoOn()
    {
        std::stop_source stop;
        std::int64_t seen = 0;
        const JobControl control(stop.get_token(), [&](const Progress &progress) {
            seen = progress.done;
            if (progress.done > progress.total / 3)
                stop.request_stop();
        });
        QVERIFY(swept("stopped", {}, control).isCancelled());
        QVERIFY(seen > 0 && fs::file_size(path("stopped")) > 0);
        QCOMPARE(content(swept("stopped").valueOrThrow()), content(swept("").valueOrThrow()));
    }

    void shardsAddUp()
    {
        std::vector<fs::path> parts;
        std::int64_t examples = 0;
        for (std::int64_t k = 0; k < 3; ++k) {
            const std::string name = "part" + std::to_string(k);
            const AblationResult part = swept(name, {.index = k, .count = 3}).valueOrThrow();
            QVERIFY(part.manifest.partial);
            QVERIFY(part.examples > 0 && part.examples < kRows);
            examples += part.examples;
            parts.push_back(path(name));
        }
        QCOMPARE(examples, kRows);
        const auto missing = joinSweeps({parts[0], parts[2]}, path("missing"));
        QVERIFY(missing.isError() && missing.error().message.find("Missing blocks") != std::string::npos);
        QVERIFY(!fs::exists(path("missing")));
        (void)joinSweeps({parts[2], parts[0], parts[1], parts[0]}, path("joined")).valueOrThrow();
        (void)joinSweeps({parts[1], parts[2], parts[0]}, path("joined too")).valueOrThrow();
        QVERIFY(joinSweeps(parts, path("joined")).isError()); // it is there
        AblationResult joined = swept("joined").valueOrThrow();
        QVERIFY(!joined.manifest.partial);
        AblationResult whole = swept("").valueOrThrow();
        joined.products = whole.products = {}; // what was in doubt depends on how examples go together
        QCOMPARE(content(joined), content(whole));
    }

    void everySweepGoesOn_data()
    {
        QTest::addColumn<int>("which");
        const auto all = sweeps();
        for (int i = 0; i < static_cast<int>(all.size()); ++i)
            QTest::newRow(all[static_cast<std::size_t>(i)].first.c_str()) << i;
    }

    /// Stopped again and again after a few blocks, each time by a program that ends: the result is that of one that was
    /// not, and no block is computed twice.
    void everySweepGoesOn()
    {
        QFETCH(int, which);
        const auto [name, spec] = sweeps()[static_cast<std::size_t>(which)];
        const std::string folder = "work " + name;
        const std::string whole = contentOf(session()->runAny(Domain::In, spec, {}).valueOrThrow());
        std::string result;
        int stops = 0;
        for (int attempt = 0; attempt < 60 && result.empty(); ++attempt) {
            std::stop_source stop;
            const JobControl control(stop.get_token(), [&](const Progress &progress) {
                if (progress.unit == "examples" && progress.phase.id() != "importance"
                    && progress.phase.id() != "gradients" && progress.done > attempt * progress.total / 5
                    && progress.done < progress.total)
                    stop.request_stop();
            });
            const auto stopped = keeping(folder)->runAny(Domain::In, spec, control);
            if (stopped.isOk()) {
                result = contentOf(stopped.value());
                continue;
            }
            QVERIFY(stopped.isCancelled());
            ++stops;
            QVERIFY(!filesIn(folder, ".journal").empty());
        }
        QVERIFY(stops > 0);
        QCOMPARE(result, whole);
        // It is kept instead of its journals until somebody holds it.
        QCOMPARE(filesIn(folder, ".journal").size(), 0U);
        QVERIFY(!filesIn(folder, ".json").empty());
        const auto found = keeping(folder);
        const AnyResult again = found->runAny(Domain::In, spec, {}).valueOrThrow();
        QCOMPARE(contentOf(again), whole);
        keeping("elsewhere")->release({manifestOf(again)->key()});
        QVERIFY(!filesIn(folder, ".json").empty());
        found->release({manifestOf(again)->key()});
        for (const fs::path &file : filesIn(folder, ".json")) // of what it asked for itself, by an earlier program
            QVERIFY(file.stem() != manifestOf(again)->key());
    }

    void whatIsInTheJournalIsNotComputedAgain()
    {
        const AnySpec spec = AblationSpec{.resamples = 20};
        std::stop_source stop;
        const JobControl control(stop.get_token(), [&](const Progress &progress) {
            if (progress.done > progress.total / 2)
                stop.request_stop();
        });
        QVERIFY(keeping("half")->runAny(Domain::In, spec, control).isCancelled());
        const auto journals = filesIn("half", ".journal");
        QCOMPARE(journals.size(), 1U);
        const auto size = fs::file_size(journals.front());
        // Blocks double: that of a half of the examples is not whole yet, all before it are.
        std::vector<std::int64_t> seen;
        (void)keeping("half")
            ->runAny(Domain::In, spec, JobControl({}, [&](const Progress &progress) { seen.push_back(progress.done); }))
            .valueOrThrow();
        QVERIFY(size > 0 && !seen.empty());
        const std::int64_t heads = 8;
        QVERIFY2(seen.front() % (heads + 1) == 0 && seen.front() >= 8 * (heads + 1), // a block at once
                 std::to_string(seen.front()).c_str());
    }

    void damagedJournalIsBegunAnew()
    {
        const AnySpec spec = AblationSpec{.resamples = 20};
        const std::string whole = contentOf(session()->runAny(Domain::In, spec, {}).valueOrThrow());
        std::stop_source stop;
        const JobControl control(stop.get_token(), [&](const Progress &progress) {
            if (progress.done > progress.total / 2)
                stop.request_stop();
        });
        QVERIFY(keeping("damaged")->runAny(Domain::In, spec, control).isCancelled());
        const auto journals = filesIn("damaged", ".journal");
        QCOMPARE(journals.size(), 1U);
        std::ofstream(journals.front()) << "what another program has left here, long enough to be taken for a record";
        QCOMPARE(contentOf(keeping("damaged")->runAny(Domain::In, spec, {}).valueOrThrow()), whole);
    }

    /// Two programs at once: one has the journal, the other computes without.
    void secondProgramDoesWithout()
    {
        const AnySpec spec = AblationSpec{.resamples = 20};
        std::string inner;
        const JobControl control({}, [&](const Progress &progress) {
            if (inner.empty() && progress.done > progress.total / 2)
                inner = contentOf(keeping("two")->runAny(Domain::In, spec, {}).valueOrThrow());
        });
        const std::string outer = contentOf(keeping("two")->runAny(Domain::In, spec, control).valueOrThrow());
        QVERIFY(!inner.empty());
        QCOMPARE(inner, outer);
    }

    void folderThatCannotBeWrittenStopsNothing()
    {
        std::ofstream(path("a file")) << "no folder";
        const auto opened = Session::open(path("model"), {.workFolder = path("a file") / "work"}, {}).valueOrThrow();
        (void)opened->setData(Domain::In, m_data, {}).valueOrThrow();
        const AnySpec spec = AblationSpec{.resamples = 20};
        QCOMPARE(contentOf(opened->runAny(Domain::In, spec, {}).valueOrThrow()),
                 contentOf(session()->runAny(Domain::In, spec, {}).valueOrThrow()));
    }

    void fullDiskStopsNothingAndIsTold()
    {
        const AnySpec spec = AblationSpec{.resamples = 20};
        const std::string whole = contentOf(session()->runAny(Domain::In, spec, {}).valueOrThrow());
        const auto opened = keeping("full");
        bool told = false;
        std::string result;
        {
            const DiskFullAfter full(3000);
            result = contentOf(opened
                                   ->runAny(Domain::In, spec,
                                            JobControl({},
                                                       [&](const Progress &progress) {
                                                           told = told || progress.phase.note == kPhaseNotKept;
                                                       }))
                                   .valueOrThrow());
        }
        QCOMPARE(result, whole);
        QVERIFY(told);
        QCOMPARE(contentOf(keeping("full")->runAny(Domain::In, spec, {}).valueOrThrow()), whole);
    }

    void oldWorkIsForgotten()
    {
        fs::create_directories(path("old"));
        for (const char *name : {"old/aa-bb.journal", "old/cc.json", "old/mine.txt"}) {
            std::ofstream(path(name)) << "x";
            fs::last_write_time(path(name), fs::file_time_type::clock::now() - std::chrono::days(100));
        }
        (void)keeping("old")->runAny(Domain::In, AblationSpec{.resamples = 20}, {}).valueOrThrow();
        QVERIFY(!fs::exists(path("old/aa-bb.journal")) && !fs::exists(path("old/cc.json")));
        QVERIFY(fs::exists(path("old/mine.txt")));
    }

    void otherSweepsAreRefused()
    {
        (void)swept("mine").valueOrThrow();
        AblationSpec other{.allButOne = true, .resamples = 20};
        other.journal = path("mine").string();
        const auto result = session()->run(Domain::In, other, {});
        QVERIFY(result.isError() && result.error().message.find("another sweep") != std::string::npos);
        std::ofstream(path("text")) << "no journal at all, but long enough to be taken for the head of a record of one";
        const auto strange = swept("text");
        QVERIFY(strange.isError() && strange.error().message.find("not a journal of a sweep") != std::string::npos);
        QVERIFY(swept("", {.index = 0, .count = 2}).isError()); // nowhere to keep it
    }
};

QTEST_GUILESS_MAIN(TestSweepJournal)
#include "tst_sweepjournal.moc"
